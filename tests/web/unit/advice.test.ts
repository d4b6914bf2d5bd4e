// Advice by the core that the page runs: it fits, it is better, and no change is there for nothing.
import { load } from 'meshgauge';
import { adviceOf } from '$page/core/advice';
import type { Estimate, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';
import { write } from '$page/state/pointer';

const core = await load();
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
