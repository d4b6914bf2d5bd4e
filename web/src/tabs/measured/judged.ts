// A measured bus bandwidth beside what is normal, in words: for the tab, and for the bar that a log is pasted into.
import { everything } from '../../core/everything';
import type { Normal, Refusal } from '../../core/measured-types';
import type { Group } from '../../core/types';
import type { NamedBlob } from '../../core/with-files';
import { n } from '../../text/language.svelte';
import { t } from './text';

export type Judged = Normal['groups'][number];
type Band = Judged['bands'][number];

export const icons = { low: 'no', normal: 'yes', high: 'unsure', depends: 'unsure', unknown: 'unsure' } as const;

const gbs = (rate: number) => n().significant(rate / 1e9);

export const verdictOf = ({ verdict }: Judged) => verdict ?? 'unknown';
export const measuredWords = ({ collective, ranks, bytes, bus_bytes_per_second: rate }: Judged) =>
  `${collective}, ${t('measured.ranks', { count: n().integer(ranks) })}${t('mark.colon')}${rate === null ? '–' : n().rate(rate)}, ${n().bytes(bytes)}`;

/** What is normal; where there are several algorithms, which one, and how the measured one stands to it. */
export function bandWords({ algorithm, verdict, low, high, published_low: from, published_high: to }: Band, several: boolean): string {
  const range =
    t('normal.range', { low: gbs(low), high: gbs(high) }) +
    (from !== null && to !== null ? t('normal.published', { range: gbs(from) === gbs(to) ? gbs(from) : `${gbs(from)}–${gbs(to)}` }) : t('normal.modelled'));
  const name = algorithm === null ? '' : t(`band.${algorithm as 'ring'}`);
  return [name, several && verdict ? t(`normal.${verdict}`) : '', range].filter(Boolean).join(' ');
}

/** The groups of logs; none where the logs leave open what they were measured on. */
export async function judge(files: NamedBlob[], cluster: Group, place: object, signal: AbortSignal): Promise<Judged[]> {
  const answer = (await everything.askWithFiles({ command: 'band', cluster, place }, files, signal)) as Normal | Refusal;
  return answer.ok ? answer.groups : [];
}
