// The two lines that always show their arithmetic: degrees make the world, micro-batches make the global batch.
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { n, t } from '../text/language.svelte';

export interface Identity {
  text: string;
  /** Unread: a term is no count, and its field says so. */
  state: 'right' | 'wrong' | 'unread';
}

const largest = 1e9;
const data = '/parallelism/data_parallel_size';
const typedOver = () => scenario.get(data) !== undefined;
const product = (of: number[]) => of.reduce((a, b) => a * b, 1);
const shown = (of: number[]) => of.map((degree) => n().integer(degree)).join(' × ');

/** Not a number unless the field holds a count. */
function count(path: string): number {
  const value = scenario.get(path) ?? result.resolved(path) ?? 1;
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest ? value : NaN;
}
const others = () => ['tensor', 'pipeline', 'context'].map((name) => count(`/parallelism/${name}_parallel_size`));
/** Worked out here, too: the core reports it only with a valid answer. */
const dataDegree = () => (typedOver() ? count(data) : count('/cluster/gpus') / product(others()));

export function layoutIdentity(): Identity {
  const gpus = count('/cluster/gpus');
  const degrees = [...others(), dataDegree()];
  if (!Number.isFinite(product(degrees))) return { text: t('layout.unread'), state: 'unread' };
  const values = { product: shown(degrees), total: n().integer(product(degrees)), gpus: n().integer(gpus) };
  if (!Number.isInteger(dataDegree())) return { text: t('layout.no_data', { ...values, product: shown(others()) }), state: 'wrong' };
  return product(degrees) === gpus ? { text: t('layout.identity', values), state: 'right' } : { text: t('layout.mismatch', values), state: 'wrong' };
}

export function batchIdentity(): Identity {
  const [global, micro, sequence] = ['global_batch_size', 'micro_batch_size', 'sequence_length'].map((name) => count(`/training/${name}`)) as [number, number, number];
  const rounds = global / micro / dataDegree();
  if (!Number.isFinite(rounds * sequence) || !Number.isInteger(dataDegree())) return { text: t('recipe.unread'), state: 'unread' };
  return {
    text: t('recipe.identity', {
      global: n().integer(global),
      micro: n().integer(micro),
      rounds: Number.isInteger(rounds) ? n().integer(rounds) : n().significant(rounds, 4),
      data: n().integer(dataDegree()),
      tokens: n().count(global * sequence),
    }),
    state: Number.isInteger(rounds) ? 'right' : 'wrong',
  };
}
