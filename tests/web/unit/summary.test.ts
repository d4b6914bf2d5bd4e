// Bars and waterfall: what is drawn adds up, keeps its order and its height.
import type { Estimate, Step } from '$page/core/types';
import { chartOf, rowsFor, ticks } from '$page/summary/bars';
import { allParts, waterfallOf } from '$page/summary/parts';
import { sumOf, trafficOf } from '$page/summary/traffic';

const order = ['compute', 'recompute', 'bubble', 'tensor_parallel', 'context_parallel', 'expert_parallel', 'pipeline_parallel', 'data_parallel', 'optimizer', 'overhead'];
const step = (breakdown: Record<string, number>) => ({ breakdown, seconds: Object.values(breakdown).reduce((a, b) => a + b, 0) }) as Step;

test('the five largest parts keep the contract order, the rest is one row', () => {
  const { shown, rest } = waterfallOf(step({ compute: 60, recompute: 9, bubble: 8, tensor_parallel: 7, context_parallel: 6, expert_parallel: 5, data_parallel: 5 }), order);
  expect(shown.map(({ id }) => id)).toEqual(['compute', 'recompute', 'bubble', 'tensor_parallel', 'context_parallel']);
  expect(rest?.parts.map(({ id }) => id)).toEqual(['expert_parallel', 'data_parallel']);
});

test('parts under 1 % are gathered even where there is room', () => {
  const { shown, rest } = waterfallOf(step({ compute: 100, bubble: 5, optimizer: 0.1, overhead: 0.2 }), order);
  expect(shown.map(({ id }) => id)).toEqual(['compute', 'bubble']);
  expect(rest?.seconds).toBeCloseTo(0.3, 12);
});

test('rows of the waterfall add up to the step and follow one another', () => {
  const whole = step({ compute: 50, recompute: 11, bubble: 10, tensor_parallel: 9, pipeline_parallel: 0.2, data_parallel: 3, optimizer: 2, overhead: 1 });
  const { shown, rest } = waterfallOf(whole, order);
  expect(shown.reduce((sum, { seconds }) => sum + seconds, 0) + rest!.seconds).toBeCloseTo(whole.seconds, 9);
  expect(rest!.start + rest!.seconds).toBeCloseTo(whole.seconds, 9);
  const all = allParts(whole, order);
  expect(all.at(-1)!.start + all.at(-1)!.seconds).toBeCloseTo(whole.seconds, 9);
});

test.each([1, 4, 5, 8, 9, 16])('%i stages take at most 144 px', (stages) => {
  const rows = rowsFor(stages)!;
  expect(stages * (rows.height + rows.gap)).toBeLessThanOrEqual(144);
});

test('more than 16 stages stand as columns', () => {
  expect(rowsFor(17)).toBeNull();
});

test.each([5, 24, 79.1, 141, 1000])('an axis to %d has round ticks, three to six', (largest) => {
  const values = ticks(largest * 1.06);
  expect(values[0]).toBe(0);
  expect(values.length).toBeGreaterThanOrEqual(3);
  expect(values.length).toBeLessThanOrEqual(6);
});

test('segments of a bar lie side by side and end at its bytes', () => {
  const line = (category: string, bytes: number) => ({ category, bytes });
  const stages = [{ stage: 0, device_bytes: 75, needed_bytes: 60, lines: [line('optimizer', 27), line('parameters', 10), line('parameters', 20), line('overhead', 18)] }];
  const memory = { stages, capacity_bytes: 100, needed_bytes: 60, needed_low_bytes: 55, needed_high_bytes: 66, binding: { stage: 0, phase: 'backward' } };
  const chart = chartOf({ memory } as unknown as Estimate, ['parameters', 'gradients', 'optimizer', 'overhead']);
  const [first, second] = chart.bars[0]!.segments;
  expect(first).toMatchObject({ category: 'parameters', bytes: 30, from: 0 });
  expect(second!.from).toBeCloseTo(first!.width, 12);
  expect(chart.bars[0]!.end / chart.capacity).toBeCloseTo(0.6, 12);
  expect(chart.categories).toEqual(['parameters', 'optimizer', 'overhead']);
  expect(chart.bars[0]!.bytes).toBe(60);
  expect(chart.bars[0]!.segments.at(-1)).toMatchObject({ category: 'overhead', bytes: 3 });
  expect(chart.bars[0]!.cache).toMatchObject({ bytes: 15, from: chart.bars[0]!.end });
  expect(chart.bracket.high / chart.capacity).toBeCloseTo(0.66, 12);
});

test('traffic that differs only in when it happens is one row', () => {
  const transfer = { collective: 'all_gather', group: 'tensor_parallel', group_size: 8, dtype: 'bf16', bytes: 128, spans_nodes: false, source: 'a', first_stage: 0, last_stage: 3 };
  const traffic = [
    { ...transfer, count_per_step: 10, seconds: 2, exposed_seconds: 2 },
    { ...transfer, count_per_step: 10, seconds: 2, exposed_seconds: 1, source: 'b' },
    { ...transfer, count_per_step: 1, seconds: 5, exposed_seconds: 5, first_stage: 2, bytes: 4 },
  ];
  const estimate = { traffic } as unknown as Estimate;
  expect(trafficOf(estimate, 0)).toHaveLength(1);
  expect(trafficOf(estimate, 0)[0]).toMatchObject({ calls: 20, seconds: 4, exposed: 3, sources: ['a', 'b'] });
  expect(sumOf(trafficOf(estimate, 3), 'exposed')).toBe(8);
});
