// The decision tree from one GPU to a mixture of strategies: at each branch the job as it would be, for the core to judge.
import type { Asked, Variant } from '../../core/variants';
import type { Estimate, Scenario } from '../../core/types';

export const branches = ['single', 'ddp', 'zero', 'tensor', 'pipeline', 'expert'] as const;
export type Branch = (typeof branches)[number];

/** What is true of the job under every strategy. */
const ofJob = ['precision', 'optimizer', 'sequence_length', 'micro_batch_size', 'global_batch_size', 'recompute', 'attention', 'dropout', 'tokens'];
const powers = [2, 4, 8, 16, 32, 64, 128];

export function asksOf(scenario: Scenario, { scenario: { cluster, training }, model }: Estimate): Asked[] {
  const recipe = Object.fromEntries(ofJob.flatMap((key) => (key in training ? [[key, training[key]]] : [])));
  const job = (id: string, engine: string, parallelism: Record<string, unknown>, edited = '/training/engine', gpus = cluster.gpus): Asked => ({
    id,
    scenario: { model: scenario.model, cluster: { ...scenario.cluster, gpus }, parallelism, training: { ...recipe, engine } },
    edited,
  });
  const gpus = Number(cluster.gpus);
  const inNode = Math.min(Number(cluster.gpus_per_node), gpus);
  const tensor = { tensor_parallel_size: inNode, sequence_parallel: inNode > 1, zero_stage: 1 };
  const [tp, pp, ep] = ['tensor', 'pipeline', 'expert'].map((name) => `/parallelism/${name}_parallel_size`);
  return [
    job('single', 'single', {}, '/training/engine', 1),
    ...(gpus > 1 ? [job('ddp', 'ddp', {}), job('zero', 'fsdp2', {})] : []),
    ...(inNode > 1 ? [job('tensor', 'megatron', tensor, tp)] : []),
    ...powers.filter((degree) => degree * inNode <= gpus).map((degree) => job('pipeline', 'megatron', { ...tensor, pipeline_parallel_size: degree }, pp)),
    ...(model.active_parameters < model.parameters && inNode > 1 ? [job('expert', 'megatron', { expert_parallel_size: inNode, zero_stage: 1 }, ep)] : []),
  ];
}

export interface Judged {
  branch: Branch;
  variant: Variant;
  /** The way down leads through here: nothing above fits. */
  lit: boolean;
}

/** One answer a branch: of several depths the first that fits, else the one that needs least. */
export function judged(variants: Variant[]): Judged[] {
  const bytes = ({ estimate }: Variant) => estimate?.memory.needed_bytes ?? Infinity;
  const fits = ({ estimate }: Variant) => estimate?.fits === true;
  let lit = true;
  return branches.flatMap((branch) => {
    const own = variants.filter(({ id }) => id === branch);
    const variant = own.find(fits) ?? own.sort((a, b) => bytes(a) - bytes(b))[0];
    if (!variant) return [];
    const row = { branch, variant, lit };
    if (fits(variant)) lit = false;
    return [row];
  });
}

/** Where the present layout stands. */
export function branchOf({ scenario: { parallelism: p, training } }: Estimate): Branch {
  const cut = (name: string) => Number(p[`${name}_parallel_size`] ?? 1) > 1;
  if (cut('expert')) return 'expert';
  if (cut('pipeline')) return 'pipeline';
  if (cut('tensor')) return 'tensor';
  if (!cut('data')) return 'single';
  return Number(p.zero_stage ?? 0) > 0 || String(training.engine).startsWith('fsdp') ? 'zero' : 'ddp';
}
