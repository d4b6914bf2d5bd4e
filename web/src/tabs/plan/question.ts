// What is searched: the scenario less its layout, but for what is held as it is.
import type { Layout } from '../../core/plan-types';
import type { Request } from '../../core/with-files';
import type { Group, Scenario } from '../../core/types';
import { result } from '../../state/result.svelte';

export const objectives = ['step', 'tokens-per-dollar', 'memory'] as const;
export type Objective = (typeof objectives)[number];
export const engineSets = ['own', 'usual', 'all'] as const;
export type Engines = (typeof engineSets)[number];

/** What can be held: each with the fields that go with it. */
export const holds = {
  tp: ['/parallelism/tensor_parallel_size', '/parallelism/sequence_parallel'],
  pp: ['/parallelism/pipeline_parallel_size', '/parallelism/virtual_pipeline_size', '/parallelism/pipeline_schedule', '/parallelism/stage_layers'],
  cp: ['/parallelism/context_parallel_size'],
  ep: ['/parallelism/expert_parallel_size', '/parallelism/expert_tensor_parallel_size'],
  zero: ['/parallelism/zero_stage', '/parallelism/data_parallel_replicate_size'],
  micro: ['/training/micro_batch_size'],
  recompute: ['/training/recompute'],
} as const;
export type Hold = keyof typeof holds;

export interface Asked {
  objective: Objective;
  engines: Engines;
  held: Hold[];
  /** Least chance to fit of what counts as fitting. */
  surety: number;
}
/** The last one: as predicted. */
export const sureties = [0.95, 0.7, 0.5];

const searched = [...Object.values(holds).flat(), '/parallelism/data_parallel_size', '/parallelism/micro_batch_group_size', '/parallelism/pipeline_layout'];

export function questionOf(scenario: Scenario, { objective, engines, held, surety }: Asked): Request {
  const fixed: readonly string[] = held.flatMap((hold) => holds[hold]);
  const less = (section: 'parallelism' | 'training', also: string[] = []): Group =>
    Object.fromEntries(
      Object.entries(scenario[section] ?? {}).filter(([key]) => {
        const path = `/${section}/${key}`;
        return fixed.includes(path) || !(searched.includes(path) || also.includes(key));
      }),
    );
  const resolved = result.estimate.scenario;
  /** Held means as it is, also where it is a default. */
  const asIs = (section: 'parallelism' | 'training'): Group =>
    Object.fromEntries(fixed.filter((path) => path.startsWith(`/${section}/`)).flatMap((path) => {
      const key = path.split('/')[2]!;
      const value = resolved[section][key];
      return value === undefined ? [] : [[key, value]];
    }));
  const anyEngine = engines !== 'own';
  return {
    command: 'plan',
    scenario: {
      ...scenario,
      parallelism: { ...less('parallelism'), ...asIs('parallelism') },
      training: { global_batch_size: resolved.training.global_batch_size, ...less('training', anyEngine ? ['engine', 'engine_version'] : []), ...asIs('training'), ...(anyEngine ? {} : { engine: resolved.training.engine }) },
    },
    objective,
    fit_probability: surety,
    ...(engines === 'all' ? { engines: 'all' } : {}),
    ...result.pricesOf(scenario),
  };
}

/** Left out when a layout is adopted: they follow from the others, or are not searched. */
const derived = ['data_parallel_size', 'context_parallel_kind', 'reshard_after_forward', 'micro_batch_group_size'];

/** What a layout sets beyond defaults, so that link and dots stay few. */
function degreesOf({ parallelism: p }: Layout): Group {
  const pointless = (key: string, value: unknown) =>
    (key.endsWith('_size') && value === 1 && key !== 'expert_tensor_parallel_size') ||
    (key === 'sequence_parallel' && p.tensor_parallel_size === 1) ||
    (key === 'expert_tensor_parallel_size' && p.expert_parallel_size === 1) ||
    (key === 'pipeline_schedule' && value === (Number(p.virtual_pipeline_size) > 1 ? 'interleaved' : '1f1b'));
  return Object.fromEntries(Object.entries(p).filter(([key, value]) => !derived.includes(key) && !pointless(key, value)));
}

export function withLayout(scenario: Scenario, layout: Layout): Scenario {
  const { cluster, training } = layout;
  const kept = Object.entries(scenario.parallelism ?? {}).filter(([key]) => !searched.includes(`/parallelism/${key}`));
  const { engine_version: version, ...recipe } = scenario.training ?? {};
  const sameVersion = version !== undefined && recipe.engine === training.engine;
  const { engine, micro_batch_size, recompute } = training;
  return {
    ...scenario,
    cluster: { ...scenario.cluster, ...(cluster?.gpus ? { gpus: cluster.gpus } : {}) },
    parallelism: { ...Object.fromEntries(kept), ...degreesOf(layout) },
    training: { ...recipe, ...(sameVersion ? { engine_version: version } : {}), engine, micro_batch_size, recompute },
  };
}

/** The same layout, whatever is written out. */
export const sameLayout = (a: Layout, b: Layout): boolean => keyOf(a) === keyOf(b);

function keyOf({ parallelism: p, training: r }: Layout): string {
  const degrees = ['tensor_parallel_size', 'sequence_parallel', 'pipeline_parallel_size', 'virtual_pipeline_size', 'pipeline_schedule', 'stage_layers', 'context_parallel_size', 'expert_parallel_size', 'expert_tensor_parallel_size', 'data_parallel_size', 'data_parallel_replicate_size', 'zero_stage'];
  const alone = (key: string) => (key === 'sequence_parallel' && p.tensor_parallel_size === 1) || (key === 'pipeline_schedule' && p.pipeline_parallel_size === 1);
  return JSON.stringify([degrees.map((key) => (alone(key) ? null : p[key])), r.engine, r.micro_batch_size, r.recompute]);
}
