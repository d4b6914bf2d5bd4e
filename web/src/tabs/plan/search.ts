// A search in slices, so that it tells how far it is, shows what it has and can be stopped.
import { everything } from '../../core/everything';
import type { Part, Plan } from '../../core/plan-types';
import type { Request } from '../../core/with-files';

export interface Progress {
  share: number;
  layouts: number;
  /** Closed form; the best by replay may be another. */
  best?: number;
}

/** Of a slice: the first are short, so that there soon is something to see; each costs a little to go on from. */
const layouts = { first: 20_000, most: 500_000 };

export async function search(question: Request, tell: (progress: Progress) => void, signal: AbortSignal): Promise<Plan> {
  let part = await everything.answer<Part>({ ...question, budget: 1 }, signal); // the first good answer
  for (let budget = layouts.first; ; budget = Math.min(2 * budget, layouts.most)) {
    const { best, counts } = part.found;
    tell({ share: part.decided / Math.max(1, counts.grids), layouts: counts.evaluated, ...(best[0] && { best: best[0].closed_form_seconds }) });
    if (part.complete) return everything.answer<Plan>({ command: 'plan', merge: [part] }, signal);
    part = await everything.answer<Part>({ command: 'plan', resume: part, budget }, signal);
  }
}
