// The search that the tab shows: of the scenario last answered, again whenever it or the question changes.
import type { Plan, Point, Planned } from '../../core/plan-types';
import { address } from '../../state/address.svelte';
import { Live } from '../../state/live.svelte';
import { scenario } from '../../state/scenario.svelte';
import type { Layout } from '../../core/plan-types';
import { questionOf, withLayout, type Asked } from './question';
import { search, type Progress } from './search';

class PlanState {
  asked = $state.raw<Asked>({ objective: 'step', engines: 'own', held: [], surety: 0.95 });
  progress = $state.raw<Progress | null>(null);
  /** What is pointed at in table or chart. */
  at = $state.raw<Point | Planned | null>(null);

  live = new Live<Plan>(async (of, _, signal) => {
    this.progress = null;
    const tell = (progress: Progress) => (this.progress = progress);
    try {
      return await search({ ...questionOf(of, this.asked), top: 40 }, tell, signal);
    } finally {
      if (!signal.aborted) this.progress = null;
    }
  }, 400);

  listed = $derived(this.live.value?.plans ?? []);

  ask(change: Partial<Asked>): void {
    this.asked = { ...this.asked, ...change };
  }

  adopt(layout: Layout): void {
    void address.adopt(withLayout(scenario.now, layout));
  }
}

export const plan = new PlanState();
