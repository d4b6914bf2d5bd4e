// Buffers and transients: gradient buckets, gathered units, workspaces, one layer's backward, the optimizer's temporaries.
#pragma once

#include "core/count/memory_context.hpp"
#include "core/count/overhead.hpp"

namespace meshgauge {

template <class Sink>
void count_gradient_buckets(const MemoryContext& c, Sink& sink) {
  const BufferRules& rules = c.engine.buffers;
  const double width = bytes_of(c.training().gradient_dtype);
  const double P = c.rank.total();
  if (c.multi && rules.bucket_copies_gradients) {
    sink.add({"ddp_buckets", "DDP gradient buckets", "w * P",
              "torch/csrc/distributed/c10d/reducer.cpp initialize_buckets; none with gradient_as_bucket_view=True"},
             Category::buffers, c.in(during(Phase::init, Phase::optimizer)), width * P, {{"w", width}, {"P", P}});
  }
  const double element = bytes_of(c.mixed() ? c.engine.mixed_reduction : c.training().gradient_dtype);
  const bool reduces = c.multi && c.parallelism().zero_stage >= 1;
  if (reduces && rules.bucket_copies > 0) {
    // reduce_bucket_size elements are allocated whatever the model's size; the flattened copy holds what is in it.
    constexpr const char* source = "deepspeed/runtime/zero/stage_1_and_2.py setup_buckets, allreduce_bucket; stage3.py";
    sink.add({"reduce_bucket", "Gradient reduction bucket", "w * B", source}, Category::buffers,
             c.in(at(Phase::backward)), element * rules.bucket_elements, {{"w", element}, {"B", rules.bucket_elements}});
    sink.add({"reduce_bucket_copy", "Flattened copy of the bucket", "w * min(B, P)", source}, Category::transient,
             c.in(at(Phase::backward)), element * std::min(rules.bucket_elements, P),
             {{"w", element}, {"B", rules.bucket_elements}, {"P", P}});
  }
}

/// Units that are gathered for use: FSDP's wrapped layers and root, ZeRO-3's live parameters.
template <class Sink>
void count_gathered_units(const MemoryContext& c, Sink& sink) {
  const BufferRules& rules = c.engine.buffers;
  const double P = c.rank.total(), U = c.rank.largest_layer, R = c.rank.outside_layers;
  const double reduce = bytes_of(c.mixed() ? c.engine.mixed_reduction : c.training().gradient_dtype);
  const Phases forward = c.in(during(Phase::forward, Phase::backward)), backward = c.in(at(Phase::backward));
  if (c.multi && rules.gathered_units_forward > 0) {
    constexpr const char* source = "torch/distributed/fsdp/_fully_shard/{_fsdp_param_group,_fsdp_collectives}.py";
    const bool keeps_all = c.parallelism().zero_stage == 2 || !c.parallelism().reshard_after_forward;
    if (keeps_all) {
      sink.add({"gathered_parameters", "Gathered parameters", "w * P", source}, Category::buffers, forward, c.w * P,
               {{"w", c.w}, {"P", P}});
    } else {
      // The root unit (embedding, final norm, head) is not resharded after forward.
      sink.add({"gathered_root", "Gathered root unit", "w * R", source}, Category::buffers, forward, c.w * R,
               {{"w", c.w}, {"R", R}});
      const double n = rules.gathered_units_forward, b = rules.gathered_units_backward;
      sink.add({"gathered_units", "Gathered layers, current and next", "w * n * U", source}, Category::buffers,
               c.in(at(Phase::forward)), c.w * n * U, {{"w", c.w}, {"n", n}, {"U", U}});
      sink.add({"gathered_units", "Gathered layers, current and next", "w * n * U", source}, Category::buffers,
               backward, c.w * b * U, {{"w", c.w}, {"n", b}, {"U", U}});
    }
    sink.add({"unsharded_gradients", "Unsharded gradients of a layer and of the root", "w * (U + R)", source},
             Category::transient, backward, c.w * (U + R), {{"w", c.w}, {"U", U}, {"R", R}});
    sink.add({"reduce_scatter_input", "Reduce-scatter input of the previous layer", "w * n * U", source},
             Category::transient, backward, reduce * rules.reduce_input_units * U,
             {{"w", reduce}, {"n", rules.reduce_input_units}, {"U", U}});
  }
  if (c.multi && c.parallelism().zero_stage == 3 && rules.live_parameter_elements > 0) {
    const double live = rules.live_parameter_elements, next = rules.prefetch_elements;
    sink.add({"live_parameters", "Live and prefetched parameters", "w * min(P, l + n + U)",
              "deepspeed/runtime/zero/partitioned_param_coordinator.py: max_reuse_distance, prefetch bucket, one layer"},
             Category::buffers, forward, c.w * std::min(P, live + next + U),
             {{"w", c.w}, {"P", P}, {"l", live}, {"n", next}, {"U", U}});
  }
  if (c.training().engine == Engine::dp && c.multi) {
    const double width = bytes_of(c.training().gradient_dtype);
    sink.add({"replica_gradients", "Gradients of device 0's own replica", "w * P",
              "torch/nn/parallel/_functions.py Broadcast.backward: all gradients before the reduction"},
             Category::transient, backward, width * P, {{"w", width}, {"P", P}});
  }
}

/// The widest moment of one layer's backward beside its saved tensors: gradients of the MLP or of attention.
template <class Sink>
void count_layer_backward(const MemoryContext& c, Sink& sink) {
  if (c.stage.blocks() == 0) return;
  const bool gqa = c.model().kv_heads < c.model().heads;
  const bool flash = c.training().attention == Attention::flash;
  // FlashAttention-2 accumulates dQ in fp32 and, with grouped KV heads, expands dK and dV to all heads.
  const double A = flash ? 4 * c.w + 4 + (gqa ? 2 * c.w : 0) : 4 * c.w;
  const double F = c.w * (c.g + 1);
  sink.add({"layer_backward", "Gradients inside one layer", "T * (max(F * f, A * a * q) / t + 2 * w * h)",
            "derived: gradients of an op's output and input coexist; flash_api.cpp dq_accum and expanded dk, dv"},
           Category::transient, c.in(at(Phase::backward)),
           c.T * (std::max(F * c.f, A * c.a * c.q) / c.t + 2 * c.w * c.h),
           {{"T", c.T}, {"F", F}, {"f", c.f}, {"A", A}, {"a", c.a}, {"q", c.q}, {"t", c.t}, {"w", c.w}, {"h", c.h}});
  if (!flash) {
    const double width = c.training().kernels == Kernels::eager ? 4.0 : c.w;
    sink.add({"score_gradients", "Gradient of the attention scores", "T * w * a * s / t",
              "derived: gradient of one layer's scores beside the saved softmax"},
             Category::transient, c.in(at(Phase::backward)), c.T * width * c.a * c.s / c.t,
             {{"T", c.T}, {"w", width}, {"a", c.a}, {"s", c.s}, {"t", c.t}});
  }
  if (c.stage.moe_layers > 0) {
    const auto K = static_cast<double>(c.model().moe.top_k);
    const auto x = static_cast<double>(c.parallelism().expert_tensor);
    const double B = c.training().moe_load_factor;
    sink.add({"moe_dispatch", "Expert dispatch: send and receive", "2 * T / u * K * x * B * w * h",
              "Megatron-LM core/transformer/moe/token_dispatcher.py"},
             Category::transient, c.in(during(Phase::forward, Phase::backward)),
             2 * c.T / c.u * K * x * B * c.w * c.h,
             {{"T", c.T}, {"u", c.u}, {"K", K}, {"x", x}, {"B", B}, {"w", c.w}, {"h", c.h}});
  }
}

/// Buffers that tensor, context and pipeline parallelism keep.
template <class Sink>
void count_parallel_buffers(const MemoryContext& c, Sink& sink) {
  const Parallelism& par = c.parallelism();
  const Phases step = c.in(during(Phase::forward, Phase::backward));
  if (c.u > 1) {
    sink.add({"sequence_gather", "Sequence-parallel gather buffer", "T * w * h",
              "Megatron-LM core/tensor_parallel/layers.py: one global buffer"},
             Category::buffers, step, c.T * c.w * c.h, {{"T", c.T}, {"w", c.w}, {"h", c.h}});
  }
  if (par.context > 1 && par.context_kind != ContextParallelKind::ulysses) {
    const auto n = static_cast<double>(par.context);
    sink.add({"context_keys_values", "Keys and values of the whole sequence", "c * T * w * 2 * k * q / t",
              "TransformerEngine attention/dot_product_attention/context_parallel.py: all ring steps kept"},
             Category::transient, step, n * c.T * c.w * 2 * c.k * c.q / c.t,
             {{"c", n}, {"T", c.T}, {"w", c.w}, {"k", c.k}, {"q", c.q}, {"t", c.t}});
  }
  if (par.pipeline > 1) {
    const double n = par.virtual_pipeline > 1 ? 3 : 2;
    sink.add({"pipeline_buffers", "Stage boundary tensors", "n * T * w * h / u",
              "Megatron-LM core/pipeline_parallel/p2p_communication.py: activation and gradient in transit"},
             Category::buffers, step, n * c.T * c.w * c.h / c.u,
             {{"n", n}, {"T", c.T}, {"w", c.w}, {"h", c.h}, {"u", c.u}});
  }
}

template <class Sink>
void count_optimizer_temporaries(const MemoryContext& c, Sink& sink) {
  const Phases step = c.in(at(Phase::optimizer));
  const std::int64_t zero = c.parallelism().zero_stage;
  const double d = zero >= 1 ? c.d : 1, de = zero >= 1 ? c.de : 1;
  const double P = c.rank.dense, E = c.rank.experts;
  if (c.engine.buffers.foreach_optimizer && c.training().optimizer != Optimizer::sgd) {
    const double width = c.mixed() ? 4 : c.w;
    sink.add({"foreach_temporary", "Temporary of the foreach optimizer", "w * (P / d + E / e)",
              "torch/optim/optimizer.py: foreach peaks at one more copy of the parameters"},
             Category::transient, step, width * (P / d + E / de),
             {{"w", width}, {"P", P}, {"d", d}, {"E", E}, {"e", de}});
  }
  const bool half_gradients = bytes_of(c.training().gradient_dtype) == 2;
  const bool copies = c.mixed() && c.engine.mixed_weights == MixedWeights::half_master && half_gradients;
  const bool persistent = c.engine.keeps_fp16_main_gradients && c.training().gradient_dtype == DataType::fp16;
  if (copies && !persistent) {
    // ZeRO-3 steps by sub-groups of 1e9 elements, the others cast the whole shard at once.
    const double whole_shard = P / d + E / de;
    const double n = zero == 3 ? std::min(1e9, whole_shard) : whole_shard;
    sink.add({"fp32_gradient_shard", "fp32 copy of the gradient shard", "4 * n",
              "deepspeed/runtime/zero/{stage_1_and_2,stage3}.py step; Megatron-LM distrib_optimizer.py "
              "_copy_model_grads_to_main_grads"},
             Category::transient, step, 4 * n, {{"n", n}});
  }
}

/// Scratch that Transformer Engine keeps when the GEMM itself adds to the gradient: one per distinct weight shape.
template <class Sink>
void count_workspaces(const MemoryContext& c, const OverheadConstants& constants, Sink& sink) {
  const Phases step = c.in(during(Phase::forward, Phase::optimizer));
  const bool transformer_engine = c.training().kernels == Kernels::fused && !c.scenario.cluster.gpu.before_ampere();
  if (c.engine.fuses_gradient_accumulation && transformer_engine) {
    const auto fe = static_cast<double>(c.model().moe.expert_ffn);
    const auto x = static_cast<double>(c.parallelism().expert_tensor);
    const double attention = c.model().mla.used() ? 0 : c.h * (2 * c.a + 2 * c.k) * c.q / c.t;
    const double dense = c.stage.dense_layers > 0 ? (c.g + 1) * c.h * c.f / c.t : 0;
    const double expert = c.stage.moe_layers > 0 ? (c.g + 1) * c.h * fe / x : 0;
    const double head = c.stage.head ? c.V * c.h : 0;
    sink.add({"weight_gradient_scratch", "Weight-gradient scratch", "2 * (A + D + E + H)",
              "TransformerEngine module/base.py get_dummy_wgrad, 2.5 or later: one for each distinct weight shape"},
             Category::buffers, step, 2 * (attention + dense + expert + head),
             {{"A", attention}, {"D", dense}, {"E", expert}, {"H", head}});
  }
  sink.add({"cublas_workspace", "cuBLAS workspaces", "B", "PyTorch aten/src/ATen/cuda/CUDABlas.cpp; TE 32 MiB on Hopper"},
           Category::buffers, step, constants.cublas_workspace.value, {{"B", constants.cublas_workspace.value}});
}

template <class Sink>
void count_buffers(const MemoryContext& c, const OverheadConstants& constants, Sink& sink) {
  count_gradient_buckets(c, sink);
  count_gathered_units(c, sink);
  count_layer_backward(c, sink);
  count_parallel_buffers(c, sink);
  count_optimizer_temporaries(c, sink);
  count_workspaces(c, constants, sink);
}

}  // namespace meshgauge
