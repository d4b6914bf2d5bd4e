// What a tab asks of the core beside the estimate: for the one last answered, only while the tab is shown, once
// the keys rest, and the latest wins. The old value stays until the new one is there.
import type { Estimate, Scenario } from '../core/types';
import { result } from './result.svelte';

/** `about`: what else the question depends on. */
type Ask<T> = (scenario: Scenario, about: string | number, signal: AbortSignal) => Promise<T>;

export class Live<T> {
  value = $state.raw<T>();
  /** The estimate that `value` goes with. */
  of = $state.raw<Estimate>();
  failure = $state<string | null>(null);
  /** For longer than a tenth of a second. */
  busy = $state(false);
  #ask: Ask<T>;
  #quiet: number;
  #asked: { scenario: Scenario; of: Estimate; about: string | number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;

  /** `quiet`: milliseconds without a key stroke before it asks. */
  constructor(ask: Ask<T>, quiet = 50) {
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
    this.#timer = setTimeout(() => void this.#fetch(), of === before?.of ? 0 : this.#quiet);
  }

  retry(): void {
    if (this.#asked) void this.#fetch();
  }

  /** The old value stays, and the question is not asked again until something changes. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.busy = false;
  }

  async #fetch(): Promise<void> {
    this.cancel();
    const { scenario, of, about } = this.#asked!;
    const running = (this.#running = new AbortController());
    const slow = setTimeout(() => (this.busy = true), 100);
    try {
      const value = await this.#ask(scenario, about, running.signal);
      if (running.signal.aborted) return;
      [this.value, this.of, this.failure] = [value, of, null];
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(slow);
      if (running === this.#running) this.busy = false;
    }
  }
}
