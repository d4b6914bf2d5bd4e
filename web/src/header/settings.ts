// A configuration of another program as a scenario: what it sets, what goes back to its default, what is left out.
import { everything } from '../core/everything';
import type { Refusal, Scenario } from '../core/types';
import type { Pasted } from './recognise';
import { labelOf, shortLabelOf, valueWords } from '../inputs/labels';
import { read } from '../state/pointer';
import { result } from '../state/result.svelte';

interface Entry {
  key: string;
  why?: string;
}
interface Settings {
  ok: true;
  kind: 'deepspeed' | 'accelerate' | 'megatron' | 'training_arguments';
  scenario: Scenario;
  used: Entry[];
  irrelevant: Entry[];
  not_understood: Entry[];
  warnings: { path: string; message: string }[];
}

/** What no such configuration says of a run, and stays. */
const stays = ['sequence_length', 'tokens', 'global_batch_size', 'micro_batch_size'];

export async function settingsIn(text: string, now: Scenario, signal: AbortSignal): Promise<Pasted[]> {
  const ask = (scenario: Scenario) => everything.ask({ command: 'read_config', text, scenario }, signal) as Promise<Settings | Refusal>;
  const alone = await ask({});
  if (!alone.ok) return [];
  // What is known wins over the text: only what it does not say is handed over.
  const { model, cluster } = now;
  const answer = await ask({ ...(alone.scenario.model === undefined ? { model } : {}), ...(alone.scenario.cluster === undefined ? { cluster } : {}) } as Scenario);
  if (!answer.ok) return [];
  const scenario = merged(now, answer.scenario);
  return [
    {
      kind: 'settings',
      what: answer.kind,
      sections: [],
      scenario,
      changes: await changesBetween(now, scenario),
      ignored: [...answer.not_understood, ...answer.irrelevant].map(({ key }) => key),
      unread: answer.not_understood.length,
      warnings: answer.warnings,
    },
  ];
}

/** The layout is the configuration's; of the recipe stays what it cannot say. */
function merged(now: Scenario, said: Scenario): Scenario {
  const kept = Object.fromEntries(Object.entries(now.training ?? {}).filter(([key]) => stays.includes(key) && !(key.endsWith('batch_size') && saysBatch(said))));
  return { ...now, ...said, parallelism: said.parallelism ?? {}, training: { ...kept, ...said.training } };
}

const saysBatch = ({ training }: Scenario) => training?.micro_batch_size !== undefined || training?.global_batch_size !== undefined;

/** By what the core computes with before and after. */
async function changesBetween(now: Scenario, next: Scenario): Promise<string[]> {
  const answer = (await everything.ask({ command: 'estimate', scenario: next, explain: false })) as { ok: boolean; scenario: Scenario } | Refusal;
  const [before, after] = [result.estimate.scenario as Scenario, answer.ok ? (answer as { scenario: Scenario }).scenario : next];
  const paths = (['parallelism', 'training'] as const).flatMap((section) => [...new Set([...Object.keys(before[section] ?? {}), ...Object.keys(after[section] ?? {})])].map((key) => `/${section}/${key}`));
  const words = (value: unknown) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : valueWords(value));
  const changed = paths.filter((path) => read(after, path) !== undefined && JSON.stringify(read(before, path)) !== JSON.stringify(read(after, path)));
  const model = JSON.stringify(now.model) === JSON.stringify(next.model) ? [] : [labelOf('/model')];
  return [...model, ...changed.map((path) => `${shortLabelOf(path)} ${words(read(after, path))}`)];
}
