// What the page computes on its own thread is what the worker answers, and only where that is known to be quick.
import { load } from 'meshgauge';
import { ahead } from '$page/core/ahead';
import type { Estimate, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';
import { verdictWords } from '$page/verdict/words';

const quick_ms = 1;
const long_ms = 50;
const mixture: Scenario = { model: 'mixtral-8x7b', cluster: { system: 'dgx-h100', gpus: 16 }, training: { engine: 'megatron', tokens: 1e12 } };

test('nothing before it has loaded', () => {
  ahead.learn(quick_ms);
  expect(ahead.estimate(defaultScenario)).toBeNull();
});

test.each([['the default', defaultScenario], ['a mixture', mixture]])('the same figures as in full: %s', async (_, scenario) => {
  await ahead.start();
  ahead.learn(quick_ms);
  const full = JSON.parse((await load()).apiText(JSON.stringify({ command: 'estimate', scenario }))) as Estimate;
  const early = ahead.estimate(scenario)!;
  expect(verdictWords(early)).toEqual(verdictWords(full));
  expect(early.scenario).toEqual(full.scenario);
  for (const part of ['seconds', 'low_seconds', 'high_seconds', 'mfu', 'tokens_per_second_per_gpu'] as const) expect(early.step[part]).toBe(full.step[part]);
  expect([early.run?.days, early.run?.gpu_hours, early.run?.cost]).toEqual([full.run?.days, full.run?.gpu_hours, full.run?.cost]);
});

test('what is refused, or took long in the worker, is left to the worker', async () => {
  await ahead.start();
  ahead.learn(quick_ms);
  expect(ahead.estimate({ ...defaultScenario, parallelism: { tensor_parallel_size: 'six' } })).toBeNull();
  ahead.learn(long_ms);
  expect(ahead.estimate(defaultScenario)).toBeNull();
  ahead.learn(quick_ms);
  expect(ahead.estimate(defaultScenario)).not.toBeNull();
});
