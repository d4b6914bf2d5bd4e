// The closer look at the present step, for the tabs that show parts of it.
import { everything } from '../core/everything';
import type { Detail, Estimate } from '../core/types';
import { Live } from './live.svelte';
import { result } from './result.svelte';
import type { Shown } from './shown.svelte';

export const detail = new Live<Detail>((scenario, _, signal) => everything.answer({ command: 'detail', scenario, ...result.pricesOf(scenario) }, signal));

/** As a tab sees it: a hidden one keeps what it had. */
export class ShownDetail {
  #shown: Shown;
  #last: { value: Detail; of: Estimate | undefined } | undefined;

  constructor(shown: Shown) {
    this.#shown = shown;
  }
  now = $derived.by(() => {
    if (this.#shown.now && detail.value) this.#last = { value: detail.value, of: detail.of };
    return this.#last;
  });
  /** Of this estimate, or not yet there. */
  of(estimate: Estimate): Detail | undefined {
    return this.now?.of === estimate ? this.now.value : undefined;
  }
}
