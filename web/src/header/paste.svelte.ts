// Text that was pasted, dropped, or taken from the clipboard: what it is, until it is used or put away.
import type { Pasted } from './recognise';
import { address } from '../state/address.svelte';
import { result } from '../state/result.svelte';

type State = 'none' | 'reading' | 'known' | 'unreadable';
const patience = 300;

class PasteState {
  state = $state<State>('none');
  found = $state.raw<Pasted | null>(null);
  #latest = 0;

  async take(text: string): Promise<void> {
    if (!text.trim()) return;
    const own = ++this.#latest;
    const slow = setTimeout(() => own === this.#latest && (this.state = 'reading'), patience);
    const found = await result.recognise(text);
    clearTimeout(slow);
    if (own !== this.#latest) return;
    this.found = found;
    this.state = 'known';
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
    const file = files?.[0];
    if (file) await this.take(await file.text());
  }

  use(): void {
    const found = this.found;
    this.dismiss();
    if (!found?.scenario) return;
    address.unknown = found.unknown ?? [];
    void address.adopt(found.scenario, found.kind === 'config' ? '/model' : '');
  }

  dismiss(): void {
    this.#latest++;
    this.found = null;
    this.state = 'none';
  }
}

export const paste = new PasteState();
