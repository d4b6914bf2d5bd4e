// The shape of the present model in a few words, from the resolved scenario or the catalog's entry.
import { result } from '../state/result.svelte';
import { n, t } from '../text/language.svelte';

const keys = {
  layers: ['layers', 'num_hidden_layers', 'n_layer'],
  hidden: ['hidden', 'hidden_size', 'n_embd'],
  heads: ['heads', 'num_attention_heads', 'n_head'],
  kv: ['kv_heads', 'num_key_value_heads'],
};

export function shapeWords(): string[] {
  const model = result.estimate.scenario.model;
  const shape: Record<string, unknown> =
    typeof model === 'object' ? model : ((result.catalog.models ?? []).find((entry) => entry.id === model) ?? {});
  const value = (names: string[]) => names.map((name) => Number(shape[name])).find((found) => found > 0);
  const [layers, hidden, heads, kv] = [value(keys.layers), value(keys.hidden), value(keys.heads), value(keys.kv)];
  const words: string[] = [];
  if (layers) words.push(t('model.layers', { count: layers }));
  if (hidden) words.push(t('model.hidden', { count: n().integer(hidden) }));
  if (heads) words.push(kv && kv !== heads ? t('model.heads_kv', { heads, kv }) : t('model.heads', { heads }));
  return words;
}
