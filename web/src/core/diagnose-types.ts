// What `diagnose` and `check` answer, as far as the page reads it.
import type { Refusal } from './types';

export interface Candidate {
  request: number;
  id: string;
  name: string;
  bytes: number;
  place: string;
  formula: string;
  values: Record<string, number>;
  source: string;
  unlikely: boolean;
  models?: string;
}
interface Step {
  command: string;
  why: string;
}
export interface NcclFinding {
  id: string;
  severity: 'failure' | 'slow' | 'note';
  /** Of another failure. */
  consequence: boolean;
  message: string;
  evidence: string;
  line: number | null;
  hosts: string[];
  set: { variable: string; value: string | null; why: string }[];
  source: string;
}
export interface Nccl {
  versions: { text: string }[];
  ranks: number | null;
  nodes: number | null;
  networks: { text: string }[];
  findings: NcclFinding[];
  next: Step[];
}
export interface OutOfMemory {
  ok: true;
  kind: 'out_of_memory';
  /** What the tensors were looked for in. */
  known: 'scenario' | 'model' | 'nothing';
  requests: { bytes: number; place: string; messages: number }[];
  further_messages: number;
  candidates: Candidate[];
  held: { id: string; name: string; bytes: number }[];
  findings: { id: string; message: string }[];
  nccl: Nccl | null;
}
export type Diagnosis = OutOfMemory | { ok: true; kind: 'nccl'; nccl: Nccl };
export type DiagnoseAnswer = Diagnosis | Refusal;
