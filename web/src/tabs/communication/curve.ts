// Geometry of a curve: bus bandwidth or time against message size, the expected band, the other algorithms.
import type { Curve, Message } from '../../core/types';

export type Measure = 'busbw' | 'time';

/** Of each message: the predicted value and both ends of the expected band. */
export interface Value {
  bytes: number;
  value: number;
  low: number;
  high: number;
}
export function valueOf(point: Message, measure: Measure): Value {
  const { bytes, message_seconds: seconds, low_seconds: fast, high_seconds: slow, busbw_bytes_per_second: rate } = point;
  if (measure === 'time') return { bytes, value: seconds, low: fast, high: slow };
  return { bytes, value: rate, low: (rate * seconds) / slow, high: (rate * seconds) / fast };
}

/** The best protocol of each algorithm, as NCCL's model has it beside the predicted curve. */
export function otherAlgorithms(curve: Curve, measure: Measure): { algorithm: string; values: number[] }[] {
  const names = [...new Set(curve.alternatives.map(({ algorithm }) => algorithm))];
  return names.map((algorithm) => {
    const own = curve.alternatives.filter((one) => one.algorithm === algorithm);
    const values = curve.points.map((point, i) => {
      const over = Math.min(...own.map(({ over_choice }) => over_choice[i] ?? Infinity));
      return measure === 'time' ? point.message_seconds * over : point.busbw_bytes_per_second / over;
    });
    return { algorithm, values };
  });
}

/** Runs of sizes over which the library takes the same algorithm and protocol. */
export function choices(points: Message[]): { name: string; from: number; to: number }[] {
  const runs: { name: string; from: number; to: number }[] = [];
  for (const { algorithm, protocol, bytes } of points) {
    const name = `${algorithm ?? ''} ${protocol ?? ''}`.trim();
    const last = runs.at(-1);
    if (last?.name === name) last.to = bytes;
    else runs.push({ name, from: bytes, to: bytes });
  }
  return runs.filter(({ name }) => name !== '');
}

export const pathThrough = (points: [number, number][]) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
