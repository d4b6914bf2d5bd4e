// What of the present scenario is shown as a formula: as a claim, from which the core derives work, rate and MFU; and
// the time of a collective from that of one of its messages.
import type { Derivation } from '../../core/claim-types';
import type { Detail, Estimate, Scenario } from '../../core/types';

export function claimOf(estimate: Estimate, { model }: Scenario): object {
  const { cluster, training } = estimate.scenario;
  return {
    command: 'check',
    model,
    sequence_length: training.sequence_length,
    ...(cluster.system === undefined ? { gpu: cluster.gpu } : { system: cluster.system }),
    gpus: cluster.gpus,
    precision: training.precision,
    tokens_per_second_per_gpu: estimate.step.tokens_per_second_per_gpu,
    ...(typeof training.tokens === 'number' ? { tokens: training.tokens } : {}),
  };
}

/** A large tensor goes in messages of at most a bucket, one after the other. */
export function timeOf(calls: number, bytes: number, { bytes: one, message_seconds: seconds }: Detail['messages'][number]): Derivation {
  const messages = Math.round(bytes / one);
  return messages > 1 ? { formula: 'c * m * t', values: { c: calls, m: messages, t: seconds } } : { formula: 'c * t', values: { c: calls, t: seconds } };
}
