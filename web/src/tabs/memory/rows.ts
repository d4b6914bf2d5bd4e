// The ledger of one stage in one phase: its lines in the core's order, with the three totals where they belong.
import type { Line, Stage } from '../../core/types';

export type Total = 'allocated' | 'reserved' | 'device';
export type Row = { kind: 'line'; id: string; line: Line } | { kind: 'total'; name: Total | 'needed'; bytes: number };

export const linesOf = (stage: Stage, phase: string): Line[] =>
  [...stage.lines, ...stage.other_lines].filter((line) => line.phases.includes(phase));

export const isReserve = ({ id }: Line) => id === 'allocator_reserve';
const isOverhead = ({ category }: Line) => category === 'overhead';
const sum = (of: Line[]) => of.reduce((total, { bytes }) => total + bytes, 0);

export function totalsOf(stage: Stage, phase: string): Record<Total, number> {
  const lines = linesOf(stage, phase);
  const allocated = sum(lines.filter((line) => !isOverhead(line)));
  return { allocated, reserved: allocated + sum(lines.filter(isReserve)), device: sum(lines) };
}

export function rowsOf(stage: Stage, phase: string, bySize: boolean): Row[] {
  const lines = linesOf(stage, phase);
  const totals = totalsOf(stage, phase);
  const allocated = lines.filter((line) => !isOverhead(line));
  const sorted = bySize ? [...allocated].sort((a, b) => b.bytes - a.bytes) : allocated;
  const seen = new Map<string, number>();
  const rows = (of: Line[]): Row[] => of.map((line) => ({ kind: 'line', id: numbered(line.id, seen), line }));
  return [
    ...rows(sorted),
    { kind: 'total', name: 'allocated', bytes: totals.allocated },
    ...rows(lines.filter(isReserve)),
    { kind: 'total', name: 'reserved', bytes: totals.reserved },
    ...rows(lines.filter((line) => isOverhead(line) && !isReserve(line))),
    { kind: 'total', name: 'device', bytes: totals.device },
    ...(phase === stage.peak_phase ? [{ kind: 'total', name: 'needed', bytes: stage.needed_bytes } as const] : []),
  ];
}

/** The second line of a kind is kind.2. */
function numbered(id: string, seen: Map<string, number>): string {
  const times = (seen.get(id) ?? 0) + 1;
  seen.set(id, times);
  return times === 1 ? id : `${id}.${times}`;
}
