// Names and sizes of what the catalog lists, for the pickers and the lines under them.
import type { Entry } from '../core/types';
import { scenario } from '../state/scenario.svelte';
import { result } from '../state/result.svelte';
import { n, t } from '../text/language.svelte';
import type { Item } from './combobox.svelte';

const entryOf = (kind: 'models' | 'gpus' | 'systems', id: unknown) => result.catalog[kind]?.find((entry) => entry.id === id);

export function modelName(): string {
  const model = scenario.now.model;
  if (typeof model === 'object') return typeof model._name_or_path === 'string' ? model._name_or_path : t('model.custom');
  return entryOf('models', model)?.name ?? String(model ?? '');
}

export function placeName(): string {
  const system = scenario.get('/cluster/system');
  const gpu = scenario.get('/cluster/gpu');
  const entry = system ? entryOf('systems', system) : entryOf('gpus', gpu);
  return entry?.name ?? String(system ?? gpu ?? '');
}

const parameters = (entry: Entry) => Number(entry.parameters ?? entry.params_total ?? 0);

export function modelItems(): Item[] {
  return (result.catalog.models ?? []).map((entry) => ({
    id: entry.id,
    name: entry.name,
    detail: parameters(entry) > 0 ? n().count(parameters(entry)) : '',
  }));
}

/** Systems and single GPUs in one list: gpu: tells them apart. */
export function placeItems(): Item[] {
  const systems = (result.catalog.systems ?? []).map((entry) => ({
    id: entry.id,
    name: entry.name,
    detail: t('cluster.per_node', { count: Number(entry.gpus_per_node ?? 0) }),
  }));
  const gpus = (result.catalog.gpus ?? []).map((entry) => ({ id: `gpu:${entry.id}`, name: entry.name, detail: 'GPU' }));
  return [...systems, ...gpus];
}
