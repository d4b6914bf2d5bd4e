// What the core answers, as the page reads it. Bytes, seconds and FLOPs are plain numbers in these units.
export interface Issue {
  path: string;
  message: string;
}

/** A scenario holds only what was set; the core fills in the rest and reports it back. */
export type Group = Record<string, unknown>;
export interface Scenario {
  model?: string | Group;
  cluster?: Group;
  parallelism?: Group;
  training?: Group;
}

export interface Line {
  id: string;
  name: string;
  category: string;
  bytes: number;
  formula: string;
  values: Record<string, number>;
  source: string;
  phases: string[];
}

export interface Stage {
  stage: number;
  layers: number;
  peak_bytes: number;
  allocated_bytes: number;
  reserved_bytes: number;
  device_bytes: number;
  needed_bytes: number;
  peak_phase: string;
  phases: Record<string, number>;
  lines: Line[];
  other_lines: Line[];
}

export interface Transfer {
  id: string;
  collective: string;
  group: string;
  group_size: number;
  spans_nodes: boolean;
  dtype: string;
  bytes: number;
  count_per_step: number;
  seconds: number;
  exposed_seconds: number;
  algorithm: string | null;
  protocol: string | null;
  channels: number | null;
  message_seconds: number;
  latency_seconds: number;
  transfer_seconds: number;
  bound_by: string;
  first_stage: number;
  last_stage: number;
  source: string;
}

export interface Step {
  seconds: number;
  low_seconds: number;
  high_seconds: number;
  tokens_per_second_per_gpu: number;
  model_tflops_per_gpu: number;
  mfu: number;
  mfu_full: number;
  hfu: number;
  slowest_stage: number;
  breakdown: Record<string, number>;
}

/** Days and what follows from them are null where the job would never end. */
export interface Run {
  days: number | null;
  gpu_hours: number | null;
  cost: number | null;
  energy_kwh: number | null;
  goodput: number;
  interruptions: number;
  mtbf_hours: number;
  /** How the run follows from the step. */
  figures: { id: string; value: number; unit: string; formula: string; values: Record<string, number>; source: string }[];
}

/** One message by itself. */
export interface Message {
  bytes: number;
  busbw_bytes_per_second: number;
  low_seconds: number;
  high_seconds: number;
  message_seconds: number;
  algorithm: string | null;
  protocol: string | null;
  bound_by: string;
}
export interface Work {
  flops: number;
  bytes: number;
  seconds: number;
}
export interface Operation {
  id: string;
  kind: 'gemm' | 'grouped_gemm' | 'attention' | 'memory_bound';
  forward: Work;
  backward: Work;
}
export interface Roofline {
  peak_flops_per_second: number;
  memory_bytes_per_second: number;
  parts: { part: string; layers: number; operations: Operation[] }[];
}
/** A closer look at a step. */
export interface Detail {
  roofline: Roofline;
  /** Of each transfer, in the order of the traffic. */
  messages: (Message & { id: string })[];
}
/** A transfer over message sizes. */
export interface Curve {
  id: string;
  collective: string;
  group: string;
  ranks: number;
  ranks_per_node: number;
  message: Message;
  points: Message[];
  alternatives: { algorithm: string; protocol: string; over_choice: number[] }[];
}

export interface Estimate {
  ok: true;
  scenario: Required<Pick<Scenario, 'cluster' | 'parallelism' | 'training'>> & { model: string | Group };
  model: { parameters: number; active_parameters: number };
  fits: boolean;
  fit_probability: number;
  memory: {
    allocated_bytes: number;
    reserved_bytes: number;
    device_bytes: number;
    /** Cached blocks given back: what the verdict, its range and its probability are about. */
    needed_bytes: number;
    needed_low_bytes: number;
    needed_high_bytes: number;
    capacity_bytes: number;
    /** Of states that were moved out of the GPUs. */
    host_bytes_per_node: number;
    /** Of the fullest stage, in moments that are no part of a usual step. */
    other_phases: Record<'first_step' | 'evaluation' | 'save' | 'resume', number>;
    binding: { stage: number; phase: string };
    stages: Stage[];
  };
  flops: { model_flops_per_step: number; hardware_flops_per_step: number };
  traffic: Transfer[];
  step: Step;
  run: Run | null;
  warnings: Issue[];
}

/** A change that saves bytes or time, estimated by itself. */
export interface Change {
  id: string;
  set: Record<string, unknown>;
  needed_bytes: number;
  fits: boolean;
  step_seconds: number;
  /** Of the time for the same tokens on a GPU. */
  saved_time: number;
}

export interface Refusal {
  ok: false;
  issues: Issue[];
}

/** One input as the core describes it. */
export interface Field {
  path: string;
  label_key: string;
  type: 'integer' | 'number' | 'boolean' | 'enum' | 'string' | 'array' | 'object';
  unit?: string | null;
  min?: number | null;
  max?: number | null;
  options?: (string | number)[] | null;
  default?: unknown;
  help?: string | null;
}

export interface Describe {
  fields: Field[];
  parts: string[];
  categories: string[];
  phases: string[];
  engines: { id: string; name: string; version: string; zero_stages: number[] }[];
}

/** A row of the catalog: only what the page shows. */
export interface Entry {
  id: string;
  name: string;
  [key: string]: unknown;
}
export type CatalogKind = 'models' | 'gpus' | 'systems';

/** What the page is built with: the default scenario answered, so that figures are there before the core is. */
export interface Boot {
  scenario: Scenario;
  describe: Describe;
  estimate: Estimate;
  defaults: Record<string, unknown>;
  model?: Entry;
  system?: Entry;
}
