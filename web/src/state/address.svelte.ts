// Keeps scenario and view in the address and the last scenario in this browser; opens both again.
import type { Scenario } from '../core/types';
import { defaultScenario, sameScenario } from './default-scenario';
import { keep, kept } from './kept';
import { decode, encode } from './link';
import { scenario } from './scenario.svelte';
import { view } from './view.svelte';

const quiet = 300;

class AddressState {
  /** Parts of an opened link that are not known here. */
  unknown = $state.raw<string[]>([]);

  /** Link first, then what was kept, then the default. */
  async open(): Promise<void> {
    const linked = await decode(location.hash);
    if (linked) {
      view.restore(linked.view.tab, linked.view.open);
      this.unknown = linked.unknown;
    }
    const opened = linked?.scenario ?? keptScenario();
    if (opened) scenario.open(opened);
  }

  async #fragment(): Promise<string> {
    const shown = sameScenario(scenario.now, defaultScenario) ? null : scenario.now;
    return encode(shown, { tab: view.tab === 'memory' ? undefined : view.tab, open: view.opened });
  }

  /** Called in an effect: writes 300 ms after the last change. */
  write(): () => void {
    const now = scenario.now;
    void [view.tab, view.opened];
    const timer = setTimeout(() => void this.writeNow(now), quiet);
    return () => clearTimeout(timer);
  }

  async writeNow(now: Scenario = scenario.now): Promise<void> {
    const fragment = await this.#fragment();
    if (now !== scenario.now) return;
    history.replaceState(history.state, '', fragment || location.pathname + location.search);
    keep('scenario', JSON.stringify(now));
  }
}

function keptScenario(): Scenario | null {
  try {
    return JSON.parse(kept('scenario') ?? 'null') as Scenario | null;
  } catch {
    return null;
  }
}

export const address = new AddressState();
