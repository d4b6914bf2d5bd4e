// What `plan` and `solve` answer, as far as the page reads it.
import type { Issue, Scenario } from './types';

export interface Layout {
  cluster?: { gpus?: number };
  parallelism: Record<string, unknown>;
  training: Record<string, unknown>;
}

export interface Planned {
  layout: string;
  fits: boolean;
  fit_probability: number;
  step_seconds: number;
  low_seconds: number;
  high_seconds: number;
  mfu: number;
  tokens_per_dollar: number | null;
  tokens_per_gpu_hour: number;
  needed_bytes: number;
  capacity_bytes: number;
  /** Where and of what the fullest GPU holds most. */
  binding: { stage: number; phase: string; line?: string; line_name?: string; line_bytes?: number };
  breakdown: Record<string, number>;
  /** Not of a model that no document names. */
  scenario?: Scenario & Layout;
}

export interface Point {
  layout: string;
  fits: boolean;
  step_seconds: number;
  needed_bytes: number;
  set: Layout;
}

export interface Decision {
  id: string;
  fits: boolean;
  device_bytes?: number;
  step_seconds?: number;
  layout?: string;
}

export interface Plan {
  ok: true;
  fits: boolean;
  plans: Planned[];
  frontier: Point[];
  excluded: { rule: string; text: string; count: number; nearest: Issue }[];
  reasons: {
    decision: Decision[];
    misses: { layout: string; step_seconds: number; lacking_bytes: number }[];
    sensitivity?: { id: string; gain: number; step_seconds?: number; global_batch_size?: number }[];
  };
  search: { grids: number; grids_excluded_by_bound: number; layouts_evaluated: number; layouts_that_fit: number };
}

/** What a slice of a search has found so far. */
export interface Part {
  ok: true;
  complete: boolean;
  /** Of the grids, those that need no further look. */
  decided: number;
  found: { best: { closed_form_seconds: number }[]; counts: { grids: number; evaluated: number } };
}

export interface Solution {
  ok: true;
  for: string;
  solved: boolean;
  field: string;
  fit_probability: number;
  unit: number;
  answer: { value: number; parameters?: number; days?: number; model_positions?: number; plan?: Planned } | null;
  next: { value: number; reason: string } | null;
  values_tried: number;
}
