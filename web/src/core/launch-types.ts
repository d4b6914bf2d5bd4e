// What `launch`, `groups` and `batch` answer.
import type { Issue } from './types';

export interface LaunchFile {
  path: string;
  text: string;
  executable: boolean;
}
export interface LaunchSet {
  ok: true;
  target: string;
  version: string;
  files: LaunchFile[];
  commands: { where: string; text: string }[];
  warnings: Issue[];
}

export interface Stride {
  size: number;
  stride: number;
}
export interface GroupKind {
  group: string;
  purpose: string;
  size: number;
  count: number;
  links: Record<string, number>;
  pattern: { members: Stride[]; starts: Stride[] };
  ranks: number[][];
}
export interface Groups {
  ok: true;
  order: string;
  world_size: number;
  gpus_per_node: number;
  nodes: number;
  groups: GroupKind[];
}

export interface Batch {
  ok: true;
  batch: { global_batch_size: number; micro_batch_size: number; accumulation: number; data_parallel_size: number; tokens_per_step: number };
  hints: { id: string; rule: string; quantity: string; value: number | null; source: string; limits: string }[];
}
