// The figures of a run of one's own: as they are typed, as they are shown.
import { parse, type Kind } from '../../numbers/parse';
import { result } from '../../state/result.svelte';
import { n } from '../../text/language.svelte';
import type { MeasuredFigures } from './given.svelte';
import type { t } from './text';

type Words = Parameters<typeof t>[0];
export interface Asked {
  key: keyof MeasuredFigures | 'tokens_per_second';
  label: Words;
  kind: Kind;
  /** What one of the shown unit counts. */
  per: number;
  unit: string;
  what: Words;
  example: string;
}

const gibibyte = 2 ** 30;
const size = { kind: 'bytes', per: gibibyte, unit: 'GiB', what: 'measured.own_size', example: '61.3, 61.3 GiB, 65 GB' } as const;
export const asked: Asked[] = [
  { key: 'step_seconds', label: 'measured.own_step', kind: 'seconds', per: 1, unit: 's', what: 'measured.own_time', example: '4.2, 850 ms' },
  { key: 'tokens_per_second', label: 'measured.own_tokens', kind: 'count', per: 1, unit: '', what: 'measured.own_rate', example: '520k, 1.2M' },
  { key: 'allocated_bytes', label: 'measured.own_allocated', ...size },
  { key: 'reserved_bytes', label: 'measured.own_reserved', ...size },
  { key: 'device_bytes', label: 'measured.own_device', ...size },
];

export const readFigure = ({ kind, per }: Asked, text: string): number | null => {
  const value = parse(text, kind, per);
  return value !== null && value > 0 ? value : null;
};

/** Tokens per second become the step that they take: the core compares steps. */
export function figuresFrom(values: Partial<Record<Asked['key'], number>>): MeasuredFigures {
  const { tokens_per_second: rate, ...figures } = values;
  if (rate === undefined || figures.step_seconds !== undefined) return figures;
  const { step, scenario } = result.estimate;
  return { ...figures, step_seconds: (step.tokens_per_second_per_gpu * step.seconds * Number(scenario.cluster.gpus)) / rate };
}

export const figuresOf = ({ step_seconds: seconds, ...bytes }: MeasuredFigures): string =>
  [seconds === undefined ? '' : n().join(n().duration(seconds)), ...Object.values(bytes).map((value) => `${n().gib(value, 1)} GiB`)].filter(Boolean).join(' · ');
