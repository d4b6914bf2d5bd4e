// Scenarios that reach every ledger line, and wrong or doubtful ones that reach the core's messages.
import type { Group, Scenario } from '$page/core/types';
import { defaultScenario } from '$page/state/default-scenario';

/** Options that the page words for itself: on, off, ZeRO stages. */
export const optionPaths = ['option.on', 'option.off', 'option.zero_stage.'];

const h100 = (gpus: number) => ({ system: 'dgx-h100', gpus });
const engines = ['single', 'dp', 'ddp', 'fsdp1', 'fsdp2', 'deepspeed', 'hf'];
const dense = 'llama-2-7b';

export const scenarios: Scenario[] = [
  defaultScenario,
  ...engines.map((engine): Scenario => ({ model: dense, cluster: h100(engine === 'single' ? 1 : 8), training: { engine } })),
  ...[1, 2, 3].map((zero_stage): Scenario => ({ model: dense, cluster: h100(8), parallelism: { zero_stage }, training: { engine: 'deepspeed' } })),
  ...[2, 3].map((zero_stage): Scenario => ({ model: dense, cluster: h100(8), parallelism: { zero_stage, reshard_after_forward: false }, training: { engine: 'fsdp2' } })),
  ...['chunked', 'fused'].map((loss): Scenario => ({ model: dense, cluster: h100(8), training: { engine: 'ddp', loss } })),
  ...['eager', 'compiled', 'fused'].map((kernels): Scenario => ({ model: dense, cluster: h100(8), training: { engine: 'ddp', kernels, attention: 'unfused' } })),
  ...['adamw_8bit', 'adafactor', 'sgd', 'momentum', 'lion', 'muon'].map((optimizer): Scenario => ({ model: dense, cluster: h100(8), training: { optimizer } })),
  ...['fp16', 'fp8', 'pure_bf16', 'fp32'].map((precision): Scenario => ({ model: dense, cluster: h100(8), parallelism: { tensor_parallel_size: 2 }, training: { precision } })),
  { model: dense, cluster: h100(8), parallelism: { tensor_parallel_size: 2 }, training: { precision: 'fp16', gradient_dtype: 'fp16' } },
  { model: dense, cluster: h100(8), parallelism: { zero_stage: 3 }, training: { engine: 'deepspeed', precision: 'bf16', gradient_dtype: 'bf16' } },
  ...['full', 'selective', { method: 'block', layers: 2 }, { modules: ['mlp', 'layernorm'] }].map((recompute): Scenario => ({ model: dense, cluster: h100(8), training: { recompute } })),
  ...['pipedream', 'pipedream-2bw', 'gpipe', 'zb-h1', 'dualpipe'].map((pipeline_schedule): Scenario => ({ model: dense, cluster: h100(8), parallelism: { pipeline_parallel_size: 4, pipeline_schedule }, training: { engine: 'megatron', global_batch_size: 64 } })),
  ...['ring', 'all_gather', 'ulysses'].map((context_parallel_kind): Scenario => ({ model: dense, cluster: h100(8), parallelism: { context_parallel_size: 2, context_parallel_kind }, training: { engine: 'megatron' } })),
  { model: 'deepseek-v3', cluster: h100(256), parallelism: { pipeline_parallel_size: 8, expert_parallel_size: 32 }, training: { engine: 'megatron' } },
  { model: 'mixtral-8x7b', cluster: h100(64), parallelism: { tensor_parallel_size: 2, expert_parallel_size: 8 }, training: { engine: 'megatron', recompute: { modules: ['moe_activation'] } } },
  { model: 'gpt3-6.7b', cluster: h100(8), parallelism: { tensor_parallel_size: 2 }, training: { engine: 'megatron', dropout: true, sequence_length: 2048 } },
  { model: 'bert-base', cluster: { gpu: 'v100-sxm2-32gb', gpus: 8 } },
  { model: 'qwen3-8b', cluster: h100(8), training: { engine: 'fsdp2' } },
];

const change = (section: 'cluster' | 'parallelism' | 'training', values: Group): Scenario => ({ ...defaultScenario, [section]: { ...defaultScenario[section], ...values } });

export const wrongScenarios: [string, Scenario][] = [
  ['no model', { cluster: h100(8) }],
  ['an unknown model', { ...defaultScenario, model: 'llama-9-70b' }],
  ['a strange model', { ...defaultScenario, model: 'xyzzy-plugh' }],
  ['an empty config', { ...defaultScenario, model: {} }],
  ['an unknown architecture', { ...defaultScenario, model: { architectures: ['NewForCausalLM'], hidden_size: 64 } }],
  ['heads that do not divide', { ...defaultScenario, model: { model_type: 'llama', hidden_size: 4096, num_hidden_layers: 2, num_attention_heads: 30, intermediate_size: 1024, vocab_size: 1000 } }],
  ['no hardware', { model: dense, cluster: { gpus: 8 } }],
  ['system and GPU', change('cluster', { gpu: 'h100-sxm-80gb' })],
  ['an unknown system', change('cluster', { system: 'dgx-h1000' })],
  ['a word for a number', change('parallelism', { tensor_parallel_size: 'six' })],
  ['a fraction', change('parallelism', { tensor_parallel_size: 1.5 })],
  ['out of range', change('parallelism', { tensor_parallel_size: 0 })],
  ['an unknown option', change('training', { precision: 'bf61' })],
  ['a number for an option', change('training', { precision: 16 })],
  ['a word for yes or no', change('parallelism', { sequence_parallel: 'maybe' })],
  ['a word for a list', change('parallelism', { stage_layers: 'even' })],
  ['an unknown field', change('training', { batch: 4 })],
  ['TP does not divide', change('parallelism', { tensor_parallel_size: 6 })],
  ['too many degrees', change('parallelism', { tensor_parallel_size: 64 })],
  ['DP does not match', change('parallelism', { data_parallel_size: 3 })],
  ['CP does not divide', change('parallelism', { context_parallel_size: 3 })],
  ['Ulysses does not divide', change('parallelism', { context_parallel_size: 2, context_parallel_kind: 'ulysses', tensor_parallel_size: 8 })],
  ['engine without TP', change('training', { engine: 'ddp' })],
  ['engine without the ZeRO stage', change('parallelism', { zero_stage: 3 })],
  ['single engine on many', { model: dense, cluster: h100(8), training: { engine: 'single' } }],
  ['DataParallel on nodes', { model: dense, cluster: h100(16), training: { engine: 'dp' } }],
  ['format the GPU lacks', { model: dense, cluster: { gpu: 'v100-sxm2-32gb', gpus: 8 }, training: { precision: 'bf16' } }],
  ['experts of a dense model', change('parallelism', { expert_parallel_size: 2 })],
  ['experts that do not divide', { model: 'mixtral-8x7b', cluster: h100(64), parallelism: { expert_parallel_size: 3 }, training: { engine: 'megatron' } }],
  ['imbalance beyond the ranks', { model: 'mixtral-8x7b', cluster: h100(64), parallelism: { expert_parallel_size: 2 }, training: { engine: 'megatron', moe_load_factor: 5 } }],
  ['schedule without stages', { model: dense, cluster: h100(8), parallelism: { pipeline_schedule: 'gpipe' }, training: { engine: 'megatron' } }],
  ['chunks without stages', { model: dense, cluster: h100(8), parallelism: { virtual_pipeline_size: 2 }, training: { engine: 'megatron' } }],
  ['1F1B with chunks', change('parallelism', { virtual_pipeline_size: 2, pipeline_schedule: '1f1b' })],
  ['interleaved without chunks', change('parallelism', { virtual_pipeline_size: 1, pipeline_schedule: 'interleaved' })],
  ['zb-v with three chunks', change('parallelism', { virtual_pipeline_size: 3, pipeline_schedule: 'zb-v' })],
  ['micro-batches not in groups', { ...change('parallelism', { virtual_pipeline_size: 5 }), training: { ...defaultScenario.training, global_batch_size: 66 } }],
  ['too few for DualPipe', { ...change('parallelism', { pipeline_schedule: 'dualpipe' }), training: { ...defaultScenario.training, global_batch_size: 8 } }],
  ['more chunks than layers', { model: 'bert-base', cluster: h100(64), parallelism: { pipeline_parallel_size: 32 }, training: { engine: 'megatron' } }],
  ['stage layers of wrong length', change('parallelism', { stage_layers: [40, 40] })],
  ['stage layers of wrong sum', change('parallelism', { stage_layers: [20, 20, 20, 19] })],
  ['encoder-decoder pipeline', { model: 't5-base', cluster: h100(8), parallelism: { pipeline_parallel_size: 2 }, training: { engine: 'megatron' } }],
  ['batch that does not divide', change('training', { global_batch_size: 63 })],
  ['beyond learned positions', { model: 'bert-base', cluster: h100(8), training: { sequence_length: 4096 } }],
  ['gradients of another format', change('training', { gradient_dtype: 'fp16' })],
  ['recompute beyond the chunk', change('training', { recompute: { method: 'uniform', layers: 50 } })],
  ['an empty recompute', change('training', { recompute: {} })],
  ['two kinds of recompute', change('training', { recompute: { layers: 1, modules: ['mlp'] } })],
  ['warning: TP across nodes', { model: 'llama-3.1-405b', cluster: h100(64), parallelism: { tensor_parallel_size: 16, sequence_parallel: false }, training: { engine: 'megatron' } }],
  ['warning: SP without TP', { model: dense, cluster: h100(8), parallelism: { sequence_parallel: true }, training: { engine: 'megatron' } }],
  ['warning: uneven, unfilled', { model: dense, cluster: h100(24), parallelism: { pipeline_parallel_size: 3 }, training: { engine: 'megatron', global_batch_size: 16 } }],
  ['warning: balanced routing', { model: 'mixtral-8x7b', cluster: h100(64), parallelism: { expert_parallel_size: 8 }, training: { engine: 'megatron' } }],
  ['warning: beyond positions', change('training', { sequence_length: 262144 })],
  ['warning: recompute for nothing', change('training', { recompute: { modules: ['core_attention', 'moe_activation', 'mla_up_projection'] } })],
  ['warning: no FlashAttention', { model: dense, cluster: { gpu: 'v100-sxm2-32gb', gpus: 16 } }],
];
