// The chosen machines in a few words: nodes, GPUs, links.
import type { Entry } from '../core/types';
import { read } from '../state/pointer';
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { n, t } from '../text/language.svelte';
import { placeEntry } from './catalog-names';

/** Beyond it there is no cluster to describe. */
const most = 1e6;

interface Place {
  perNode: number;
  inside: number;
  across: number;
}

export function placeFacts(): string {
  const { perNode, inside, across } = place();
  const gpus = Number(scenario.get('/cluster/gpus') ?? result.resolved('/cluster/gpus'));
  if (!Number.isInteger(gpus) || gpus < 1 || gpus > most || !(perNode >= 1)) return '';
  const nodes = Math.ceil(gpus / perNode);
  return [
    t('cluster.nodes', { nodes: n().integer(nodes), gpus: n().integer(Math.min(gpus, perNode)) }),
    ...(inside > 0 && perNode > 1 && gpus > 1 ? [t('cluster.inside', { rate: n().rate(inside) })] : []),
    ...(across > 0 && nodes > 1 ? [t('cluster.across', { rate: n().rate(across) })] : []),
  ].join(' · ');
}

/** What was set over, else what the core answered for this machine, else what the catalog says of it. */
function place(): Place {
  const same = ['/cluster/system', '/cluster/gpu'].every((path) => read(result.answered, path) === scenario.get(path));
  const entry = placeEntry();
  const value = (key: string, listed: unknown) => Number(scenario.get(`/cluster/${key}`) ?? (same ? result.resolved(`/cluster/${key}`) : listed) ?? 0);
  return {
    perNode: value('gpus_per_node', entry?.gpus_per_node),
    inside: value('intra_node_bytes_per_second', gigabytes(entry, 'intra')),
    across: value('inter_node_bytes_per_second', gigabytes(entry, 'inter')),
  };
}

function gigabytes(entry: Entry | undefined, link: 'intra' | 'inter'): number {
  const rate = (entry?.[link] as { per_gpu_per_direction_gbs?: number } | undefined)?.per_gpu_per_direction_gbs;
  return (rate ?? 0) * 1e9;
}
