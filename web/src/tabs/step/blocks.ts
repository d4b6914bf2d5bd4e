// Geometry of the timeline: which blocks a window of time shows and where, what lies under a point, and how a window
// moves. Nothing is drawn here, so both ways of drawing share it.
import { kinds, message, type Timeline } from '../../core/timeline';

/** Seconds from and to. */
export interface Window {
  from: number;
  to: number;
}
export interface Block {
  index: number;
  stage: number;
  kind: number;
  x: number;
  width: number;
}
/** Rows of stages; messages run in the gap below their stage. */
export interface Rows {
  height: number;
  gap: number;
}
export const plotHeight = 144;
/** More blocks than this are drawn on a canvas. */
export const mostElements = 1500;

export const isPass = (kind: number) => kind < message;

export function blocksIn(timeline: Timeline, { from, to }: Window, width: number, messages: boolean): Block[] {
  const blocks: Block[] = [];
  const scale = width / (to - from);
  for (let stage = 0; stage < timeline.stages; stage++) {
    const last: (Block | undefined)[] = [undefined, undefined];
    for (let index = timeline.first[stage]!; index < timeline.first[stage + 1]!; index++) {
      const start = timeline.start[index]!;
      const end = timeline.end[index]!;
      const kind = timeline.kind[index]!;
      if (end <= from || start >= to || end <= start || (kind === message && !messages)) continue;
      const x = (Math.max(start, from) - from) * scale;
      const block = { index, stage, kind, x, width: (Math.min(end, to) - from) * scale - x };
      const lane = kind === message ? 1 : 0;
      const before = last[lane];
      // Slivers that touch are one block: nobody could tell them apart.
      if (before && block.width < 0.6 && before.width < 0.6 && x - before.x < 0.6) continue;
      blocks.push((last[lane] = block));
    }
  }
  return blocks;
}

export function blockAt(blocks: Block[], rows: Rows, x: number, y: number): Block | undefined {
  const pitch = rows.height + rows.gap;
  const stage = Math.floor(y / pitch);
  const inRow = y - stage * pitch <= rows.height;
  const near = (block: Block) => x >= block.x - 1 && x <= block.x + Math.max(block.width, 2);
  const here = blocks.filter((block) => block.stage === stage && near(block));
  return here.find(({ kind }) => (kind === message) !== inRow) ?? here[0];
}

/** Warm-up and as many micro-batches after it as there are stages, at least two: two rounds of 1F1B. */
export function firstWindow(timeline: Timeline): Window {
  const backwards = [];
  for (let index = timeline.first[0]!; index < timeline.first[1]!; index++) {
    if (kinds[timeline.kind[index]!]!.startsWith('backward')) backwards.push(timeline.end[index]!);
  }
  const to = backwards[Math.max(2, timeline.stages) - 1] ?? timeline.seconds;
  return { from: 0, to: to * 1.02 < timeline.seconds ? to * 1.02 : timeline.seconds };
}

/** Inside the step, and never closer than a thousandth of it. */
export function held({ from, to }: Window, seconds: number): Window {
  const width = Math.min(seconds, Math.max(to - from, seconds * 1e-5));
  const start = Math.min(Math.max(0, from), seconds - width);
  return { from: start, to: start + width };
}
export function zoomed(window: Window, factor: number, at: number, seconds: number): Window {
  const point = window.from + at * (window.to - window.from);
  return held({ from: point - (point - window.from) * factor, to: point + (window.to - point) * factor }, seconds);
}
export const moved = ({ from, to }: Window, by: number, seconds: number): Window => held({ from: from + by, to: to + by }, seconds);

/** The window, moved just as far as it takes to have the block in it. */
export function withBlock(timeline: Timeline, window: Window, index: number): Window {
  const start = timeline.start[index]!;
  const end = timeline.end[index]!;
  const width = window.to - window.from;
  if (end - start > width) return held({ from: start, to: end }, timeline.seconds);
  if (start < window.from) return moved(window, start - window.from - width * 0.1, timeline.seconds);
  return end > window.to ? moved(window, end - window.to + width * 0.1, timeline.seconds) : window;
}

export const stageOf = (timeline: Timeline, index: number) => timeline.first.findIndex((first) => first > index) - 1;

/** The next block of the same stage in that direction, messages left out. */
export function neighbour(timeline: Timeline, index: number, direction: 1 | -1): number {
  const stage = stageOf(timeline, index);
  let at = index + direction;
  while (at >= timeline.first[stage]! && at < timeline.first[stage + 1]! && timeline.kind[at] === message) at += direction;
  return at >= timeline.first[stage]! && at < timeline.first[stage + 1]! ? at : index;
}

/** What another stage does at the middle of this block. */
export function across(timeline: Timeline, index: number, to: number): number {
  if (to < 0 || to >= timeline.stages) return index;
  const middle = (timeline.start[index]! + timeline.end[index]!) / 2;
  let best = index;
  let least = Infinity;
  for (let at = timeline.first[to]!; at < timeline.first[to + 1]!; at++) {
    if (timeline.kind[at] === message) continue;
    const away = Math.max(timeline.start[at]! - middle, middle - timeline.end[at]!, 0);
    if (away < least) [best, least] = [at, away];
  }
  return best;
}

export interface Wait {
  /** The event that had to end first: the message it needs, or the work before it on its own stage. */
  index: number;
  /** Where that event ran. */
  stage: number;
}

/** What a pass waited for: of its own stage's last work and the message of its micro-batch, what ended later. */
export function waitOf(timeline: Timeline, index: number): Wait | null {
  const stage = stageOf(timeline, index);
  const start = timeline.start[index]! + 1e-9;
  let wait: Wait | null = null;
  const consider = (at: number, of: number) => {
    const end = timeline.end[at]!;
    if (end <= start && (!wait || end > timeline.end[wait.index]!)) wait = { index: at, stage: of };
  };
  for (let at = timeline.first[stage]!; at < index; at++) if (timeline.kind[at] !== message) consider(at, stage);
  for (let at = 0; at < timeline.kind.length; at++) {
    const arrives = timeline.kind[at] === message && timeline.to[at] === stage && timeline.microBatch[at] === timeline.microBatch[index];
    if (arrives) consider(at, stageOf(timeline, at));
  }
  return wait;
}

export interface Load {
  forward: number;
  backward: number;
  busy: number;
}
/** Of each stage the mean pass and the share of the step in which it works. */
export function loadOf(timeline: Timeline, stage: number): Load {
  const sum = { forward: 0, backward: 0, busy: 0 };
  const micro = new Set<string>();
  for (let at = timeline.first[stage]!; at < timeline.first[stage + 1]!; at++) {
    const kind = kinds[timeline.kind[at]!]!;
    if (kind === 'message') continue;
    const seconds = timeline.end[at]! - timeline.start[at]!;
    sum.busy += seconds;
    if (kind === 'forward') {
      sum.forward += seconds;
      micro.add(`${timeline.microBatch[at]} ${timeline.chunk[at]}`);
    } else if (kind.startsWith('backward')) sum.backward += seconds;
  }
  const passes = Math.max(1, micro.size);
  return { forward: sum.forward / passes, backward: sum.backward / passes, busy: sum.busy / timeline.seconds };
}

/** Round times inside a window, about one each 100 px. */
export function timeTicks({ from, to }: Window, width: number): { at: number; seconds: number; digits: number }[] {
  const rough = ((to - from) * 100) / Math.max(width, 100);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, i) => (first + i) * step).map((seconds) => ({
    at: ((seconds - from) / (to - from)) * width,
    seconds,
    digits,
  }));
}
