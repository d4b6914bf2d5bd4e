// A model's shape as a config.json that can be changed field by field: the pasted one, or one made from the catalog.
import type { Entry, Estimate, Group, Scenario } from '../core/types';

/** Counts that are changed most, by the names that families give them; the first is written where none is there. */
export const shapeKeys = [
  ['num_hidden_layers', 'n_layer', 'num_layers'],
  ['hidden_size', 'n_embd', 'd_model'],
  ['intermediate_size', 'n_inner', 'ffn_dim'],
  ['num_attention_heads', 'n_head'],
  ['num_key_value_heads'],
  ['head_dim'],
  ['vocab_size'],
  ['max_position_embeddings', 'n_positions'],
  ['num_local_experts', 'n_routed_experts', 'num_experts'],
  ['num_experts_per_tok', 'moe_topk'],
  ['moe_intermediate_size'],
] as const;
export type ShapeKey = (typeof shapeKeys)[number][0];

/** What a decoder has in any case; the rest is there or not. */
const always: readonly string[] = ['num_hidden_layers', 'hidden_size', 'intermediate_size', 'num_attention_heads', 'vocab_size'];

const mark = ' *';

/** What a catalog's model might be as a config.json. Which of them says the same is for the core to judge. */
export function configsOf(entry: Entry): Group[] {
  const { layers, hidden, ffn, heads, kv_heads: kv, head_dim: width, vocab, max_seq: positions, tie_embeddings: tied, activation, norm, position, moe, name } = entry;
  const common = { _name_or_path: name + mark, vocab_size: vocab, tie_word_embeddings: tied ?? false };
  if (moe) return [];
  if ([activation, norm, position].join() === 'gelu,layernorm,learned') {
    return [{ ...common, model_type: 'gpt2', n_layer: layers, n_embd: hidden, n_inner: ffn, n_head: heads, n_positions: positions }];
  }
  if ([activation, norm, position].join() !== 'swiglu,rmsnorm,rope') return [];
  const shape = {
    ...common,
    num_hidden_layers: layers,
    hidden_size: hidden,
    intermediate_size: ffn,
    num_attention_heads: heads,
    num_key_value_heads: kv ?? heads,
    ...(width === undefined ? {} : { head_dim: width }),
    max_position_embeddings: positions,
  };
  return ['llama', 'qwen2', 'qwen3'].map((model_type) => ({ ...shape, model_type }));
}

/** To the byte and to the second. */
export const sameModel = (a: Estimate, b: Estimate): boolean =>
  a.model.parameters === b.model.parameters && a.memory.device_bytes === b.memory.device_bytes && Math.abs(a.step.seconds / b.step.seconds - 1) < 1e-9;

export interface ShapeField {
  key: ShapeKey;
  /** As this configuration calls it. */
  name: string;
  value: number | undefined;
  /** The catalog's, where another one was typed over it. */
  was?: number;
}

export function fieldsOf(config: Group, base: Group | null): ShapeField[] {
  return shapeKeys.flatMap((names) => {
    const name = names.find((one) => one in config) ?? names[0];
    const value = typeof config[name] === 'number' ? config[name] : undefined;
    if (value === undefined && !always.includes(name)) return [];
    const was = base?.[name];
    return [{ key: names[0], name, value, ...(typeof was === 'number' && was !== value ? { was } : {}) }];
  });
}

/** The catalog's model that a changed one was made from. */
export const baseOf = ({ model }: Scenario, models: Entry[] | undefined): Entry | undefined =>
  typeof model === 'string' ? models?.find(({ id }) => id === model) : models?.find(({ name }) => name + mark === model?._name_or_path);
