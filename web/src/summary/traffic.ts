// Traffic of one stage, gathered by collective, group and size: what differs only in when it happens is one row.
import type { Estimate, Transfer } from '../core/types';

export interface TrafficRow {
  key: string;
  /** Place of its first transfer in the estimate's traffic. */
  index: number;
  collective: string;
  group: string;
  groupSize: number;
  spansNodes: boolean;
  dtype: string;
  bytes: number;
  calls: number;
  seconds: number;
  exposed: number;
  sources: string[];
}

const keyOf = (transfer: Transfer) =>
  [transfer.collective, transfer.group, transfer.group_size, transfer.dtype, transfer.bytes, transfer.spans_nodes].join(' ');

export function trafficOf({ traffic }: Estimate, stage: number): TrafficRow[] {
  const rows = new Map<string, TrafficRow>();
  for (const [index, transfer] of traffic.entries()) {
    if (transfer.first_stage > stage || stage > transfer.last_stage) continue;
    const key = keyOf(transfer);
    const row = rows.get(key) ?? emptyRow(key, index, transfer);
    row.calls += transfer.count_per_step;
    row.seconds += transfer.seconds;
    row.exposed += transfer.exposed_seconds;
    if (!row.sources.includes(transfer.source)) row.sources.push(transfer.source);
    rows.set(key, row);
  }
  return [...rows.values()];
}

const emptyRow = (key: string, index: number, transfer: Transfer): TrafficRow => ({
  key,
  index,
  collective: transfer.collective,
  group: transfer.group,
  groupSize: transfer.group_size,
  spansNodes: transfer.spans_nodes,
  dtype: transfer.dtype,
  bytes: transfer.bytes,
  calls: 0,
  seconds: 0,
  exposed: 0,
  sources: [],
});

export const sumOf = (rows: TrafficRow[], key: 'seconds' | 'exposed') => rows.reduce((total, row) => total + row[key], 0);
