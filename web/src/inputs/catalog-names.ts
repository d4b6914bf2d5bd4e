// Names and sizes of what the catalog lists, for the pickers and the lines under them.
import type { Entry } from '../core/types';
import { scenario } from '../state/scenario.svelte';
import { result } from '../state/result.svelte';
import { n, t } from '../text/language.svelte';
import type { Item } from './combobox.svelte';

export const entryOf = (kind: 'models' | 'gpus' | 'systems', id: unknown) => result.catalog[kind]?.find((entry) => entry.id === id);

/** Without the vendor that nearly all share: what tells them apart must be seen in a narrow field. */
const shortName = ({ name }: Entry) => name.replace(/^NVIDIA /, '');

export function modelName(): string {
  const model = scenario.now.model;
  if (typeof model === 'object') return typeof model._name_or_path === 'string' && model._name_or_path !== '' ? model._name_or_path : t('model.custom');
  return entryOf('models', model)?.name ?? String(model ?? '');
}

/** The machine that was chosen, if the catalog knows it. */
export function placeEntry(): Entry | undefined {
  const system = scenario.get('/cluster/system');
  return system === undefined ? entryOf('gpus', scenario.get('/cluster/gpu')) : entryOf('systems', system);
}

export function placeName(): string {
  const entry = placeEntry();
  return entry ? shortName(entry) : String(scenario.get('/cluster/system') ?? scenario.get('/cluster/gpu') ?? '');
}

/** Where the catalog has it from. */
export const sourceOf = (entry?: Entry): string => [entry?.source ?? []].flat().join('; ');

export const parametersOf = (entry: Entry) => Number(entry.parameters ?? entry.params_total ?? 0);

export function modelItems(): Item[] {
  return (result.catalog.models ?? []).map((entry) => ({
    id: entry.id,
    name: entry.name,
    detail: parametersOf(entry) > 0 ? n().count(parametersOf(entry)) : '',
  }));
}

/** A system and a GPU exclude each other; overrides belong to the machine they were typed for. */
export function choosePlace(id: string): void {
  const gpus = scenario.get('/cluster/gpus') ?? result.resolved('/cluster/gpus');
  const place = id.startsWith('gpu:') ? { gpu: id.slice(4) } : { system: id };
  scenario.set('/cluster', { ...place, gpus });
}

const memoryOf = (entry?: Entry) => (entry?.memory_gb ? `${n().significant(Number(entry.memory_gb))} GB` : '');

/** Systems and single GPUs in one list: gpu: tells them apart. A system is found by its GPU, too. */
export function placeItems(): Item[] {
  const systems = (result.catalog.systems ?? []).map((entry) => {
    const gpu = entryOf('gpus', entry.gpu);
    const memory = memoryOf(gpu);
    return {
      id: entry.id,
      name: shortName(entry),
      detail: memory ? `${n().integer(Number(entry.gpus_per_node ?? 1))} × ${memory}` : '',
      found: `${entry.name} ${gpu?.name ?? ''}`,
    };
  });
  const gpus = (result.catalog.gpus ?? []).map((entry) => ({ id: `gpu:${entry.id}`, name: shortName(entry), detail: memoryOf(entry), found: entry.name }));
  return [...systems, ...gpus];
}
