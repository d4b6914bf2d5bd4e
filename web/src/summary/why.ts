// What a suggestion changes most, in a few words: the part of the step, or the kind of memory, that shrinks and what
// grows for it.
import type { Estimate } from '../core/types';
import type { Goal } from '../core/advice';
import { n, named, t } from '../text/language.svelte';

const partsOf = ({ step }: Estimate) => step.breakdown;
function categoriesOf({ memory: { stages, binding } }: Estimate): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { category, bytes } of stages[binding.stage]!.lines) sums[category] = (sums[category] ?? 0) + bytes;
  return sums;
}

export function whyOf(goal: Goal, now: Estimate, then: Estimate): string {
  const faster = goal === 'faster';
  const [before, after] = faster ? [partsOf(now), partsOf(then)] : [categoriesOf(now), categoriesOf(then)];
  const by = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((id) => ({ id, by: (after[id] ?? 0) - (before[id] ?? 0) }))
    .sort((a, b) => a.by - b.by);
  const say = ({ id, by: change }: { id: string; by: number }) => {
    const amount = faster ? n().join(n().duration(Math.abs(change))) : `${n().gib(Math.abs(change), 1)} GiB`;
    return `${named(faster ? 'part' : 'category', id)} ${change < 0 ? '−' : '+'}${amount}`;
  };
  const [least, most] = [by[0]!, by.at(-1)!];
  return most.by > -least.by / 3 ? [say(least), say(most)].join(t('mark.comma')) : say(least);
}
