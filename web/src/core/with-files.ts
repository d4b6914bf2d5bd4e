// Files handed to the core as they are, in the worker: nothing of their length passes through the page.
import type { Core } from 'meshgauge';
import type { ImportAnswer, ImportedFile, Imported, Kind, Refusal } from './measured-types';

export interface Request {
  command: string;
  [key: string]: unknown;
}
export interface NamedBlob {
  name: string;
  blob: Blob;
}

export async function askWithFiles(core: Core, request: Request, files: NamedBlob[]): Promise<unknown> {
  const named = await Promise.all(files.map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) })));
  const answer = JSON.parse(core.apiTextWithFiles(JSON.stringify(request), named)) as { ok: boolean };
  return request.command === 'import' ? withoutRows(answer as ImportAnswer | Refusal) : answer;
}

/** A log holds up to a hundred thousand measurements: of each run the page is told what they are of. */
function withoutRows(answer: ImportAnswer | Refusal): { ok: true; files: ImportedFile[] } | Refusal {
  return answer.ok ? { ok: true, files: answer.files.map((file) => ({ ...file, runs: file.runs.map(summaryOf) })) } : answer;
}

function summaryOf({ measurements, ...run }: ImportAnswer['files'][number]['runs'][number]): Imported {
  const kinds: Partial<Record<Kind, number>> = {};
  const operations = new Set<string>();
  let [first, last] = [Infinity, 0];
  for (const { kind, operation, op, bytes } of measurements) {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    const what = operation ?? op;
    if (what) operations.add(what);
    if (bytes !== undefined) [first, last] = [Math.min(first, bytes), Math.max(last, bytes)];
  }
  return { ...run, kinds, operations: [...operations], ...(last > 0 ? { sizes: [first, last] } : {}) };
}
