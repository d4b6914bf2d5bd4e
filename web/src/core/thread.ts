// A worker with one of the two modules in it, and what becomes of it.
import { wrap, type Remote } from 'comlink';
import type { Service } from './worker';

export interface Thread {
  service: Remote<Service>;
  /** Resolves once the module answers. */
  started: Promise<void>;
  /** Rejects when the worker did not load or fell over: it answers nothing then. */
  broken: Promise<never>;
  stop: () => void;
}

/** `all`: the module with every command, twice as large. */
export function startThread(all: boolean): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const broken = new Promise<never>((_, reject) => {
    worker.addEventListener('error', (event) => reject(new Error(event.message || 'the worker did not load')));
  });
  broken.catch(() => {}); // those who wait hear of it
  const service = wrap<Service>(worker);
  return { service, broken, started: Promise.race([service.start(all), broken]), stop: () => worker.terminate() };
}
