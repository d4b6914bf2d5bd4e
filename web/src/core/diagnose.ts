// Asks the core what an error message or a log of NCCL means: of the present job where it can be, else of any model.
import type { DiagnoseAnswer } from './diagnose-types';
import { everything } from './everything';
import type { Scenario } from './types';

/** Names of models round their size: Qwen2.5-7B has 7.6 B parameters, Llama 2 7B 6.7 B. */
const rounding = 1.12;
const longestHead = 100_000;

export const alike = (a: number, b: number) => Math.max(a / b, b / a) < rounding;

/** The size of the model that the text speaks of: "7B model", "llama-2-70b-hf". */
export function statedSize(text: string): number | undefined {
  const found = /(?:^|[^\w.])(\d+(?:\.\d+)?)b(?![\w/])/i.exec(text.slice(0, longestHead));
  return found ? Number(found[1]) * 1e9 : undefined;
}

/** Bytes of an element with which a tensor of so many bytes is the whole model. */
export const wholeModel = (bytes: number, parameters: number): 4 | 2 | undefined => ([4, 2] as const).find((width) => alike(bytes / width, parameters));

/** The model that somebody has said it was: one of the catalog, or that of the scenario. */
export type NamedModel = { id: string } | 'present' | undefined;

/** `parameters`: of the scenario, which says nothing of a model of another size. */
export async function diagnose(files: File[], scenario: Scenario, parameters: number, named: NamedModel, signal?: AbortSignal): Promise<DiagnoseAnswer> {
  const texts = files.map((file) => ({ name: file.name, blob: file }));
  const ask = (about: object) => everything.askWithFiles({ command: 'diagnose', ...about }, texts, signal) as Promise<DiagnoseAnswer>;
  if (named === 'present') return ask({ scenario });
  if (named) return ask({ scenario: { model: named.id } });
  const stated = statedSize(await files[0]!.slice(0, longestHead).text());
  if (stated !== undefined && !alike(stated, parameters)) return ask({});
  const answer = await ask({ scenario });
  if (!answer.ok) return ask({});
  if (answer.kind === 'nccl' || answer.candidates.length > 0) return answer;
  const any = await ask({});
  return any.ok && any.kind === 'out_of_memory' ? any : answer;
}
