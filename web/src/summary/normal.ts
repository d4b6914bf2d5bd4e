// Published runs near this one: the same GPU and number format, model within a factor of two, scale within eight.
import list from '../../../core/catalog/published.json';
import type { Estimate } from '../core/types';

interface Published {
  id: string;
  name: string;
  gpu: string;
  precision: string;
  parameters_b: number;
  active_b: number;
  /** 0: not said. */
  gpus: number;
  mfu_causal: number;
  source: string;
}
export interface Normal {
  low: number;
  high: number;
  /** The nearest in size and scale. */
  nearest: Published[];
  verdict: 'yes' | 'low' | 'high';
}

const { sources, entries } = list as unknown as { sources: Record<string, string>; entries: Published[] };
const within = (a: number, b: number, factor: number) => a <= b * factor && b <= a * factor;
const named = 2;
/** What the step's own range allows for. */
const slack = 0.1;

export const sourceOf = ({ source }: Published) => source.replace(/^\{(\w+)\}/, (_, key: string) => sources[key] ?? key);

export function normalOf(estimate: Estimate, gpu: string | undefined): Normal | null {
  const { model, scenario, step } = estimate;
  const gpus = Number(scenario.cluster.gpus);
  const precision = String(scenario.training.precision);
  const alike = entries.filter(
    (run) =>
      run.gpu === gpu &&
      run.precision === precision &&
      run.mfu_causal > 0 &&
      within(run.parameters_b * 1e9, model.parameters, 2) &&
      within(run.active_b * 1e9, model.active_parameters, 2) &&
      (run.gpus === 0 || within(run.gpus, gpus, 8)),
  );
  if (alike.length === 0) return null;
  const away = (run: Published) => Math.abs(Math.log((run.parameters_b * 1e9) / model.parameters)) + Math.abs(Math.log((run.gpus || gpus) / gpus)) / 4;
  const mfus = alike.map(({ mfu_causal }) => mfu_causal);
  const [low, high] = [Math.min(...mfus), Math.max(...mfus)];
  const verdict = step.mfu < low * (1 - slack) ? 'low' : step.mfu > high * (1 + slack) ? 'high' : 'yes';
  return { low, high, nearest: [...alike].sort((a, b) => away(a) - away(b)).slice(0, named), verdict };
}
