// Text that was pasted, dropped, or taken from the clipboard: what it is, until it is used or put away.
import type { Pasted } from './recognise';
import { address } from '../state/address.svelte';
import { result } from '../state/result.svelte';
import { view } from '../state/view.svelte';

type State = 'none' | 'reading' | 'known' | 'unreadable';
const patience = 300;
/** A file that is longer is no configuration, and is not read as text. */
const longestText = 8e6;

export const isError = ({ kind }: Pasted) => kind === 'memory' || kind === 'nccl';

class PasteState {
  state = $state<State>('none');
  /** Every reading of it, likeliest first. */
  found = $state.raw<Pasted[]>([]);
  #latest = 0;
  #reading: AbortController | undefined;

  async take(text: string, name = 'pasted.txt'): Promise<void> {
    if (!text.trim()) return;
    await this.#find(async (signal) => {
      const found = await result.recognise(text);
      if (found.kind !== 'unknown') return [found];
      const more = await recogniseMore([new File([text], name)], signal);
      return more.length > 0 ? more : [found];
    });
  }

  async #find(find: (signal: AbortSignal) => Promise<Pasted[]>): Promise<void> {
    const own = ++this.#latest;
    this.#reading?.abort();
    this.#reading = new AbortController();
    const slow = setTimeout(() => own === this.#latest && (this.state = 'reading'), patience);
    const found = await find(this.#reading.signal).catch(() => []);
    clearTimeout(slow);
    if (own !== this.#latest) return;
    this.found = found;
    this.state = found.length > 0 ? 'known' : 'none';
  }

  /** For devices without Ctrl+V. The browser may ask first, or refuse. */
  async fromClipboard(): Promise<void> {
    try {
      await this.take(await navigator.clipboard.readText());
    } catch {
      this.#latest++;
      this.state = 'unreadable';
    }
  }

  async drop(files: FileList | undefined): Promise<void> {
    const all = [...(files ?? [])];
    const [file] = all;
    if (!file) return;
    if (all.length === 1 && file.size <= longestText) return this.take(await file.text(), file.name);
    await this.#find(async (signal) => {
      const found = await recogniseMore(all, signal);
      return found.length > 0 ? found : [{ kind: 'unknown', what: file.name, sections: [] }];
    });
  }

  use(found: Pasted): void {
    this.dismiss();
    if (found.files) return void (isError(found) ? this.#explain(found.files) : this.#measure(found.files));
    if (!found.scenario) return;
    address.unknown = found.unknown ?? [];
    void address.adopt(found.scenario, found.kind === 'config' ? '/model' : '');
  }

  async #measure(files: File[]): Promise<void> {
    view.tab = 'measured';
    const { measured } = await import('../tabs/measured/given.svelte');
    await measured.add(files);
  }

  async #explain(files: File[]): Promise<void> {
    view.tab = 'learn';
    const { reading } = await import('../tabs/learn/reading.svelte');
    await reading.give(files);
  }

  dismiss(): void {
    this.#latest++;
    this.#reading?.abort();
    this.found = [];
    this.state = 'none';
  }
}

/** Without the module that tells more the text stays unknown. */
async function recogniseMore(files: File[], signal: AbortSignal): Promise<Pasted[]> {
  try {
    const more = await import('./recognise-more');
    return await more.recogniseMore(files, signal);
  } catch {
    return [];
  }
}

export const paste = new PasteState();
