// What `import` and `calibrate` answer, as far as the page reads it. Bytes and seconds are plain numbers.
import type { Refusal } from './types';

export type { Refusal };

export type Kind = 'collective' | 'kernel' | 'link' | 'step';

export interface Place {
  gpu?: string;
  library?: string;
  ranks?: number;
  ranks_per_node?: number;
  gpus_per_node?: number;
  cpu?: boolean;
}

interface Run {
  tool: string;
  first_line: number;
  place: Place;
  questions: string[];
  notes: string[];
}
interface File<R> {
  name: string;
  tool: string | null;
  runs: R[];
  unread: { line: number; text: string; reason: string }[];
  unread_left_out: number;
  measurements_left_out: number;
}

export interface ImportAnswer {
  ok: true;
  files: File<Run & { measurements: { kind: Kind; operation?: string; op?: string; bytes?: number }[] }>[];
}

/** A run without its rows. */
export interface Imported extends Run {
  kinds: Partial<Record<Kind, number>>;
  operations: string[];
  /** Smallest and largest message. */
  sizes?: [number, number];
}
export type ImportedFile = File<Imported>;

/** Absolute relative errors. */
export interface Errors {
  n: number;
  median: number;
  p90: number;
}

export interface Curve {
  collective: string;
  ranks: number;
  ranks_per_node: number;
  spans_nodes: boolean;
  verdict: 'fitted' | 'too_few_sizes' | 'slow' | 'no_better';
  measurements: number;
  sizes: number;
  first_bytes: number;
  last_bytes: number;
  share_of_default_bandwidth: number;
  before: Errors | null;
  after: Errors | null;
  held_out: Errors | null;
  regimes?: {
    first_bytes: number;
    last_bytes: number;
    latency_seconds: number;
    latency_sigma_seconds: number;
    bandwidth_bytes_per_second: number | null;
    bandwidth_sigma_bytes_per_second: number | null;
  }[];
  points?: { bytes: number; measured: number; before: number; after: number; outlier: boolean }[];
}

export interface Parameter {
  field: string;
  before: number;
  after: number;
  relative_sigma: number;
}

interface Compared {
  id: string;
  measured: number;
  before: number;
  after: number;
}
export interface Term {
  field: string;
  term: string;
  factor: number;
  enough: boolean;
  plausible: boolean;
  plausible_low: number;
  plausible_high: number;
  share_of_step: number;
}
export interface Feedback {
  id: string;
  step?: Compared & { terms: Term[] };
  memory?: Partial<
    Record<
      'allocated' | 'reserved' | 'device',
      { measured: number; before: number; after: number; lines: { id: string; name: string; category: string; bytes: number; factor: number; plausible: boolean }[] }
    >
  >;
}

/** What stands in a profile for people: where its numbers come from. */
export interface Origin {
  cluster: { system?: string; gpu?: string; gpus?: number; gpus_per_node?: number };
  files: { file: string; tool: string; measurements: number }[];
  collectives?: Curve[];
}
/** The core reads the rest. */
export interface Profile {
  schema_version: number;
  name: string;
  fitted_from?: Origin;
  [key: string]: unknown;
}

export interface Calibration {
  ok: true;
  profile: Profile;
  files: { file: string; tool: string; measurements: number; notes: string[] }[];
  left_out: string[];
  collectives: Curve[];
  products: { before: Errors | null; after: Errors | null; held_out: Errors | null };
  steps: { fitted: boolean; before: Errors | null; after: Errors | null; rows: Compared[] };
  parameters: Parameter[];
  runs: Feedback[];
  advice: { message: string; command: string | null }[];
}

/** Bus bandwidths of a log beside what is normal, each group at its largest size. */
export interface Normal {
  ok: true;
  groups: {
    name: string | null;
    line: number | null;
    collective: string;
    ranks: number;
    ranks_per_node: number;
    bytes: number;
    bus_bytes_per_second: number | null;
    verdict: 'low' | 'normal' | 'high' | 'depends' | 'unknown' | null;
    bands: {
      algorithm: string | null;
      verdict: 'low' | 'normal' | 'high' | null;
      low: number;
      high: number;
      published_low: number | null;
      published_high: number | null;
      published: { id: string; source: string }[];
    }[];
    causes: { id: string; message: string; command: string; source: string }[];
  }[];
}
