// The error that is read: typed, pasted or dropped, and what the core says of it.
import { diagnose } from '../../core/diagnose';
import type { DiagnoseAnswer } from '../../core/diagnose-types';
import { result } from '../../state/result.svelte';

const quiet = 300;
/** A longer text is not shown, only read. */
const longestShown = 200_000;

class Reading {
  text = $state('');
  /** Files that are too long to be shown. */
  files = $state.raw<File[]>([]);
  answer = $state.raw<DiagnoseAnswer>();
  failure = $state<string | null>(null);
  busy = $state(false);
  /** How often something was given from elsewhere on the page. */
  given = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;

  type(text: string): void {
    this.text = text;
    this.files = [];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(text.trim() === '' ? [] : [new File([text], 'typed.txt')]), quiet);
  }

  async give(files: File[]): Promise<void> {
    clearTimeout(this.#timer);
    const shown = files.length === 1 && files[0]!.size <= longestShown;
    this.text = shown ? await files[0]!.text() : '';
    this.files = shown ? [] : files;
    this.given++;
    await this.#read(files);
  }

  cancel(): void {
    this.#running?.abort();
    this.busy = false;
  }

  async #read(files: File[]): Promise<void> {
    this.cancel();
    this.failure = null;
    this.answer = undefined;
    if (files.length === 0) return;
    const running = (this.#running = new AbortController());
    this.busy = true;
    try {
      const answer = await diagnose(files, result.answered, result.estimate.model.parameters, running.signal);
      if (!running.signal.aborted) this.answer = answer;
    } catch (error) {
      if (!running.signal.aborted) this.failure = error instanceof Error ? error.message : String(error);
    } finally {
      if (running === this.#running) this.busy = false;
    }
  }
}

export const reading = new Reading();
