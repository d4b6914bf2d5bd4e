// Compare: a preset leaves alone what it need not change, and every variant says what it changed, the engine first.
import { load } from 'meshgauge';
import { variantsOf } from '$page/core/variants';
import type { Describe, Estimate, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';
import { read, write } from '$page/state/pointer';
import { changesFrom } from '$page/tabs/compare/changes';
import { memoryDifferences } from '$page/tabs/compare/differences';
import { variantsIn } from '$page/tabs/compare/presets';

const core = await load();
const ask = (request: object): unknown => JSON.parse(core.apiText(JSON.stringify(request)));
const estimate = (scenario: Scenario) => ask({ command: 'estimate', scenario, explain: true }) as Estimate;
const describe = ask({ command: 'describe' }) as Describe;
const engineOf = ({ scenario }: Estimate) => String(scenario.training.engine);
const variants = (preset: 'zero' | 'engines' | 'recompute', now: Scenario) =>
  variantsOf(variantsIn(preset, now, describe, engineOf(estimate(now)), []).map((one) => ({ ...one, prices: {} })), ask);

test.each(describe.engines.map(({ id }) => id))('ZeRO stages keep the engine %s where it has them, and say so where not', (engine) => {
  const scenario: Scenario = { model: 'llama-3.2-1b', cluster: { system: 'dgx-h100', gpus: engine === 'single' ? 1 : 8 }, training: { engine } };
  const now = estimate(scenario);
  const own = describe.engines.find(({ id }) => id === engine)!.zero_stages;
  const answered = variants('zero', scenario).filter(({ estimate: one }) => one !== null);
  expect(answered.map(({ id }) => Number(id))).toEqual(expect.arrayContaining(own));
  for (const { id, estimate: then } of answered) {
    if (own.includes(Number(id))) expect(engineOf(then!)).toBe(engine);
    const engines = changesFrom(now, then!).filter(({ path }) => path === '/training/engine');
    expect(engines).toEqual(engineOf(then!) === engine ? [] : [{ path: '/training/engine', value: engineOf(then!) }]);
  }
});

test('a Megatron job meets ZeRO-3 in another engine, which heads its changes', () => {
  const now = estimate(defaultScenario);
  expect(engineOf(now)).toBe('megatron');
  const third = variants('zero', defaultScenario).find(({ id }) => id === '3')!;
  expect(changesFrom(now, third.estimate!)[0]).toEqual({ path: '/training/engine', value: 'deepspeed' });
});

test('a setting that a stage no longer has is no change of it', () => {
  const scenario: Scenario = { model: 'llama-3.2-1b', cluster: { system: 'dgx-h100', gpus: 8 }, training: { engine: 'deepspeed' }, parallelism: { zero_stage: 2 } };
  const now = estimate(scenario);
  expect(now.scenario.training).toHaveProperty('reduce_bucket_size');
  const none = variants('zero', scenario).find(({ id }) => id === '0')!;
  expect(none.estimate!.scenario.training).not.toHaveProperty('reduce_bucket_size');
  expect(changesFrom(now, none.estimate!).filter(({ value }) => value === undefined)).toEqual([]);
});

test('among the engines stands the present job as it is, stage and all', () => {
  const scenario = write(defaultScenario, '/parallelism/zero_stage', 1);
  const now = estimate(scenario);
  const answered = variants('engines', scenario).filter(({ estimate: one }) => one !== null);
  expect(changesFrom(now, answered.find(({ id }) => id === engineOf(now))!.estimate!)).toEqual([]);
  for (const { estimate: then } of answered) {
    const changed = changesFrom(now, then!);
    for (const path of ['/parallelism/zero_stage', '/training/engine']) {
      expect(changed.some((change) => change.path === path)).toBe(read(now.scenario, path) !== read(then!.scenario, path));
    }
  }
});

test('the memory of two variants differs by what its lines differ', () => {
  const [now, then] = [estimate(defaultScenario), estimate(write(defaultScenario, '/training/recompute', 'full'))];
  const { lines } = memoryDifferences(now, then, ({ id }) => id);
  const sum = lines.reduce((all, { a, b }) => all + b - a, 0);
  expect(Math.abs(sum - (then.memory.needed_bytes - now.memory.needed_bytes))).toBeLessThan(2 ** 30 / 100);
});
