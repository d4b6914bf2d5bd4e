// What to change about the scenario last answered, once the keys rest.
import type { Goal, Suggestion } from '../core/advice';
import { everything } from '../core/everything';
import type { Estimate } from '../core/types';
import { verdictOf } from '../verdict/words';
import { Live } from './live.svelte';
import { result } from './result.svelte';

const goalOf = (estimate: Estimate): Goal => (({ fits: 'faster', no: 'fit', unsure: 'safe' }) as const)[verdictOf(estimate)];
const quiet_ms = 300;

export interface Advice {
  goal: Goal;
  list: Suggestion[];
}

export const advice = new Live<Advice>(async (scenario, _, signal) => {
  const estimate = result.estimate;
  const goal = goalOf(estimate);
  return { goal, list: await everything.run((core) => core.advice(scenario, estimate, goal, result.pricesOf(scenario)), signal) };
}, quiet_ms);
