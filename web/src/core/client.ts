// Talks to the worker: one estimate in flight, one waiting, the latest wins. What is asked early waits for the core.
import { ahead } from './ahead';
import type { Describe, Entry, CatalogKind, Estimate, Refusal, Scenario } from './types';
import type { Pasted } from '../header/recognise';
import type { Mend } from './mend';
import { startThread, type Thread } from './thread';

export type Answer = Estimate | Refusal;

export class Client {
  #thread: Thread;
  #waiting: { scenario: Scenario; prices: object } | undefined;
  #busy = false;
  #started = false;
  /** The worker has the module that reads measured profiles. */
  #all = false;
  #deliver: (scenario: Scenario, answer: Answer) => void;
  #fail: (reason: string) => void;

  constructor(deliver: (scenario: Scenario, answer: Answer) => void, fail: (reason: string) => void) {
    this.#deliver = deliver;
    this.#fail = fail;
    this.#thread = startThread(false);
    this.#thread.broken.catch((error: Error) => fail(error.message));
  }

  async start(): Promise<void> {
    await this.#thread.started;
    this.#started = true;
    if (this.#waiting) void this.#work();
  }

  stop(): void {
    this.#thread.stop();
  }

  /** `prices`: a measured profile, or nothing. */
  estimate(scenario: Scenario, prices: { profile?: object }): void {
    this.#waiting = { scenario, prices };
    if (this.#started && !this.#busy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#waiting) {
        const { scenario, prices } = this.#waiting;
        this.#waiting = undefined;
        if ('profile' in prices && !this.#all) {
          await this.#thread.service.start(true);
          this.#all = true;
        }
        const { answer, took_ms } = await this.#thread.service.estimate(scenario, prices);
        ahead.learn(took_ms);
        this.#deliver(scenario, answer);
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
    this.#busy = false;
  }

  module(): Promise<WebAssembly.Module> {
    return this.#thread.service.module();
  }

  async describe(): Promise<Describe> {
    return (await this.#thread.service.ask({ command: 'describe' })) as Describe;
  }

  async catalog(kind: CatalogKind): Promise<Entry[]> {
    const answer = (await this.#thread.service.ask({ command: 'catalog', kind })) as { entries: Entry[] };
    return answer.entries;
  }

  async entry(kind: CatalogKind, id: string): Promise<Entry | undefined> {
    const answer = (await this.#thread.service.ask({ command: 'catalog', kind, id })) as { entry?: Entry };
    return answer.entry;
  }

  defaults(scenario: Scenario): Promise<Record<string, unknown>> {
    return this.#thread.service.defaults(scenario);
  }

  mend(scenario: Scenario, edited: string): Promise<Mend | null> {
    return this.#thread.service.mend(scenario, edited);
  }

  recognise(text: string, now: Scenario): Promise<Pasted> {
    return this.#thread.service.recognise(text, now);
  }

  nextLegal(scenario: Scenario, path: string, from: number, direction: 1 | -1): Promise<number | undefined> {
    return this.#thread.service.nextLegal(scenario, path, from, direction);
  }
}
