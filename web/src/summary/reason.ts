// The largest loss, said from the core's own numbers: which part, how much, and the traffic or waiting behind it.
import type { Estimate } from '../core/types';
import { n, named, t } from '../text/language.svelte';
import { sumOf, trafficOf } from './traffic';

export interface Reason {
  title: string;
  sentences: string;
}

const losses = (estimate: Estimate) =>
  Object.entries(estimate.step.breakdown).filter(([part, seconds]) => part !== 'compute' && seconds > 0);

export function reasonOf(estimate: Estimate): Reason {
  const { step } = estimate;
  const [part, seconds] = losses(estimate).reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  if (!part || seconds < step.seconds * 0.01) return { title: t('reason.none'), sentences: t('reason.none_why') };
  const amount = { seconds: n().join(n().duration(seconds)), share: n().percent(seconds / step.seconds) };
  return { title: t('reason.largest', { part: named('part', part) }), sentences: why(estimate, part, amount) };
}

function why(estimate: Estimate, part: string, amount: { seconds: string; share: string }): string {
  const { parallelism, training } = estimate.scenario;
  switch (part) {
    case 'bubble':
      return t('reason.bubble', {
        ...amount,
        micro: n().integer(Number(training.global_batch_size) / Number(training.micro_batch_size) / Number(parallelism.data_parallel_size)),
        stages: Number(parallelism.pipeline_parallel_size),
      });
    case 'recompute':
      return t('reason.recompute', amount);
    case 'optimizer':
      return t('reason.optimizer', amount);
    case 'overhead':
      return t('reason.overhead', amount);
    default:
      return traffic(estimate, part, amount);
  }
}

/** The part's traffic on the slowest stage: the heaviest of it, over which link, and how much of all is hidden. */
function traffic(estimate: Estimate, part: string, amount: { seconds: string; share: string }): string {
  const rows = trafficOf(estimate, estimate.step.slowest_stage).filter(({ group }) => group.includes(part.replace('_parallel', '')));
  const heaviest = rows.reduce((a, b) => (b.exposed > a.exposed ? b : a), rows[0]!);
  if (!heaviest) return t('reason.exposed', amount);
  const hidden = 1 - sumOf(rows, 'exposed') / sumOf(rows, 'seconds');
  return t(hidden < 0.005 ? 'reason.traffic_bare' : 'reason.traffic', {
    ...amount,
    collective: named('collective', heaviest.collective),
    size: n().bytes(heaviest.bytes),
    calls: n().integer(heaviest.calls),
    where: heaviest.spansNodes ? t('reason.across') : t('reason.inside'),
    hidden: n().percent(hidden),
  });
}
