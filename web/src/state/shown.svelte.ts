// The estimate as a tab sees it: a hidden tab keeps the one it had, so that it computes nothing.
import type { Estimate } from '../core/types';
import { result } from './result.svelte';
import { view, type Tab } from './view.svelte';

export class Shown {
  #last: Estimate = result.estimate;
  #tab: Tab;

  constructor(tab: Tab) {
    this.#tab = tab;
  }
  get now(): boolean {
    return view.tab === this.#tab;
  }
  estimate: Estimate = $derived.by(() => (this.now ? (this.#last = result.estimate) : this.#last));
}
