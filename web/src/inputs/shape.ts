// The present model in a few words: its size and shape, from the answer, the catalog's entry or the pasted config.json.
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { n, t } from '../text/language.svelte';
import { entryOf, parametersOf } from './catalog-names';

const keys = {
  layers: ['layers', 'num_hidden_layers', 'n_layer'],
  hidden: ['hidden', 'hidden_size', 'n_embd'],
  heads: ['heads', 'num_attention_heads', 'n_head'],
  kv: ['kv_heads', 'num_key_value_heads'],
};

export function modelFacts(): string {
  return [...sizeWords(), ...shapeWords()].join(' · ');
}

/** The answer counts them; while the input is wrong it may be about another model, and the catalog knows its own. */
function sizeWords(): string[] {
  const model = scenario.now.model;
  const entry = typeof model === 'string' ? entryOf('models', model) : undefined;
  const counted = JSON.stringify(result.answered.model) === JSON.stringify(model) ? result.estimate.model : undefined;
  const parameters = counted?.parameters ?? (entry ? parametersOf(entry) : 0);
  const active = counted?.active_parameters ?? parameters;
  return [
    ...(parameters > 0 ? [t('model.parameters', { count: n().count(parameters) })] : []),
    ...(active < parameters ? [t('model.active', { count: n().count(active) })] : []),
  ];
}

function shapeWords(): string[] {
  const model = scenario.now.model;
  const shape: Record<string, unknown> = (typeof model === 'object' ? model : entryOf('models', model)) ?? {};
  const value = (names: string[]) => names.map((name) => Number(shape[name])).find((found) => found > 0);
  const [layers, hidden, heads, kv] = [value(keys.layers), value(keys.hidden), value(keys.heads), value(keys.kv)];
  const words: string[] = [];
  if (layers) words.push(t('model.layers', { count: n().integer(layers) }));
  if (hidden) words.push(t('model.hidden', { count: n().integer(hidden) }));
  if (heads) words.push(kv && kv !== heads ? t('model.heads_kv', { heads: n().integer(heads), kv: n().integer(kv) }) : t('model.heads', { heads: n().integer(heads) }));
  return words;
}
