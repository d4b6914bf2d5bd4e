// The core a second time, on the page's own thread. A typed letter makes the browser draw a frame at once, and figures
// that are to be in that frame have to be there before it begins: a worker's answer comes just after. What takes long
// is left to the worker, which also gives every answer in full.
import { load, type Core } from 'meshgauge';
import type { Estimate, Refusal, Scenario } from './types';

/** Half a frame. */
const longest_ms = 8;

class Ahead {
  #core: Core | undefined;
  #cheap = false;

  /** Until then, and where the module does not load, every figure comes from the worker, which has compiled `module`. */
  async start(module?: WebAssembly.Module): Promise<void> {
    this.#core = await load({ module }).catch(() => undefined);
  }

  /** Once somebody is about to type. */
  startAtFields(module: () => Promise<WebAssembly.Module>): void {
    const start = ({ target }: { target: EventTarget | null }) => {
      if (this.#core || !(target as Element | null)?.closest('form')) return;
      removeEventListener('focusin', start);
      module().then((compiled) => this.start(compiled)).catch(() => {}); // the worker says why
    };
    addEventListener('focusin', start);
    start({ target: document.activeElement });
  }

  /** What the last answer took in the worker: the next scenario is about as large. */
  learn(took_ms: number): void {
    this.#cheap = took_ms <= longest_ms;
  }

  /** Without formulas, or nothing if it is refused or may take long. */
  estimate(scenario: Scenario): Estimate | null {
    if (!this.#core || !this.#cheap) return null;
    try {
      const answer = JSON.parse(this.#core.apiText(JSON.stringify({ command: 'estimate', scenario, explain: false }))) as Estimate | Refusal;
      return answer.ok ? answer : null;
    } catch {
      this.#core = undefined; // it fell over; the worker's says why
      return null;
    }
  }
}

export const ahead = new Ahead();

/** Once the next frame is drawn; a page that nobody sees draws none. */
export const afterFrame = () => new Promise<void>((drawn) => (document.hidden ? drawn() : requestAnimationFrame(() => setTimeout(drawn))));
