// The name of a field and of its values as the page says them, from the core's path.
import type { Fix } from '../core/fix';
import type { Field } from '../core/types';
import { help } from '../state/help.svelte';
import { fieldOf } from '../state/pointer';
import { language, n, named, t } from '../text/language.svelte';

/** /training/precision is field.precision; a path without a name of its own shows itself. */
export function labelOf(path: string): string {
  if (path.startsWith('/model')) return named('field', 'model');
  const keys = path.split('/').filter((key) => key && !/^\d+$/.test(key));
  return named('field', keys.pop() ?? path);
}

/** The two to three letters that people and flags use for a degree. */
export const abbreviations: Record<string, string> = {
  '/parallelism/tensor_parallel_size': 'TP',
  '/parallelism/pipeline_parallel_size': 'PP',
  '/parallelism/context_parallel_size': 'CP',
  '/parallelism/data_parallel_size': 'DP',
  '/parallelism/virtual_pipeline_size': 'VPP',
  '/parallelism/expert_parallel_size': 'EP',
};
const shorter: Record<string, string> = {
  ...abbreviations,
  '/parallelism/expert_tensor_parallel_size': 'ETP',
  '/parallelism/sequence_parallel': 'SP',
};

/** The shortest name of a field, for lists of them. */
export const shortLabelOf = (path: string) => shorter[fieldOf(path)] ?? labelOf(path);

/** One sentence on what a field means; the core's, in the language of the page. */
export const helpOf = (field: Field | undefined): string | undefined => field && (language.core?.help ?? help.texts)[field.path];

export function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'option.on' : 'option.off');
  return typeof value === 'number' ? n().integer(value) : named('option', value);
}

export const settingWords = ({ path, value }: Fix) => t('fix.setting', { field: shortLabelOf(path), value: valueWords(value) });
