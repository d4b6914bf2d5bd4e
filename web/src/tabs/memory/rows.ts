// The ledger of one stage in one phase: its lines in the core's order, with the three totals where they belong.
import type { Line, Stage } from '../../core/types';

export type Row = { kind: 'line'; id: string; line: Line } | { kind: 'total'; name: 'allocated' | 'reserved' | 'device'; bytes: number };

export const linesOf = (stage: Stage, phase: string): Line[] =>
  [...stage.lines, ...stage.other_lines].filter((line) => line.phases.includes(phase));

export function rowsOf(stage: Stage, phase: string, bySize: boolean): Row[] {
  const lines = linesOf(stage, phase);
  const reserve = lines.filter(({ id }) => id === 'allocator_reserve');
  const outside = lines.filter((line) => line.category === 'overhead' && !reserve.includes(line));
  const allocated = lines.filter((line) => line.category !== 'overhead');
  const sorted = bySize ? [...allocated].sort((a, b) => b.bytes - a.bytes) : allocated;
  const sum = (of: Line[]) => of.reduce((total, { bytes }) => total + bytes, 0);
  const seen = new Map<string, number>();
  const rows = (of: Line[]): Row[] => of.map((line) => ({ kind: 'line', id: numbered(line.id, seen), line }));
  return [
    ...rows(sorted),
    { kind: 'total', name: 'allocated', bytes: sum(allocated) },
    ...rows(reserve),
    { kind: 'total', name: 'reserved', bytes: sum(allocated) + sum(reserve) },
    ...rows(outside),
    { kind: 'total', name: 'device', bytes: sum(lines) },
  ];
}

/** The second line of a kind is kind.2. */
function numbered(id: string, seen: Map<string, number>): string {
  const times = (seen.get(id) ?? 0) + 1;
  seen.set(id, times);
  return times === 1 ? id : `${id}.${times}`;
}
