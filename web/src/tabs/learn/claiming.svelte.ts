// The claim that is checked, as it is typed, and what the core says of it.
import type { Claim } from '../../core/claim-types';
import { everything } from '../../core/everything';
import type { Refusal, Scenario } from '../../core/types';
import { parse, type Kind } from '../../numbers/parse';
import { Latest } from '../../state/latest.svelte';
import { result } from '../../state/result.svelte';
import { n } from '../../text/language.svelte';
import { claimIn } from './claim-words';

interface Amount {
  key: 'parameters' | 'tokens' | 'gpus' | 'days' | 'mfu' | 'tflops_per_gpu';
  kind: Kind;
  /** What a bare number counts in, and what the core counts in. */
  per: number;
  unit: string;
}
export const amounts: Amount[] = [
  { key: 'parameters', kind: 'count', per: 1, unit: '' },
  { key: 'tokens', kind: 'count', per: 1, unit: '' },
  { key: 'gpus', kind: 'count', per: 1, unit: 'GPU' },
  { key: 'days', kind: 'seconds', per: 86_400, unit: '' },
  { key: 'mfu', kind: 'count', per: 1, unit: '%' },
  { key: 'tflops_per_gpu', kind: 'count', per: 1, unit: 'TFLOP/s' },
];
export type Key = Amount['key'];

/** undefined: left empty; null: cannot be read. */
export function readAmount(key: Key, text: string): number | null | undefined {
  if (text.trim() === '') return undefined;
  const { kind, per } = amounts.find((amount) => amount.key === key)!;
  if (key === 'mfu') return percentIn(text);
  const read = (typed: string) => parse(typed.replace(/\s*(?:gpus?|cards?|张|块|卡|tflops?|tflop\/s)$/i, ''), kind, per);
  const value = read(text) ?? read(claimIn(text)[key] ?? '');
  return value === null ? null : value / per;
}

const percentIn = (text: string) => {
  const value = parse(text.replace(/\s*%$/, ''), 'count');
  return value === null ? null : value / 100;
};

const quiet = 120;

class Claiming {
  /** What an empty page would ask nobody to think up: LLaMA-65B in 21 days on 128 A100, as one textbook has it. */
  texts = $state<Record<Key, string>>({ parameters: '65B', tokens: '1.4T', gpus: '128', days: '21 days', mfu: '', tflops_per_gpu: '' });
  gpu = $state('a100-sxm-80gb');
  /** Of the present scenario: attention is counted by its shape. */
  model = $state.raw<{ model: Scenario['model']; sequence_length: number; name: string } | null>(null);
  answer = new Latest<Claim | Refusal>();
  /** How often it was opened from elsewhere on the page. */
  opened = $state(0);

  wrong = $derived(amounts.filter(({ key }) => readAmount(key, this.texts[key]) === null).map(({ key }) => key));
  request = $derived({
    command: 'check',
    ...Object.fromEntries(amounts.flatMap(({ key }) => {
      const value = key === 'parameters' && this.model ? undefined : readAmount(key, this.texts[key]);
      return value === undefined || value === null ? [] : [[key, value]];
    })),
    ...(this.gpu ? { gpu: this.gpu } : {}),
    ...(this.model ? { model: this.model.model, sequence_length: this.model.sequence_length } : {}),
  });

  /** The whole of it in one sentence; what the sentence leaves out is left open. */
  say(text: string): boolean {
    const { gpu, ...amounts } = claimIn(text, result.catalog.gpus ?? []);
    if (Object.keys(amounts).length === 0) return false;
    this.model = null;
    this.texts = { parameters: '', tokens: '', gpus: '', days: '', mfu: '', tflops_per_gpu: '', ...amounts };
    if (gpu) this.gpu = gpu;
    return true;
  }

  /** Called in an effect. */
  follow(shown: boolean): (() => void) | undefined {
    const request = this.request;
    if (!shown || !result.ready) return undefined;
    const timer = setTimeout(() => void this.answer.run(async (signal) => (await everything.ask(request, signal)) as Claim | Refusal), quiet);
    return () => clearTimeout(timer);
  }

  takePresent(name: string): void {
    const { scenario, step, run, model } = result.estimate;
    const tokens = scenario.training.tokens;
    this.texts = {
      parameters: n().compact(model.parameters),
      tokens: typeof tokens === 'number' ? n().compact(tokens) : '',
      gpus: String(scenario.cluster.gpus),
      days: run?.days ? `${n().significant(run.days, 4)} d` : '',
      mfu: run?.days ? '' : n().percent(step.mfu, 1),
      tflops_per_gpu: '',
    };
    this.gpu = result.gpuOf(result.answered) ?? '';
    this.model = { model: result.answered.model, sequence_length: Number(scenario.training.sequence_length), name };
  }
}

export const claiming = new Claiming();
