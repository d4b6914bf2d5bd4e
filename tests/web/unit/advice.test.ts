// Advice by the core that the page runs: it fits, it is better, and no change is there for nothing.
import { load } from 'meshgauge';
import { adviceOf } from '$page/core/advice';
import type { Estimate, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';
import { numbers } from '$page/numbers/format';
import { write } from '$page/state/pointer';
import { whyOf } from '$page/summary/why';
import { verdictOf, verdictWords } from '$page/verdict/words';

const core = await load();
const n = numbers('en');
const ask = (request: object): unknown => JSON.parse(core.apiText(JSON.stringify(request)));
const estimate = (scenario: Scenario) => ask({ command: 'estimate', scenario, explain: true }) as Estimate;
const advise = (scenario: Scenario, goal: 'fit' | 'safe' | 'faster') => adviceOf(scenario, estimate(scenario), goal, ask);

test('faster suggestions are faster, fit, and leave the job as it is', () => {
  const now = estimate(defaultScenario);
  const list = advise(defaultScenario, 'faster');
  expect(list.length).toBeGreaterThan(0);
  for (const { changes, estimate: then } of list) {
    expect(then.fit_probability).toBeGreaterThanOrEqual(0.95);
    expect(then.step.seconds).toBeLessThan(now.step.seconds);
    expect(then.scenario.training.global_batch_size).toBe(now.scenario.training.global_batch_size);
    expect(then.scenario.cluster.gpus).toBe(now.scenario.cluster.gpus);
    expect(changes.map(({ path }) => path)).not.toContain('/parallelism/data_parallel_size');
  }
  const seconds = list.map(({ estimate: then }) => then.step.seconds);
  expect([...seconds].sort((a, b) => a - b)).toEqual(seconds);
});

test('what does not fit gets what makes it fit, the smallest change first', () => {
  const scenario = write(defaultScenario, '/training/micro_batch_size', 8);
  expect(estimate(scenario).fits).toBe(false);
  const list = advise(scenario, 'fit');
  expect(list.length).toBe(3);
  for (const { scenario: then, estimate: promised } of list) {
    expect(promised.fits).toBe(true);
    expect(estimate(then).memory.device_bytes).toBe(promised.memory.device_bytes);
  }
  expect(list[0]!.changes.length).toBe(1);
});

/** Scenarios about the edge of their card: how sure they are, and what fills the card. */
const near: [string, Scenario][] = [
  ['megatron', write(defaultScenario, '/cluster/memory_bytes', 55 * 2 ** 30)],
  ['fsdp2 with cached blocks', { model: 'llama-3.1-8b', cluster: { gpu: 'a100-sxm-80gb', gpus: 8 }, training: { engine: 'fsdp2', sequence_length: 8192, micro_batch_size: 1 } }],
  ['ddp', { model: 'llama-3.2-1b', cluster: { gpu: 'rtx-4090', gpus: 4 }, training: { engine: 'ddp', sequence_length: 2048, micro_batch_size: 1 } }],
];

test.each(near)('to be safe: the changes end clear of the edge, with room to see, in words that add up: %s', (_, scenario) => {
  // Walks the card's memory through the range, so that the verdict is open at any strictness.
  const { needed_bytes, needed_high_bytes } = estimate(scenario).memory;
  for (const share of [0.02, 0.5, 0.98]) {
    const edge = write(scenario, '/cluster/memory_bytes', Math.round(needed_bytes + share * (needed_high_bytes - needed_bytes)));
    const now = estimate(edge);
    expect(verdictOf(now)).toBe('unsure');
    const list = advise(edge, 'safe');
    expect(list.length).toBeGreaterThan(0);
    for (const { estimate: then, changes } of list) {
      expect(verdictOf(then)).toBe('fits');
      expect(then.fit_probability).toBeGreaterThanOrEqual(0.975);
      expect(Number(n.gib(then.memory.capacity_bytes, 1)) - Number(n.gib(then.memory.needed_bytes, 1))).toBeGreaterThan(0.05);
      const tenths = (text: string) => [...text.matchAll(/([+\u2212])(\d+\.\d)/g)].reduce((sum, [, sign, digits]) => sum + (sign === '+' ? 1 : -1) * Math.round(Number(digits) * 10), 0);
      const difference = n.decimal((then.memory.needed_bytes - now.memory.needed_bytes) / 2 ** 30, 1);
      expect(tenths(whyOf('safe', now, then)), `${whyOf('safe', now, then)}: ${difference}, ${JSON.stringify(changes)}`).toBe(tenths(difference.startsWith('\u2212') ? difference : `+${difference}`));
    }
  }
});

test('why it is faster adds up to the difference that the row shows', () => {
  const now = estimate(defaultScenario);
  const column = n.timeColumn(now.step.seconds);
  for (const { estimate: then } of advise(defaultScenario, 'faster')) {
    const hundredths = (text: string) => [...text.matchAll(/([+\u2212])(\d+\.\d\d)/g)].reduce((sum, [, sign, digits]) => sum + (sign === '+' ? 1 : -1) * Math.round(Number(digits) * 100), 0);
    expect(hundredths(whyOf('faster', now, then))).toBe(hundredths(column.of(then.step.seconds - now.step.seconds)));
  }
});

test('a degree that was set is changed with the others', () => {
  const scenario = write(write(defaultScenario, '/parallelism/data_parallel_size', 2), '/training/micro_batch_size', 8);
  for (const { estimate: then } of advise(scenario, 'fit')) {
    const { tensor_parallel_size: tp, pipeline_parallel_size: pp, context_parallel_size: cp, data_parallel_size: dp } = then.scenario.parallelism as Record<string, number>;
    expect(tp! * pp! * cp! * dp!).toBe(then.scenario.cluster.gpus);
  }
});

test('a job beyond any change gets no advice', () => {
  const scenario = { model: 'llama-3.1-405b', cluster: { gpu: 'rtx-4090', gpus: 1 }, training: { engine: 'single' } };
  expect(advise(scenario, 'fit')).toEqual([]);
});

test('figure, range and probability of the verdict are one: the range holds the card just where the verdict is open', () => {
  const at = (bytes: number) => estimate(write(defaultScenario, '/cluster/memory_bytes', Math.round(bytes)));
  const { needed_bytes: needed, needed_low_bytes: low, needed_high_bytes: high } = estimate(defaultScenario).memory;
  for (const capacity of [0.7 * low, 0.99 * low, 1.01 * low, needed, 0.99 * high, 1.01 * high, 1.3 * high]) {
    const words = verdictWords(at(capacity));
    expect(words.verdict).toBe(capacity < low ? 'no' : capacity > high ? 'fits' : 'unsure');
    expect(words.figure).toBe(words.verdict === 'unsure' ? `${n.gib(low, 1)}–${n.gib(high, 1)}` : n.gib(needed, 1));
    expect(words.scope).not.toMatch(/\b(0|100)%/);
  }
});

test('what the allocator keeps fills the card, not the verdict', () => {
  const { memory } = estimate(defaultScenario);
  const full = estimate(write(defaultScenario, '/cluster/memory_bytes', memory.device_bytes - 2 ** 28));
  expect(full.memory.device_bytes).toBe(full.memory.capacity_bytes);
  expect(full.memory.needed_bytes).toBe(memory.needed_bytes);
  const sure = { ...full, fit_probability: 0.99, memory: { ...full.memory, needed_bytes: full.memory.capacity_bytes - 0.04 * 2 ** 30 } };
  expect(verdictWords(sure)).toMatchObject({ verdict: 'fits', scope: expect.stringContaining('0.04 GiB free') });
});
