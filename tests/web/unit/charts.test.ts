// Geometry of roofline and curve, and the lines of a comparison.
import { load } from 'meshgauge';
import type { Curve, Estimate, Message, Operation, Roofline } from '$page/core/types';
import { choices, otherAlgorithms, pathThrough, valueOf } from '$page/tabs/communication/curve';
import { memoryDifferences, phaseDifferences, stepDifferences } from '$page/tabs/compare/differences';
import { markdownOf } from '$page/tabs/compare/markdown';
import { along, framesOf, pointsOf, powers, spread } from '$page/tabs/step/roofline';

const core = await load();
const roof: Roofline = { peak_flops_per_second: 1000e12, memory_bytes_per_second: 4e12, parts: [] };
const work = (flops: number, bytes: number, seconds: number) => ({ flops, bytes, seconds });
const product: Operation = { id: 'qkv', kind: 'gemm', forward: work(1e12, 1e9, 2e-3), backward: work(2e12, 2e9, 4e-3) };
const norm: Operation = { id: 'norm', kind: 'memory_bound', forward: work(0, 4e9, 2e-3), backward: work(0, 4e9, 2e-3) };

test('a point is what an operation reaches of the roof above it', () => {
  const [one, two] = pointsOf([product, norm], roof);
  expect(one).toMatchObject({ intensity: 1000, rate: 500e12, reached: 0.5 });
  expect(two).toMatchObject({ intensity: 0, rate: 0, reached: 0.5 });
  expect(pointsOf([norm, norm], roof)).toMatchObject([{ seconds: 8e-3 }]);
});

test('axes are whole decades around points and ridge', () => {
  const { x, y } = framesOf(pointsOf([product], roof), roof);
  expect(x).toEqual({ low: 10, high: 1000 });
  expect(along(x, 100)).toBeCloseTo(0.5);
  expect(powers(x)).toEqual([10, 100, 1000]);
  expect(y.low).toBeLessThanOrEqual(48e12);
});

test('labels do not touch and stay inside', () => {
  expect(spread([10, 12, 100], 20, 0, 100)).toEqual([10, 30, 100]);
  expect(spread([95, 96, 97], 20, 0, 100)).toEqual([60, 80, 100]);
});

const message = (bytes: number, seconds: number, algorithm: string): Message => ({
  bytes,
  busbw_bytes_per_second: bytes / seconds,
  low_seconds: seconds * 0.9,
  high_seconds: seconds * 1.25,
  message_seconds: seconds,
  algorithm,
  protocol: 'Simple',
  bound_by: 'link',
});
const curve = {
  points: [message(1024, 1e-5, 'ring'), message(2048, 1e-5, 'ring'), message(4096, 2e-5, 'nvls')],
  alternatives: [
    { algorithm: 'ring', protocol: 'LL', over_choice: [1, 1, 4] },
    { algorithm: 'ring', protocol: 'Simple', over_choice: [2, 2, 2] },
    { algorithm: 'nvls', protocol: 'Simple', over_choice: [3, 2, 1] },
  ],
} as Curve;

test('the expected band turns over between time and bandwidth', () => {
  const point = message(1e9, 1, 'ring');
  expect(valueOf(point, 'time')).toMatchObject({ value: 1, low: 0.9, high: 1.25 });
  expect(valueOf(point, 'busbw')).toMatchObject({ value: 1e9, low: 0.8e9 });
  expect(valueOf(point, 'busbw').high).toBeCloseTo(1e9 / 0.9);
});

test('of each algorithm the best protocol stands beside the choice', () => {
  const [ring, nvls] = otherAlgorithms(curve, 'time');
  expect(ring!.values).toEqual([1e-5, 1e-5, 4e-5]);
  expect(nvls!.values).toEqual([3e-5, 2e-5, 2e-5].map((value) => expect.closeTo(value)));
});

test('what the library takes is told by runs of sizes', () => {
  expect(choices(curve.points)).toEqual([
    { name: 'ring Simple', from: 1024, to: 2048 },
    { name: 'nvls Simple', from: 4096, to: 4096 },
  ]);
});

test('a path goes through its points', () => {
  expect(pathThrough([[0, 1], [2.25, 3]])).toBe('M0.0 1.0L2.3 3.0');
});

const gib = 2 ** 30;
const line = (id: string, bytes: number) => ({ id, name: id, category: 'buffers', bytes, formula: '', values: {}, source: '', phases: ['backward'] });
const answer = (lines: ReturnType<typeof line>[], breakdown: Record<string, number>) =>
  ({ memory: { binding: { stage: 0, phase: 'backward' }, stages: [{ lines, other_lines: [] }] }, step: { breakdown, seconds: 10 } }) as unknown as Estimate;

test('differences: largest first, lines of one kind summed, equal ones apart', () => {
  const a = answer([line('parameters', 8 * gib), line('norms', gib), line('norms', gib), line('buckets', 0)], { compute: 8, bubble: 2 });
  const b = answer([line('parameters', 8 * gib), line('norms', gib), line('gathered', 4 * gib)], { compute: 8, data_parallel: 3 });
  expect(memoryDifferences(a, b, ({ name }) => name)).toEqual({
    lines: [
      { id: 'gathered', name: 'gathered', a: 0, b: 4 * gib },
      { id: 'norms', name: 'norms', a: 2 * gib, b: gib },
    ],
    equal: 2,
    largest: 4 * gib,
  });
  expect(stepDifferences(a, b, (part) => part).lines.map(({ id }) => id)).toEqual(['data_parallel', 'bubble']);
});

test('a comparison reads as a Markdown table', () => {
  const differences = { lines: [{ id: 'x', name: 'a|b', a: 1, b: 3 }], equal: 0, largest: 2 };
  const print = String;
  expect(markdownOf({ a: 'one', b: 'two' }, [{ heading: 'Memory', differences, print, signed: (value) => `+${value}`, total: { name: 'Sum', a: 1, b: 3 } }])).toBe(
    '| Memory | A: one | B: two | B − A |\n|---|--:|--:|--:|\n| a\\|b | 1 | 3 | +2 |\n| Sum | 1 | 3 | +2 |',
  );
});

// BELLE issue 402: bloom-1b1 on 8 cards needs no less at stage 3 than at stage 2.
test('the buffer that a higher ZeRO stage holds more of is named with its phase', () => {
  const at = (stage: number) =>
    JSON.parse(
      core.apiText(
        JSON.stringify({
          command: 'estimate',
          scenario: { model: 'bloom-1b1', cluster: { system: 'dgx-a100-80gb', gpus: 8 }, parallelism: { zero_stage: stage }, training: { engine: 'deepspeed', sequence_length: 1024 } },
        }),
      ),
    ) as Estimate;
  const phases = phaseDifferences(at(2), at(3), ({ name }) => name, (phase) => phase);
  const of = (phase: string) => phases.find(({ id }) => id === phase)!;
  expect(of('loss').b).toBeLessThan(of('loss').a); // the peak
  expect(of('forward').b).toBeGreaterThan(of('forward').a);
  expect(of('forward').most?.name).toBe('Live and prefetched parameters');
  expect(of('evaluation').b).toBeGreaterThan(of('evaluation').a);
  for (const { a, b, most } of phases) if (most) expect(Math.sign(most.by)).toBe(Math.sign(b - a));
});
