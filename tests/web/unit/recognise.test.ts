// Pasted text: a config.json, a scenario, a link of ours, or nothing known.
import { recognise } from '$page/header/recognise';
import { defaultScenario } from '$page/state/default-scenario';

test('a config.json replaces the model alone', async () => {
  const pasted = await recognise('{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32}', defaultScenario);
  expect(pasted.kind).toBe('config');
  expect(pasted.what).toContain('LlamaForCausalLM');
  expect(pasted.scenario?.cluster).toEqual(defaultScenario.cluster);
  expect(pasted.scenario?.model).toMatchObject({ hidden_size: 4096 });
});

test('what no shape needs is left out of the model, whatever its size', async () => {
  const config = { model_type: 'llama', hidden_size: 4096, layer_types: ['full', 'full'], vocabulary: Array.from({ length: 20_000 }, (_, i) => `token ${i}`) };
  const pasted = await recognise(JSON.stringify(config), defaultScenario);
  expect(pasted.scenario?.model).toEqual({ model_type: 'llama', hidden_size: 4096, layer_types: ['full', 'full'] });
});

test('a scenario sets the sections it has', async () => {
  const pasted = await recognise('{"schema_version": 1, "model": "gpt2", "training": {"tokens": 5}}', defaultScenario);
  expect(pasted).toMatchObject({ kind: 'scenario', sections: ['model', 'training'] });
  expect(pasted.scenario).toMatchObject({ model: 'gpt2', training: { tokens: 5 }, parallelism: defaultScenario.parallelism });
});

test('a link opens as it was made', async () => {
  const pasted = await recognise('see https://example.org/page/#v1;m=gpt2;c=dgx-h100*8', defaultScenario);
  expect(pasted).toMatchObject({ kind: 'link', scenario: { model: 'gpt2', cluster: { system: 'dgx-h100', gpus: 8 } } });
});

test.each(['', 'hello', '{"a": 1}', '[1, 2]', '{"hidden_size": '])('"%s" is not recognised, and said so with its first line', async (text) => {
  const pasted = await recognise(text, defaultScenario);
  expect(pasted.kind).toBe('unknown');
  expect(pasted.scenario).toBeUndefined();
  expect(text.startsWith(pasted.what)).toBe(true);
});
