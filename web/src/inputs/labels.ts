// The name of a field as the page says it, from the core's path.
import { fieldOf } from '../state/pointer';
import { named } from '../text/language.svelte';

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

/** The shortest name of a field, for lists of them. */
export const shortLabelOf = (path: string) => (path === '/parallelism/sequence_parallel' ? 'SP' : (abbreviations[fieldOf(path)] ?? labelOf(path)));
