// On which hardware the files were measured: what they say, the scenario's where they say nothing.
import type { Group, Scenario } from '../../core/types';
import { entryOf } from '../../inputs/catalog-names';
import { result } from '../../state/result.svelte';

/** "scenario", "gpu:ID" or the id of a system. */
export type Where = string;

export const cpu = 'cpu';

/** Where nobody chose: the scenario's cluster if the files are of its GPU or do not say. */
export function usualPlace(gpus: string[], present: Scenario): Where {
  const own = result.gpuOf(present);
  return gpus.length === 0 || (own !== undefined && gpus.includes(own)) ? 'scenario' : `gpu:${gpus[0]}`;
}

/** For the core. */
export function clusterAt(where: Where, present: Scenario): Group {
  if (where.startsWith('gpu:')) return { gpu: where.slice(4) };
  if (where !== 'scenario') return { system: where };
  const { gpus: _, ...cluster } = present.cluster ?? {};
  return cluster;
}

export const gpuAt = (where: Where, present: Scenario): string | null =>
  (where.startsWith('gpu:') ? where.slice(4) : result.gpuOf(where === 'scenario' ? present : { cluster: { system: where } })) ?? null;

export const gpuName = (id: string): string => entryOf('gpus', id)?.name.replace(/^NVIDIA /, '') ?? id.toUpperCase();
