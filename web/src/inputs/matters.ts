// Which fields can change the answer: those of adapters where there are any, those of experts in a mixture.
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';

const taken = (path: string) => scenario.get(path) ?? result.resolved(path);
const adapted = () => (taken('/training/peft') ?? 'none') !== 'none';
const mixture = () => result.estimate.model.active_parameters < result.estimate.model.parameters;

const rules: Record<string, () => boolean> = {
  '/parallelism/expert_tensor_parallel_size': mixture,
  '/parallelism/micro_batch_group_size': () => taken('/parallelism/pipeline_schedule') === 'interleaved',
  '/training/fp8_parameters': () => ['fp8', 'mxfp8', 'nvfp4'].includes(String(taken('/training/precision'))),
  '/training/lora_rank': adapted,
  '/training/lora_targets': adapted,
  '/training/lora_kernels': adapted,
  '/training/lora_dropout': adapted,
  '/training/double_quantisation': () => taken('/training/peft') === 'qlora',
  '/training/upcast_residual': adapted,
  '/training/moe_load_factor': mixture,
  '/training/moe_capacity_factor': mixture,
  '/training/moe_dispatcher': mixture,
  '/training/moe_grouped_gemm': mixture,
  '/training/overlap_expert_parallel': mixture,
};

/** What was set, or is complained of, is always shown. */
export const matters = (path: string): boolean =>
  (rules[path]?.() ?? true) || scenario.get(path) !== undefined || result.wrong(path) || result.warnings(path).length > 0;
