// The parts of a step as the waterfall lists them: the five largest in contract order, the rest in one row.
import type { Step } from '../core/types';

export interface Part {
  id: string;
  seconds: number;
  /** Seconds of the parts before it. */
  start: number;
}
export interface Waterfall {
  shown: Part[];
  rest: { parts: Part[]; seconds: number; start: number } | null;
}

const rows = 6;

export function allParts(step: Step, order: string[]): Part[] {
  let start = 0;
  return order
    .map((id) => ({ id, seconds: step.breakdown[id] ?? 0 }))
    .filter(({ seconds }) => seconds > 0)
    .map((part) => {
      const placed = { ...part, start };
      start += part.seconds;
      return placed;
    });
}

export function waterfallOf(step: Step, order: string[]): Waterfall {
  const parts = allParts(step, order);
  const bySize = [...parts].sort((a, b) => b.seconds - a.seconds);
  const large = bySize.filter(({ seconds }) => seconds >= step.seconds * 0.01).length;
  const keep = parts.length <= rows && parts.length - large <= 1 ? parts.length : Math.min(rows - 1, Math.max(large, 1));
  const kept = new Set(bySize.slice(0, keep));
  let start = 0;
  const shown = parts
    .filter((part) => kept.has(part))
    .map((part) => {
      const placed = { ...part, start };
      start += part.seconds;
      return placed;
    });
  const others = parts.filter((part) => !kept.has(part));
  const seconds = others.reduce((total, part) => total + part.seconds, 0);
  return { shown, rest: others.length > 0 ? { parts: others, seconds, start } : null };
}

/** Work, work again, waiting for the network, waiting for nothing, and the rest. */
export function classOf(part: string): string {
  if (part === 'compute') return 'work';
  if (part === 'recompute') return 'recompute';
  if (part === 'bubble') return 'idle';
  return part.endsWith('_parallel') ? 'exposed' : 'overhead';
}
