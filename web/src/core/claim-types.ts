// What `check` answers: a claim about a training run, what follows from it, and whether that is possible.
import type { Issue } from './types';

export interface Derivation {
  formula: string;
  values: Record<string, number>;
}
/** A figure of the claim: given, or derived with its reason. */
export interface ClaimFigure extends Partial<Derivation> {
  id: string;
  given: boolean;
  value: number;
  source: string;
}
export type Judged = 'impossible' | 'contradictory' | 'extraordinary' | 'normal' | 'poor' | 'undetermined';
export interface PublishedRun {
  id: string;
  name: string;
  gpu: string;
  precision: string;
  parameters: number;
  gpus: number | null;
  sequence_length: number;
  tokens_per_second_per_gpu: number;
  mfu: number;
  source: string;
}
export interface Claim {
  ok: true;
  verdict: Judged;
  reason: string;
  model: string | null;
  figures: ClaimFigure[];
  speeds: { basis: string; tflops_per_gpu: number; mfu: number | null; verdict: Judged }[];
  contradictions: { message: string }[];
  remarks: string[];
  bounds: (Derivation & { id: string; value: number; source: string })[];
  nearest: PublishedRun[];
  best: PublishedRun | null;
  warnings: Issue[];
}
