// The two lines that always show their arithmetic: degrees make the world, micro-batches make the global batch.
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { n, t } from '../text/language.svelte';

export interface Identity {
  text: string;
  right: boolean;
}

const shown = (path: string) => String(scenario.get(path) ?? result.resolved(path) ?? 1);
const number = (path: string) => Number(scenario.get(path) ?? result.resolved(path) ?? 1);

export function layoutIdentity(): Identity {
  const names = ['tensor', 'pipeline', 'context', 'data'];
  const degrees = names.map((name) => number(`/parallelism/${name}_parallel_size`));
  const gpus = number('/cluster/gpus');
  const product = degrees.reduce((a, b) => a * b, 1);
  if (!Number.isFinite(product)) return { text: names.map((name) => shown(`/parallelism/${name}_parallel_size`)).join(' × '), right: false };
  const right = product === gpus;
  const values = { product: degrees.map((d) => n().integer(d)).join(' × '), total: n().integer(product), gpus: n().integer(gpus) };
  const derived = scenario.get('/parallelism/data_parallel_size') === undefined;
  if (!right && derived) {
    const others = degrees.slice(0, 3);
    return { text: t('layout.no_data', { ...values, product: others.join(' × ') }), right };
  }
  return { text: t(right ? 'layout.identity' : 'layout.mismatch', values), right };
}

/** Micro-batches before an update, by the sizes that make the global batch. */
export function accumulation(): number {
  return number('/training/global_batch_size') / number('/training/micro_batch_size') / number('/parallelism/data_parallel_size');
}

export function batchIdentity(): Identity {
  const rounds = accumulation();
  const global = number('/training/global_batch_size');
  return {
    text: t(Number.isFinite(rounds) ? 'recipe.identity' : 'recipe.unread', {
      global: n().integer(global),
      micro: n().integer(number('/training/micro_batch_size')),
      rounds: Number.isInteger(rounds) ? n().integer(rounds) : n().significant(rounds, 4),
      data: n().integer(number('/parallelism/data_parallel_size')),
      tokens: n().count(global * number('/training/sequence_length')),
    }),
    right: Number.isInteger(rounds),
  };
}
