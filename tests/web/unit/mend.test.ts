// What was typed last stays; the rest gives way as little as it must, and the core accepts the result.
import { load } from 'meshgauge';
import { mendOf } from '$page/core/mend';
import type { Estimate, Refusal, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';
import { write } from '$page/state/pointer';
import { wrongScenarios } from './support/scenarios';

const core = await load();
const ask = (request: object): unknown => JSON.parse(core.apiText(JSON.stringify(request)));
const edit = (path: string, value: unknown, of: Scenario = defaultScenario) => write(of, path, value);
const changed = (path: string, value: unknown, of?: Scenario) => {
  const mend = mendOf(edit(path, value, of), path, ask);
  return mend && Object.fromEntries(mend.changes.map((change) => [change.path.split('/').pop(), change.value]));
};

test('fewer GPUs shorten the pipeline first', () => {
  expect(changed('/cluster/gpus', 16)).toEqual({ pipeline_parallel_size: 2 });
});

test('where the pipeline is not enough, tensor parallelism gives way', () => {
  expect(changed('/cluster/gpus', 2)).toEqual({ pipeline_parallel_size: 1, tensor_parallel_size: 2 });
});

test('a larger degree takes its GPUs from the others', () => {
  expect(changed('/parallelism/tensor_parallel_size', 64)).toEqual({ pipeline_parallel_size: 1 });
});

test('an engine without model parallelism takes what goes with it along', () => {
  expect(changed('/training/engine', 'fsdp2')).toEqual({ tensor_parallel_size: 1, pipeline_parallel_size: 1, sequence_parallel: false, zero_stage: 3 });
});

test('a data-parallel size of its own goes back to what the GPUs leave', () => {
  expect(changed('/cluster/gpus', 128, edit('/parallelism/data_parallel_size', 2))).toEqual({ data_parallel_size: 4 });
});

test('what is no value is nobody else’s to mend', () => {
  expect(changed('/parallelism/tensor_parallel_size', 'six')).toBeNull();
  expect(changed('/training/sequence_length', -1)).toBeNull();
});

test('the typed value is never among the changes, nor is model or cluster', () => {
  for (const [name, scenario] of wrongScenarios) {
    for (const edited of ['', '/cluster/gpus', '/training/engine', '/parallelism/tensor_parallel_size']) {
      const mend = mendOf(scenario, edited, ask);
      if (!mend) continue;
      expect(mend.changes.map(({ path }) => path), name).not.toContain(edited);
      expect(mend.scenario.model, name).toEqual(scenario.model);
      expect(mend.scenario.cluster, name).toEqual(scenario.cluster);
      expect((ask({ command: 'estimate', scenario: mend.scenario }) as Estimate | Refusal).ok, name).toBe(true);
    }
  }
});
