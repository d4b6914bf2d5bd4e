// The answer to what was asked last: an older question is given up, and what it would say is dropped.

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class Latest<T> {
  value = $state.raw<T>();
  failure = $state<string | null>(null);
  /** For longer than a tenth of a second. */
  busy = $state(false);
  #running: AbortController | undefined;

  /** The old value stays until the new one is there. True if this was the last question, and it was answered. */
  async run(work: (signal: AbortSignal) => Promise<T>): Promise<boolean> {
    this.cancel();
    const running = (this.#running = new AbortController());
    const slow = setTimeout(() => (this.busy = true), 100);
    try {
      const value = await work(running.signal);
      if (running.signal.aborted) return false;
      [this.value, this.failure] = [value, null];
      return true;
    } catch (error) {
      if (!running.signal.aborted) this.failure = reasonOf(error);
      return false;
    } finally {
      clearTimeout(slow);
      if (running === this.#running) this.busy = false;
    }
  }

  cancel(): void {
    this.#running?.abort();
    this.busy = false;
  }

  /** Nothing is asked, hence nothing answered. */
  clear(): void {
    this.cancel();
    this.value = undefined;
    this.failure = null;
  }
}
