// Two answers side by side, line by line: largest difference first, equal lines apart.
import type { Estimate, Line } from '../../core/types';
import { cacheOf } from '../../summary/needs';
import { isReserve, linesOf } from '../memory/rows';

export interface Difference {
  id: string;
  name: string;
  a: number;
  b: number;
}
export interface Differences {
  lines: Difference[];
  equal: number;
  largest: number;
}

function sorted(lines: Difference[], least: number): Differences {
  const apart = ({ a, b }: Difference) => Math.abs(b - a);
  const differing = lines.filter((line) => apart(line) >= least).sort((x, y) => apart(y) - apart(x));
  return { lines: differing, equal: lines.length - differing.length, largest: Math.max(...differing.map(apart), 0) };
}

function joined(a: Map<string, [string, number]>, b: Map<string, [string, number]>): Difference[] {
  return [...new Set([...a.keys(), ...b.keys()])].map((id) => ({ id, name: (a.get(id) ?? b.get(id))![0], a: a.get(id)?.[1] ?? 0, b: b.get(id)?.[1] ?? 0 }));
}

/** What the fullest stage needs at its peak, line by line; lines of one kind are one. */
export function memoryDifferences(a: Estimate, b: Estimate, nameOf: (line: Line) => string): Differences {
  const gather = ({ memory: { stages, binding } }: Estimate) => {
    const sums = new Map<string, [string, number]>();
    const stage = stages[binding.stage]!;
    for (const line of linesOf(stage, binding.phase)) {
      const needed = isReserve(line) ? line.bytes - cacheOf(stage) : line.bytes;
      sums.set(line.id, [nameOf(line), (sums.get(line.id)?.[1] ?? 0) + needed]);
    }
    return sums;
  };
  const smallest = 2 ** 30 / 200; // shows as 0.00 GiB
  return sorted(joined(gather(a), gather(b)), smallest);
}

export interface OfPhase extends Difference {
  /** What makes most of the difference, and by how much. */
  most?: { name: string; by: number };
}

/** The fullest GPU in each phase, whichever it is: what peaks lower may hold more in another. */
export function phaseDifferences(a: Estimate, b: Estimate, nameOf: (line: Line) => string, phaseName: (phase: string) => string): OfPhase[] {
  const fullest = ({ memory: { stages } }: Estimate, phase: string) => stages.reduce((most, stage) => ((stage.phases[phase] ?? 0) > (most.phases[phase] ?? 0) ? stage : most));
  const sums = (of: Estimate, phase: string) => {
    const lines = new Map<string, [string, number]>();
    for (const line of linesOf(fullest(of, phase), phase)) lines.set(line.id, [nameOf(line), (lines.get(line.id)?.[1] ?? 0) + line.bytes]);
    return lines;
  };
  const phases = Object.keys(a.memory.stages[0]!.phases).map((phase): OfPhase => {
    const [one, two] = [fullest(a, phase).phases[phase] ?? 0, fullest(b, phase).phases[phase] ?? 0];
    const more = Math.sign(two - one);
    const [largest] = joined(sums(a, phase), sums(b, phase)).sort((x, y) => more * (y.b - y.a) - more * (x.b - x.a));
    return { id: phase, name: phaseName(phase), a: one, b: two, ...(largest && more !== 0 && { most: { name: largest.name, by: largest.b - largest.a } }) };
  });
  const { evaluation: one } = a.memory.other_phases;
  const { evaluation: two } = b.memory.other_phases;
  return one > 0 || two > 0 ? [...phases, { id: 'evaluation', name: phaseName('evaluation'), a: one, b: two }] : phases;
}

export function stepDifferences(a: Estimate, b: Estimate, nameOf: (part: string) => string): Differences {
  const gather = ({ step }: Estimate) =>
    new Map(Object.entries(step.breakdown).filter(([, seconds]) => seconds > 0).map(([part, seconds]): [string, [string, number]] => [part, [nameOf(part), seconds]]));
  return sorted(joined(gather(a), gather(b)), Math.max(a.step.seconds, b.step.seconds) * 5e-4);
}
