// Geometry of the memory chart: shares of its width, rows by the number of stages. No figure is made here.
import type { Estimate, Stage } from '../core/types';
import { cacheOf, needsOf } from './needs';

/** Row height and gap, so that the bars always take 144 px; more than 16 stages stand as columns. */
export interface Rows {
  height: number;
  gap: number;
  every: number;
}
export function rowsFor(stages: number): Rows | null {
  if (stages <= 4) return { height: 26, gap: 10, every: 1 };
  if (stages <= 8) return { height: 14, gap: 4, every: 1 };
  return stages <= 16 ? { height: 7, gap: 2, every: 4 } : null;
}

export interface Segment {
  category: string;
  bytes: number;
  /** Per cent of the chart. */
  from: number;
  width: number;
}
export interface Bar {
  stage: number;
  /** What the stage needs: where the segments end. */
  bytes: number;
  segments: Segment[];
  end: number;
  /** Beyond it, on the card as long as there is room. */
  cache: Segment;
}
export interface Chart {
  /** Bytes across the whole width. */
  span: number;
  bars: Bar[];
  capacity: number;
  bracket: { low: number; high: number };
  ticks: { value: number; at: number }[];
  categories: string[];
}

const gibibyte = 2 ** 30;

export function chartOf(estimate: Estimate, order: string[]): Chart {
  const { memory } = estimate;
  const largest = Math.max(memory.needed_high_bytes, ...memory.stages.map((stage) => stage.device_bytes));
  const span = Math.max(memory.capacity_bytes, largest) * 1.06;
  const percent = (bytes: number) => (bytes / span) * 100;
  const bars = memory.stages.map((stage) => barOf(stage, order, percent));
  const present = new Set(bars.flatMap((bar) => bar.segments.map((segment) => segment.category)));
  return {
    span,
    bars,
    capacity: percent(memory.capacity_bytes),
    bracket: { low: percent(memory.needed_low_bytes), high: percent(memory.needed_high_bytes) },
    ticks: ticks(span / gibibyte).map((value) => ({ value, at: percent(value * gibibyte) })),
    categories: order.filter((category) => present.has(category)),
  };
}

function barOf(stage: Stage, order: string[], percent: (bytes: number) => number): Bar {
  const needs = needsOf(stage);
  let from = 0;
  const segment = (category: string, bytes: number): Segment => ({ category, bytes, from, width: percent(bytes) });
  const segments = order
    .filter((category) => (needs[category] ?? 0) > 0)
    .map((category) => {
      const next = segment(category, needs[category]!);
      from += next.width;
      return next;
    });
  return { stage: stage.stage, bytes: stage.needed_bytes, segments, end: from, cache: segment('cache', cacheOf(stage)) };
}

/** Three to five round values from 0. */
export function ticks(largest: number): number[] {
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999)!;
  return Array.from({ length: Math.floor(largest / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}
