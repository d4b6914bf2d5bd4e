// The variants of a preset, from what the core describes: nothing here knows an engine or a stage by name.
import type { Describe, Entry, Scenario } from '../../core/types';
import type { Asked } from '../../core/variants';
import type { Preset } from '../../state/compare.svelte';
import { read, write } from '../../state/pointer';

const engine = '/training/engine';
const stage = '/parallelism/zero_stage';
const recompute = '/training/recompute';

export function variantsIn(preset: Preset, now: Scenario, describe: Describe, resolvedEngine: string, systems: string[]): Asked[] {
  switch (preset) {
    case 'engines':
      return describe.engines.map(({ id }) => ({ id, scenario: write(write(now, stage, undefined), engine, id), edited: engine }));
    case 'zero': {
      const own = describe.engines.find(({ id }) => id === resolvedEngine);
      // One engine for all stages, or the engines would be compared, too.
      const most = [...describe.engines].sort((a, b) => b.zero_stages.length - a.zero_stages.length)[0]!;
      const host = own && own.zero_stages.length === most.zero_stages.length ? own : most;
      const base = host === own ? now : write(now, engine, host.id);
      return host.zero_stages.map((value) => ({ id: String(value), scenario: write(base, stage, value), edited: stage }));
    }
    case 'recompute': {
      const options = describe.fields.find(({ path }) => path === recompute)?.options ?? [];
      return options.map((value) => ({ id: String(value), scenario: write(now, recompute, value), edited: recompute }));
    }
    case 'systems': {
      const gpus = read(now, '/cluster/gpus');
      const own = read(now, '/cluster/system');
      return [...new Set([...(typeof own === 'string' ? [own] : []), ...systems])].map((id) => ({
        id,
        scenario: write(now, '/cluster', { system: id, ...(gpus === undefined ? {} : { gpus }) }),
        edited: '/cluster/system',
      }));
    }
  }
}

export const systemName = (id: string, systems: Entry[] | undefined) => systems?.find((entry) => entry.id === id)?.name ?? id;
