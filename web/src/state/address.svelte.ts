// Keeps scenario and view in the address and the last scenario in this browser; opens both again.
import type { Scenario } from '../core/types';
import { compare } from './compare.svelte';
import { defaultScenario, sameScenario } from './default-scenario';
import { keep, kept } from './kept';
import { decode, encode } from './link';
import { scenario } from './scenario.svelte';
import { view } from './view.svelte';

const quiet = 300;

class AddressState {
  /** Parts of an opened link that are not known here. */
  unknown = $state.raw<string[]>([]);
  /** The fragment that the page shows: another one in the address was put there by Back or by hand. */
  #shown = '';
  #leaves = false;

  /** Link first, then what was kept, then the default. */
  async open(): Promise<void> {
    this.#shown = location.hash;
    const linked = await decode(location.hash);
    if (linked) {
      view.restore(linked.view.tab, linked.view.open);
      if (linked.view.pinned) compare.pin(linked.view.pinned);
      this.unknown = linked.unknown;
    }
    const opened = linked?.scenario ?? keptScenario();
    if (opened) scenario.open(opened);
    for (const event of ['popstate', 'hashchange']) addEventListener(event, () => void this.#follow());
  }

  /** Back, Forward, or a link put into the address of the open page. */
  async #follow(): Promise<void> {
    const asked = location.hash;
    if (asked === this.#shown) return;
    this.#shown = asked;
    const linked = await decode(asked);
    if (asked !== location.hash || (!linked && asked)) return;
    this.unknown = linked?.unknown ?? [];
    view.restore(linked?.view.tab, linked?.view.open);
    if (linked?.view.pinned) compare.pin(linked.view.pinned);
    else compare.pinned = null;
    scenario.replace(linked?.scenario ?? defaultScenario);
  }

  /** A whole scenario from elsewhere: the present one stays behind Back, and behind undo. */
  async adopt(next: Scenario, edited = ''): Promise<void> {
    await this.writeNow();
    this.#leaves = true;
    scenario.replace(next, edited);
  }

  async #fragment(): Promise<string> {
    const shown = sameScenario(scenario.now, defaultScenario) ? null : scenario.now;
    return encode(shown, { tab: view.tab === 'memory' ? undefined : view.tab, open: view.opened, pinned: compare.pinned ?? undefined });
  }

  /** Called in an effect: writes 300 ms after the last change. */
  write(): () => void {
    const now = scenario.now;
    void [view.tab, view.opened, compare.pinned];
    const timer = setTimeout(() => void this.writeNow(now), quiet);
    return () => clearTimeout(timer);
  }

  async writeNow(now: Scenario = scenario.now): Promise<void> {
    const fragment = await this.#fragment();
    if (now !== scenario.now) return;
    keep('scenario', JSON.stringify(now));
    try {
      const address = fragment || location.pathname + location.search;
      if (this.#leaves) history.pushState(null, '', address);
      else history.replaceState(history.state, '', address);
      this.#leaves = false;
      this.#shown = location.hash;
    } catch {
      // Browsers refuse too many changes in a row and too long an address; the next change writes it.
    }
  }
}

function keptScenario(): Scenario | null {
  try {
    const found: unknown = JSON.parse(kept('scenario') ?? 'null');
    return typeof found === 'object' && !Array.isArray(found) ? (found as Scenario | null) : null;
  } catch {
    return null;
  }
}

export const address = new AddressState();
