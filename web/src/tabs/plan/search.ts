// A search in parts, so that it tells how far it is and can be stopped.
import { everything } from '../../core/everything';
import type { Part, Plan } from '../../core/plan-types';
import type { Request } from '../../core/with-files';

export interface Progress {
  share: number;
  layouts: number;
  /** Closed form; the best by replay may be another. */
  best?: number;
}

const parts = 16;

export async function search(question: Request, tell: (progress: Progress) => void, signal: AbortSignal): Promise<Plan> {
  const merge: Part[] = [];
  let limit: number | undefined;
  for (let index = 0; index < parts; index++) {
    const part = await everything.answer<Part>({ ...question, shard: { index, count: parts }, ...(limit === undefined ? {} : { no_worse_than: limit }) }, signal);
    merge.push(part);
    if (part.no_worse_than !== null) limit = Math.min(limit ?? Infinity, part.no_worse_than);
    const layouts = merge.reduce((all, { found }) => all + found.counts.evaluated, 0);
    const best = merge.flatMap(({ found }) => found.best[0]?.closed_form_seconds ?? []);
    tell({ share: (index + 1) / parts, layouts, ...(best.length > 0 ? { best: Math.min(...best) } : {}) });
  }
  return everything.answer<Plan>({ command: 'plan', merge }, signal);
}
