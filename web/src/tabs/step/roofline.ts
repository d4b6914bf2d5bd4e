// Places of operations under the roof: FLOPs a byte against FLOP/s, both on logarithmic axes.
import type { Operation, Roofline } from '../../core/types';

export interface Point {
  id: string;
  flops: number;
  bytes: number;
  seconds: number;
  /** FLOPs a byte; 0 for passes over memory. */
  intensity: number;
  rate: number;
  /** Share of the roof above it that it reaches: of the peak, or of memory's rate. */
  reached: number;
}

/** Forward and backward together. */
export function pointOf({ id, forward, backward }: Operation, roof: Roofline): Point {
  const flops = forward.flops + backward.flops;
  const bytes = forward.bytes + backward.bytes;
  const seconds = forward.seconds + backward.seconds;
  const least = Math.max(flops / roof.peak_flops_per_second, bytes / roof.memory_bytes_per_second);
  return { id, flops, bytes, seconds, intensity: flops / bytes, rate: flops / seconds, reached: least / seconds };
}

/** Several kernels of one name (norms, rotary embeddings) are one point. */
export function pointsOf(operations: Operation[], roof: Roofline): Point[] {
  const merged = new Map<string, Operation>();
  for (const one of operations) {
    const before = merged.get(one.id);
    const sum = (a: Operation['forward'], b: Operation['forward']) => ({ flops: a.flops + b.flops, bytes: a.bytes + b.bytes, seconds: a.seconds + b.seconds });
    merged.set(one.id, before ? { ...before, forward: sum(before.forward, one.forward), backward: sum(before.backward, one.backward) } : one);
  }
  return [...merged.values()].map((one) => pointOf(one, roof));
}

export interface Frame {
  low: number;
  high: number;
}
const decades = (low: number, high: number): Frame => ({ low: 10 ** Math.floor(Math.log10(low)), high: 10 ** Math.ceil(Math.log10(high)) });

/** Whole decades around all points and the ridge, where the roof bends. */
export function framesOf(points: Point[], roof: Roofline): { x: Frame; y: Frame } {
  const ridge = roof.peak_flops_per_second / roof.memory_bytes_per_second;
  const drawn = points.filter(({ intensity }) => intensity > 0);
  const x = decades(Math.min(ridge / 4, ...drawn.map(({ intensity }) => intensity)), Math.max(ridge * 4, ...drawn.map(({ intensity }) => intensity)));
  const low = Math.min(x.low * roof.memory_bytes_per_second * 1.2, ...drawn.map(({ rate }) => rate));
  return { x, y: { low: 10 ** Math.floor(Math.log10(low)), high: roof.peak_flops_per_second * 1.6 } };
}

export const along = ({ low, high }: Frame, value: number) => Math.log(value / low) / Math.log(high / low);
export const powers = ({ low, high }: Frame) => {
  const list = [];
  for (let value = low; value <= high * 1.0001; value *= 10) list.push(value);
  return list;
};

/** Labels in a row, as near to their points as they can be without touching. */
export function spread(at: number[], gap: number, from: number, to: number): number[] {
  const order = at.map((_, i) => i).sort((a, b) => at[a]! - at[b]!);
  const placed = [...at];
  let least = from;
  for (const i of order) least = (placed[i] = Math.max(at[i]!, least)) + gap;
  let most = to;
  for (const i of order.reverse()) most = (placed[i] = Math.min(placed[i]!, most)) - gap;
  return placed;
}
