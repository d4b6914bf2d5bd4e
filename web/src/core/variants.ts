// Several scenarios answered at once; one that the core refuses becomes the nearest that it accepts.
import { mendOf } from './mend';
import type { Fix } from './fix';
import type { Estimate, Issue, Refusal, Scenario } from './types';

export interface Asked {
  id: string;
  scenario: Scenario;
  /** The value that has to stay when others give way; empty: nothing is mended. */
  edited: string;
}
/** With the profile that prices it, if one does. */
export type Priced = Asked & { prices: object };
export interface Variant {
  id: string;
  scenario: Scenario;
  estimate: Estimate | null;
  /** What had to change beside the value asked for. */
  changes: Fix[];
  issue: Issue | null;
}

export function variantsOf(asked: Priced[], ask: (request: object) => unknown): Variant[] {
  return asked.map(({ id, scenario, edited, prices }) => {
    const answer = ask({ command: 'estimate', scenario, explain: true, ...prices }) as Estimate | Refusal;
    if (answer.ok) return { id, scenario, estimate: answer, changes: [], issue: null };
    const mend = edited ? mendOf(scenario, edited, ask) : null;
    const second = mend && (ask({ command: 'estimate', scenario: mend.scenario, explain: true, ...prices }) as Estimate | Refusal);
    if (!mend || !second?.ok) return { id, scenario, estimate: null, changes: [], issue: answer.issues[0]! };
    return { id, scenario: mend.scenario, estimate: second, changes: mend.changes, issue: null };
  });
}
