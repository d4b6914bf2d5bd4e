// A scenario is read and changed by path, and never in place.
import { defaultScenario } from '$page/state/default-scenario';
import { fieldOf, read, write } from '$page/state/pointer';

test('reads what was set, and nothing else', () => {
  expect(read(defaultScenario, '/model')).toBe('llama-3.1-70b');
  expect(read(defaultScenario, '/parallelism/tensor_parallel_size')).toBe(8);
  expect(read(defaultScenario, '/training/optimizer')).toBeUndefined();
  expect(read(defaultScenario, '/training/recompute/layers')).toBeUndefined();
});

test('a change leaves the old scenario alone', () => {
  const changed = write(defaultScenario, '/training/optimizer', 'sgd');
  expect(read(changed, '/training/optimizer')).toBe('sgd');
  expect(read(defaultScenario, '/training/optimizer')).toBeUndefined();
  expect(changed.cluster).toBe(defaultScenario.cluster);
});

test('no value takes a field out', () => {
  expect(write({ model: 'a', training: { tokens: 1 } }, '/training/tokens', undefined)).toEqual({ model: 'a', training: {} });
});

test('a part of a field makes the field an object', () => {
  expect(write({ training: { recompute: 'full' } }, '/training/recompute/layers', 2)).toEqual({ training: { recompute: { layers: 2 } } });
});

test('a deeper path belongs to its field, any part of a model to the model', () => {
  expect(fieldOf('/training/recompute/layers')).toBe('/training/recompute');
  expect(fieldOf('/parallelism/stage_layers/3')).toBe('/parallelism/stage_layers');
  expect(fieldOf('/model/hidden_size')).toBe('/model');
});
