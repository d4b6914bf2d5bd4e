// What a field offers to choose from: the core's options, yes or no, or a whole range that is short enough to list.
import type { Field } from '../core/types';
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { named, t, word } from '../text/language.svelte';

export interface Option {
  key: string;
  value: unknown;
  text: string;
  /** The present engine has no such setting. */
  barred: boolean;
}

const longest = 5;

function valuesOf(field: Field): unknown[] {
  if (field.type === 'boolean') return [true, false];
  if (field.options?.length && field.type !== 'array') return field.options;
  const [min, max] = [field.min ?? 0, field.max ?? Infinity];
  return field.type === 'integer' && max - min < longest ? Array.from({ length: max - min + 1 }, (_, i) => min + i) : [];
}

export const isChoice = (field: Field) => valuesOf(field).length > 0;

export function optionsOf(field: Field): Option[] {
  const name = field.path.split('/').pop()!;
  return valuesOf(field).map((value) => ({ key: String(value), value, text: textOf(name, value), barred: isBarred(name, value) }));
}

/** An option of its own name where one field says it differently: ZeRO 1 is "1 · optimizer states". */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'option.on' : 'option.off');
  return word(`option.${name}`, value) ?? named('option', value);
}

function isBarred(name: string, value: unknown): boolean {
  if (name !== 'zero_stage') return false;
  const chosen = scenario.get('/training/engine') ?? result.resolved('/training/engine');
  const engine = result.describe.engines.find(({ id }) => id === chosen);
  return engine !== undefined && !engine.zero_stages.includes(Number(value));
}

/** An object names its kind by what it holds: method and layers are full, modules selective. */
export function recomputeKind(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'modules' in value ? 'selective' : 'full';
}
