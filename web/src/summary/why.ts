// What a suggestion changes most, in a few words: the parts of the step, or the kinds of memory, that shrink and grow.
// In the digits of the row's own difference, to which the words add up.
import type { Estimate } from '../core/types';
import type { Goal } from '../core/advice';
import { n, named, t } from '../text/language.svelte';
import { needsOf } from './needs';

const parts = 2;
const tenth = 2 ** 30 / 10;

export function whyOf(goal: Goal, now: Estimate, then: Estimate): string {
  const faster = goal === 'faster';
  const time = n().timeColumn(now.step.seconds);
  const of = ({ step, memory: { stages, binding } }: Estimate) => (faster ? step.breakdown : needsOf(stages[binding.stage]!));
  const whole = ({ step, memory }: Estimate) => (faster ? step.seconds : memory.needed_bytes);
  const last = faster ? time.last : tenth;
  const [before, after] = [of(now), of(then)];
  const by = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((id) => ({ name: named(faster ? 'part' : 'category', id), by: Math.round(((after[id] ?? 0) - (before[id] ?? 0)) / last) }))
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, parts);
  const rest = Math.round((whole(then) - whole(now)) / last) - by.reduce((sum, one) => sum + one.by, 0);
  const said = [...by.sort((a, b) => a.by - b.by), { name: t('advice.rest'), by: rest }]
    .filter((one) => one.by !== 0)
    .map((one) => `${one.name} ${n().signed(faster ? time.of(one.by * last) : n().decimal(one.by / 10, 1), one.by)}`);
  return said.length > 0 ? `${said.join(t('mark.comma'))} ${faster ? time.unit : 'GiB'}` : '';
}
