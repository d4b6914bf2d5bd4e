// Asks the module that has every command, in a worker of its own, so that a long search holds up no key stroke. The
// worker starts with the first question. One question at a time, in the order asked.
import type { Remote } from 'comlink';
import { startThread, type Thread } from './thread';
import type { Refusal } from './types';
import type { NamedBlob, Request } from './with-files';
import type { Service } from './worker';

type Work<T> = (core: Remote<Service>) => PromiseLike<T>;
interface Asked {
  work: Work<unknown>;
  signal: AbortSignal | undefined;
  resolve: (answer: unknown) => void;
  reject: (reason: unknown) => void;
}

/** The core cannot be interrupted: its worker goes, unless the answer to what nobody waits for comes within this. */
const patience_ms = 200;

export class Everything {
  #thread: Thread | undefined;
  #waiting: Asked[] = [];
  #now: Asked | undefined;
  #start: () => Thread;

  constructor(start = () => startThread(true)) {
    this.#start = start;
  }

  /** The core's answer, refusals included. Rejects if the module did not load or fell over; asking again starts anew. */
  ask(request: object, signal?: AbortSignal): Promise<unknown> {
    return this.run((core) => core.ask(request), signal);
  }

  /** import or calibrate on files of any length. */
  askWithFiles(request: Request, files: NamedBlob[], signal?: AbortSignal): Promise<unknown> {
    return this.run((core) => core.askWithFiles(request, files), signal);
  }

  /** The same, where a refusal is an error like any other. */
  async answer<T>(request: object, signal?: AbortSignal): Promise<T> {
    const answer = (await this.ask(request, signal)) as ({ ok: true } & T) | Refusal;
    if (!answer.ok) throw new Error(answer.issues[0]!.message);
    return answer;
  }

  /** More than one question, beside the core. */
  run<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const asked: Asked = { work, signal, resolve: resolve as (answer: unknown) => void, reject };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => this.#drop(asked), { once: true });
      this.#waiting.push(asked);
      void this.#work();
    });
  }

  #drop(asked: Asked): void {
    asked.reject(asked.signal!.reason);
    this.#waiting = this.#waiting.filter((other) => other !== asked);
    if (asked === this.#now) setTimeout(() => asked === this.#now && this.#end(asked), patience_ms);
  }

  /** Of the worker, and with it of what it computes. */
  #end(asked: Asked): void {
    this.#thread?.stop();
    this.#thread = undefined;
    this.#done(asked);
  }

  #done(asked: Asked): void {
    if (asked !== this.#now) return;
    this.#now = undefined;
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#now) return;
    const asked = this.#waiting.shift();
    if (!asked) return;
    this.#now = asked;
    try {
      const thread = (this.#thread ??= this.#start());
      await thread.started;
      if (!asked.signal?.aborted) asked.resolve(await Promise.race([asked.work(thread.service), thread.broken]));
      this.#done(asked);
    } catch (error) {
      asked.reject(error);
      if (asked === this.#now) this.#end(asked);
    }
  }
}

export const everything = new Everything();
