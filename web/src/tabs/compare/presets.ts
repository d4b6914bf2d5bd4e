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
      // What is set stays where the engine knows it.
      return describe.engines.map(({ id, zero_stages }) => {
        const kept = zero_stages.includes(Number(read(now, stage) ?? zero_stages[0])) ? now : write(now, stage, undefined);
        return { id, scenario: id === resolvedEngine ? now : write(kept, engine, id), edited: engine };
      });
    case 'zero': {
      // The present engine wherever it has the stage; beyond it the one engine that has most of them.
      const most = [...describe.engines].sort((a, b) => b.zero_stages.length - a.zero_stages.length)[0]!;
      const own = describe.engines.find(({ id }) => id === resolvedEngine)?.zero_stages ?? [];
      return [...new Set([...own, ...most.zero_stages])].sort().map((value) => {
        const staged = write(now, stage, value);
        return { id: String(value), scenario: own.includes(value) ? staged : write(staged, engine, most.id), edited: stage };
      });
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
