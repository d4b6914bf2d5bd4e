// A file in a line: "all_reduce · 8 ranks · H100 SXM5 80GB · 1 KiB to 8 GiB · 48 measurements".
import type { ImportedFile } from '../../core/measured-types';
import { n } from '../../text/language.svelte';
import { gpuName } from './place';
import { t } from './text';

export function summaryOf({ runs }: ImportedFile, gpus: string[]): string {
  const operations = [...new Set(runs.flatMap(({ operations: names }) => names))];
  const sizes = runs.flatMap(({ sizes: range }) => range ?? []);
  const rows = runs.reduce((sum, { kinds }) => sum + Object.values(kinds).reduce((all, count) => all + count, 0), 0);
  const { ranks, ranks_per_node: node } = runs[0]?.place ?? {};
  return [
    operations.join(', '),
    ranks ? (node && node < ranks ? t('measured.ranks_in_nodes', { count: n().integer(ranks), node }) : t('measured.ranks', { count: n().integer(ranks) })) : '',
    gpus.map(gpuName).join(', '),
    sizes.length > 0 ? t('measured.sizes', { first: n().bytes(Math.min(...sizes)), last: n().bytes(Math.max(...sizes)) }) : '',
    runs.length > 1 ? t('measured.runs', { count: n().integer(runs.length) }) : '',
    t('measured.rows', { count: n().integer(rows) }),
  ]
    .filter(Boolean)
    .join(' · ');
}
