// The core's proposals become buttons, and what the buttons say is not said twice.
import { load } from 'meshgauge';
import { fixesOf, withoutFixes } from '$page/core/fix';
import type { Describe } from '$page/core/types';

const core = await load();
const { fields } = JSON.parse(core.apiText('{"command":"describe"}')) as Describe;
const tensor = '/parallelism/tensor_parallel_size';

const table: [path: string, message: string, fixes: [string, unknown][], rest: string][] = [
  [tensor, 'tensor_parallel_size 6 does not divide 64 attention heads. Allowed: 1, 2, 4. Set 4.', [[tensor, 4]], 'tensor_parallel_size 6 does not divide 64 attention heads. Allowed: 1, 2, 4.'],
  [tensor, 'tensor_parallel_size is 8, but ddp has no tensor parallelism. Set tensor_parallel_size 1, or engine megatron.', [[tensor, 1], ['/training/engine', 'megatron']], 'tensor_parallel_size is 8, but ddp has no tensor parallelism.'],
  [tensor, 'tensor_parallel_size is 8. Set tensor_parallel_size 1, or engine megatron, torchtitan.', [[tensor, 1], ['/training/engine', 'megatron'], ['/training/engine', 'torchtitan']], 'tensor_parallel_size is 8.'],
  ['/cluster/gpus', 'TP x PP x CP = 24 does not divide 64 GPUs. Set gpus 48 or 1,072.', [['/cluster/gpus', 48], ['/cluster/gpus', 1072]], 'TP x PP x CP = 24 does not divide 64 GPUs.'],
  ['/cluster/gpus', 'The cluster has 16. Set gpus 32, or smaller degrees.', [['/cluster/gpus', 32]], 'The cluster has 16. Set gpus 32, or smaller degrees.'],
  ['/parallelism/sequence_parallel', 'Uneven. Set it false, or sequence_length 8,196.', [['/parallelism/sequence_parallel', false], ['/training/sequence_length', 8196]], 'Uneven.'],
  ['/training/recompute/layers', 'layers is 50. Set 1.', [['/training/recompute/layers', 1]], 'layers is 50.'],
  ['/cluster/gpu', 'unknown GPU "h10"; did you mean "h100" or "h20"?', [['/cluster/gpu', 'h100'], ['/cluster/gpu', 'h20']], 'unknown GPU "h10"'],
  ['/training/sequence_length', "Sequence 8,192 is beyond the model's 4,096 positions. Allowed with position scaling.", [['/training/sequence_length', 4096]], "Sequence 8,192 is beyond the model's 4,096 positions. Allowed with position scaling."],
  ['/parallelism/sequence_parallel', 'sequence_parallel has no effect without tensor parallelism.', [['/parallelism/sequence_parallel', false]], 'sequence_parallel has no effect without tensor parallelism.'],
  ['/cluster', 'The cluster names no hardware. Set system or gpu to an id of the catalog.', [], 'The cluster names no hardware. Set system or gpu to an id of the catalog.'],
  ['/training/precision', 'precision is bf61. Set bf62.', [], 'precision is bf61. Set bf62.'],
];

test.each(table)('%s: %s', (path, message, expected, rest) => {
  const fixes = fixesOf({ path, message }, fields);
  expect(fixes).toEqual(expected.map(([at, value]) => ({ path: at, value })));
  expect(withoutFixes(message, fixes)).toBe(rest);
});
