// Links keep their meaning: what goes in comes out, and links of earlier versions still open.
import { defaultScenario } from '$page/state/default-scenario';
import { decode, encode } from '$page/state/link';
import type { Scenario } from '$page/core/types';

test('the default scenario survives the round trip', async () => {
  const link = await encode(defaultScenario, { tab: 'step', open: '0.backward.mlp' });
  expect(await decode(link)).toEqual({ scenario: defaultScenario, view: { tab: 'step', open: '0.backward.mlp' }, unknown: [] });
});

test('a link made by version 1 opens for ever', async () => {
  const kept = '#v1;m=llama-3.1-70b;c=dgx-h100*64,usd2.1;p=tp8,sp:on,pp4,sch:1f1b,z1;t=e:megatron,s8192,mb1,gb128,tok1e12;tab=learn';
  const linked = await decode(kept);
  expect(linked?.unknown).toEqual([]);
  expect(linked?.view).toEqual({ tab: 'learn' });
  expect(linked?.scenario).toEqual({
    model: 'llama-3.1-70b',
    cluster: { system: 'dgx-h100', gpus: 64, usd_per_gpu_hour: 2.1 },
    parallelism: { tensor_parallel_size: 8, sequence_parallel: true, pipeline_parallel_size: 4, pipeline_schedule: '1f1b', zero_stage: 1 },
    training: { engine: 'megatron', sequence_length: 8192, micro_batch_size: 1, global_batch_size: 128, tokens: 1e12 },
  });
});

const scenarios: [string, Scenario][] = [
  ['a GPU instead of a system', { model: 'bert-base', cluster: { gpu: 'rtx-4090-24gb', gpus: 2, memory_bytes: 24e9 } }],
  ['an inline model', { model: { hidden_size: 4096, num_hidden_layers: 32, architectures: ['LlamaForCausalLM'] }, cluster: { system: 'dgx-h100' } }],
  ['lists and objects', { model: 'gpt-2', parallelism: { stage_layers: [6, 6] }, training: { recompute: { method: 'uniform', layers: 1 } } }],
  ['booleans and names', { model: 'gpt-2', parallelism: { sequence_parallel: false }, training: { dropout: true, kernels: 'eager' } }],
  ['a version, which is text, and adapters', { model: 'gpt-2', training: { engine_version: '0.14', peft: 'lora', lora_rank: 8, lora_targets: 'all_linear' } }],
  ['a model alone', { model: 'opt-13b' }],
  ['a field without a short form', { model: 'opt-13b', training: { something_new: 3 } }],
];
test.each(scenarios)('keeps %s', async (_, scenario) => {
  expect((await decode(await encode(scenario)))?.scenario).toEqual(scenario);
});

test('the link is short and readable', async () => {
  const link = await encode(defaultScenario);
  expect(link).toBe('#v1;m=llama-3.1-70b;c=dgx-h100*64;p=tp8,sp:on,pp4,z1;t=e:megatron,prec:bf16,s8192,mb1,gb128,tok1e12');
});

test('what this version does not know is named and left out', async () => {
  const linked = await decode('#v1;m=gpt-2;p=tp2,warp9;zz=1');
  expect(linked?.unknown).toEqual(['warp9', 'zz=1']);
  expect(linked?.scenario).toEqual({ model: 'gpt-2', parallelism: { tensor_parallel_size: 2 } });
});

test('of a later version what is known here is taken', async () => {
  const linked = await decode('#v2;m=gpt-2;p=tp2;n=new');
  expect(linked?.unknown).toEqual(['v2', 'n=new']);
  expect(linked?.scenario).toEqual({ model: 'gpt-2', parallelism: { tensor_parallel_size: 2 } });
});

test.each(['#v1;m=%E0%A4%A', '#v1;m=gpt-2;open=%zz', '#v1;c=%;p=tp2', '#v1;p=cpk:%', '#v1;;;=', '#v1;c=*', '#v1;p=', '#v1;x='])('%s, cut or typed by hand, does not stop the page', async (fragment) => {
  expect(await decode(fragment)).not.toBeNull();
});

test('a damaged payload is said, not guessed', async () => {
  expect((await decode('#v1;m=gpt-2;x=AAAA'))?.unknown).toEqual(['x']);
});

test('other fragments are not ours', async () => {
  expect(await decode('#section')).toBeNull();
  expect(await decode('')).toBeNull();
});

test('nothing to say makes no fragment', async () => {
  expect(await encode(null)).toBe('');
  expect(await encode(null, { tab: 'step' })).toBe('#v1;tab=step');
});
