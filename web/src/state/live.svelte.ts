// What a tab asks of the core beside the estimate: for the one last answered, only while the tab is shown, once
// the keys rest, and the latest wins. The old value stays until the new one is there.
import type { Estimate, Scenario } from '../core/types';
import { Latest } from './latest.svelte';
import { result } from './result.svelte';

/** `about`: what else the question depends on. */
type Ask<T> = (scenario: Scenario, about: string | number, signal: AbortSignal) => Promise<T>;

export class Live<T> extends Latest<T> {
  /** The estimate that `value` goes with. */
  of = $state.raw<Estimate>();
  #ask: Ask<T>;
  #quiet: number;
  #asked: { scenario: Scenario; of: Estimate; about: string | number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `quiet`: milliseconds without a key stroke before it asks. */
  constructor(ask: Ask<T>, quiet = 50) {
    super();
    this.#ask = ask;
    this.#quiet = quiet;
  }

  /** Called in an effect. */
  follow(shown: boolean, about: string | number = 0): void {
    const { estimate: of, answered: scenario } = result;
    const before = this.#asked;
    if (!shown || !result.ready || (of === before?.of && about === before.about)) return;
    this.#asked = { scenario, of, about };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.retry(), of === before?.of ? 0 : this.#quiet);
  }

  retry(): void {
    const asked = this.#asked;
    if (asked) void this.run((signal) => this.#ask(asked.scenario, asked.about, signal)).then((answered) => answered && (this.of = asked.of));
  }

  /** The question is not asked again until something changes. */
  override cancel(): void {
    clearTimeout(this.#timer);
    super.cancel();
  }
}
