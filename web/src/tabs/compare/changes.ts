// What a variant changed against the present scenario: what was set otherwise, and what follows from it by default.
import type { Fix } from '../../core/fix';
import type { Estimate } from '../../core/types';
import { recomputeKind } from '../../inputs/options';
import { isGroup, read } from '../../state/pointer';

/** The engine decides most of the others; of a cluster only what names it. */
const first = ['/training/engine', '/model', '/cluster/system', '/cluster/gpu', '/cluster/gpus'];

export function changesFrom(now: Estimate, then: Estimate): Fix[] {
  const all = (['parallelism', 'training'] as const).flatMap((section) => [now, then].flatMap(({ scenario }) => Object.keys(scenario[section]).map((key) => `/${section}/${key}`)));
  const [before, after] = [now, then].map(({ scenario }) => (path: string) => read(scenario, path));
  return [...new Set([...first, ...all])]
    .filter((path) => JSON.stringify(before!(path)) !== JSON.stringify(after!(path)))
    .filter((path) => after!(path) !== undefined) // a setting of an engine or stage that is no more
    .map((path) => ({ path, value: shortly(after!(path)) }));
}

/** A scenario holds lists of layers, objects of recompute, and models that were pasted. */
function shortly(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(' ');
  return isGroup(value) ? ('hidden_size' in value ? 'config.json' : recomputeKind(value)) : value;
}
