// What was copied just now, for a moment: '' where nothing was, or the browser would not.

const moment_ms = 1500;

export class Copied {
  what = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  async copy(text: string, what = 'it'): Promise<void> {
    clearTimeout(this.#timer);
    this.what = await navigator.clipboard.writeText(text).then(
      () => what,
      () => '',
    );
    this.#timer = setTimeout(() => (this.what = ''), moment_ms);
  }
}
