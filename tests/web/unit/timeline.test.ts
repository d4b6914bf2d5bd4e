// The timeline's geometry: what a window shows, what lies under a point, what a block waited for.
import { columnsOf } from '$page/core/timeline';
import { across, blockAt, blocksIn, firstWindow, held, loadOf, moved, neighbour, timeTicks, waitOf, withBlock, zoomed } from '$page/tabs/step/blocks';

/** Two stages, two micro-batches, 1F1B by hand: forward 1 s, backward 2 s, messages 0.5 s. */
const pass = (start: number, end: number, kind: string, micro_batch: number) => ({ start, end, kind, micro_batch, chunk: 0 });
const message = (start: number, micro_batch: number, to: number) => ({ start, end: start + 0.5, kind: 'message', micro_batch, chunk: 0, to });
const two = columnsOf([
  { events: [pass(0, 1, 'forward', 0), message(1, 0, 1), pass(1, 2, 'forward', 1), message(2, 1, 1), pass(5, 7, 'backward', 0), pass(8, 10, 'backward', 1)] },
  { events: [pass(1.5, 2.5, 'forward', 0), pass(2.5, 4.5, 'backward', 0), message(4.5, 0, 0), pass(4.5, 5.5, 'forward', 1), pass(5.5, 7.5, 'backward', 1), message(7.5, 1, 0)] },
]);
const rows = { height: 26, gap: 10 };

test('columns hold every event, stage after stage', () => {
  expect(two.stages).toBe(2);
  expect(two.seconds).toBe(10);
  expect([...two.first]).toEqual([0, 6, 12]);
});

test('a window shows what overlaps it, cut at its ends', () => {
  const blocks = blocksIn(two, { from: 0.5, to: 2.5 }, 200, true);
  expect(blocks.map(({ index, x, width }) => [index, x, width])).toEqual([[0, 0, 50], [1, 50, 50], [2, 50, 100], [3, 150, 50], [6, 100, 100]]);
  expect(blocksIn(two, { from: 0.5, to: 2.5 }, 200, false)).toHaveLength(3);
});

test('blocks too thin to see are one', () => {
  const many = columnsOf([{ events: Array.from({ length: 100_000 }, (_, i) => pass(i, i + 1, i % 2 ? 'backward' : 'forward', i)) }]);
  const blocks = blocksIn(many, { from: 0, to: 100_000 }, 700, false);
  expect(blocks.length).toBeLessThan(1500);
  expect(blocks.length).toBeGreaterThan(700);
});

test('what is drawn is what a point hits', () => {
  const blocks = blocksIn(two, { from: 0, to: 10 }, 1000, true);
  expect(blockAt(blocks, rows, 550, 10)?.index).toBe(4);
  expect(blockAt(blocks, rows, 300, 50)?.index).toBe(7);
  expect(blockAt(blocks, rows, 120, 31)?.index).toBe(1); // in the gap: the message
  expect(blockAt(blocks, rows, 120, 10)?.index).toBe(2); // above it: the pass
  expect(blockAt(blocks, rows, 350, 10)).toBeUndefined();
});

test('a pass waits for its stage or for its message, whichever came later', () => {
  expect(waitOf(two, 0)).toBeNull();
  expect(waitOf(two, 2)).toEqual({ index: 0, stage: 0 });
  expect(waitOf(two, 6)).toEqual({ index: 1, stage: 0 });
  expect(waitOf(two, 4)).toEqual({ index: 8, stage: 1 });
  expect(waitOf(two, 9)).toEqual({ index: 7, stage: 1 });
});

test('the first window is the warm-up and a backward for each stage', () => {
  expect(firstWindow(two)).toEqual({ from: 0, to: 10 });
  const long = columnsOf([{ events: Array.from({ length: 64 }, (_, i) => [pass(3 * i, 3 * i + 1, 'forward', i), pass(3 * i + 1, 3 * i + 3, 'backward', i)]).flat() }]);
  expect(firstWindow(long).to).toBeCloseTo(6.12);
});

test('windows stay inside the step', () => {
  expect(held({ from: -5, to: 5 }, 10)).toEqual({ from: 0, to: 10 });
  expect(moved({ from: 2, to: 4 }, 100, 10)).toEqual({ from: 8, to: 10 });
  expect(zoomed({ from: 4, to: 8 }, 0.5, 0.5, 10)).toEqual({ from: 5, to: 7 });
  expect(zoomed({ from: 4, to: 8 }, 0.5, 0, 10)).toEqual({ from: 4, to: 6 });
  expect(zoomed({ from: 4, to: 8 }, 100, 0.5, 10)).toEqual({ from: 0, to: 10 });
});

test('a block that is gone to comes into the window', () => {
  const window = withBlock(two, { from: 0, to: 4 }, 5);
  expect(window.to).toBeGreaterThanOrEqual(10);
  expect(withBlock(two, { from: 0, to: 4 }, 2)).toEqual({ from: 0, to: 4 });
});

test('arrows go along a stage past its messages, and to the same time of another', () => {
  expect(neighbour(two, 0, 1)).toBe(2);
  expect(neighbour(two, 2, 1)).toBe(4);
  expect(neighbour(two, 5, 1)).toBe(5);
  expect(neighbour(two, 0, -1)).toBe(0);
  expect(across(two, 4, 1)).toBe(10);
  expect(across(two, 4, 2)).toBe(4);
});

test('a stage works as long as its passes', () => {
  expect(loadOf(two, 1)).toEqual({ forward: 1, backward: 2, busy: 0.6 });
});

test('ticks are round and as many digits as they need', () => {
  expect(timeTicks({ from: 0, to: 1.7 }, 850).map(({ seconds }) => Number(seconds.toFixed(6)))).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6]);
  expect(timeTicks({ from: 0.101, to: 0.109 }, 400).map(({ seconds, digits }) => seconds.toFixed(digits))).toEqual(['0.102', '0.104', '0.106', '0.108']);
});
