// What only the module with every command can tell: error messages, logs of benchmarks and training runs, configurations of other programs.
import { everything } from '../core/everything';
import type { DiagnoseAnswer } from '../core/diagnose-types';
import type { ImportedFile, Refusal } from '../core/measured-types';
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { n } from '../text/language.svelte';
import { bandWords, icons, judge, measuredWords, verdictOf } from '../tabs/measured/judged';
import { clusterAt, usualPlace } from '../tabs/measured/place';
import { summaryOf } from '../tabs/measured/summary';
import { t } from '../tabs/measured/text';
import type { Pasted } from './recognise';
import { settingsIn } from './settings';

const longestSettings = 4 * 2 ** 20;

/** Every reading that fits; none where nothing is recognised. */
export async function recogniseMore(files: File[], signal: AbortSignal): Promise<Pasted[]> {
  const [file] = files;
  const settings = files.length === 1 && file!.size <= longestSettings ? settingsIn(await file!.text(), scenario.now, signal) : [];
  return [...(await logsAmong(files, signal)), ...(await settings), ...(await errorsIn(files, signal))];
}

async function errorsIn(files: File[], signal: AbortSignal): Promise<Pasted[]> {
  const answer = (await everything.askWithFiles(
    { command: 'diagnose' },
    files.map((file) => ({ name: file.name, blob: file })),
    signal,
  )) as DiagnoseAnswer;
  if (!answer.ok) return [];
  const what = answer.kind === 'nccl' ? (answer.nccl.versions[0]?.text ?? 'NCCL') : n().bytes(answer.requests[0]!.bytes);
  return [{ kind: answer.kind === 'nccl' ? 'nccl' : 'memory', what, sections: [], files }];
}

async function logsAmong(files: File[], signal: AbortSignal): Promise<Pasted[]> {
  const answer = (await everything.askWithFiles(
    { command: 'import' },
    files.map((file) => ({ name: file.name, blob: file })),
    signal,
  )) as { ok: true; files: ImportedFile[] } | Refusal;
  const known = answer.ok ? files.filter((_, i) => answer.files[i]!.tool !== null) : [];
  const first = answer.ok && answer.files.find(({ tool }) => tool !== null);
  if (!first) return [];
  const named = [...new Set(first.runs.flatMap(({ place }) => (place.gpu && !place.cpu ? [place.gpu] : [])))];
  const gpus = await Promise.all(named.map(async (name) => (await result.entry('gpus', name))?.id ?? name));
  const more = known.length > 1 ? [`+ ${known.length - 1}`] : [];
  return [{ kind: 'log', what: [`${first.tool}: ${summaryOf(first, gpus)}`, ...more].join(' '), sections: [], files: known, judged: await judgedIn(first, known[0]!, gpus, signal) }];
}

const most_judged = 3;

/** What a log of a bandwidth benchmark is mostly pasted for. */
async function judgedIn({ runs }: ImportedFile, file: File, gpus: string[], signal: AbortSignal): Promise<Pasted['judged']> {
  if (!runs.some(({ kinds }) => kinds.collective)) return [];
  const present = result.answered;
  const groups = await judge([{ name: file.name, blob: file }], clusterAt(usualPlace(gpus, present), present), {}, signal);
  return groups.slice(0, most_judged).map((group) => ({
    verdict: verdictOf(group),
    icon: icons[verdictOf(group)],
    words: `${t(`normal.${verdictOf(group)}`)} ${measuredWords(group)}`,
    bands: group.bands.map((band) => bandWords(band, group.bands.length > 1)),
  }));
}
