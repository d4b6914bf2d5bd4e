// Buffers and transients: gradient buckets, gathered units, workspaces, one layer's backward, the optimizer's
// temporaries.
#pragma once

#include "core/count/mlp_activations.hpp"
#include "core/count/overhead.hpp"

namespace meshgauge {

template <class Sink>
void count_gradient_buckets(const MemoryContext& c, Sink& sink) {
  const BufferRules& rules = c.engine.buffers;
  const double width = bytes_of(c.training().gradient_dtype);
  const double P = c.trained();
  if (c.multi && rules.bucket_copies_gradients) {
    sink.add({"ddp_buckets", "DDP gradient buckets", "w * P",
              "torch/csrc/distributed/c10d/reducer.cpp initialize_buckets; none with gradient_as_bucket_view=True"},
             Category::buffers, c.in(during(Phase::init, Phase::optimizer)), width * P, {{"w", width}, {"P", P}});
  }
  const double element = bytes_of(c.mixed() ? c.engine.mixed_reduction : c.training().gradient_dtype);
  const bool reduces = c.multi && c.parallelism().zero_stage >= 1;
  const double B = bucket_elements(rules, c.training());
  if (reduces && rules.reduces_at_step) {
    // A tensor that crosses the bucket's end still joins it: the largest are the embedding and the head.
    const double n = std::min(B + c.V * c.h, P);
    sink.add({"step_bucket", "Gradients of a bucket, flattened and in fp32", "(2 + 4) * n",
              "Aleph-Alpha/scaling src/scaling/core/optimizer/allreduce.py allreduce_bucket"},
             Category::transient, c.in(at(Phase::optimizer)), (2 + 4) * n, {{"n", n}});
  } else if (reduces && rules.bucket_copies > 0) {
    // reduce_bucket_size elements are allocated whatever the model's size; the flattened copy holds what is in it.
    // Stages 1 and 2 allocate it when the backward begins, which is that of the loss; stage 3 when the optimizer is
    // made.
    constexpr const char* source =
        "deepspeed/runtime/zero/stage_1_and_2.py backward: setup_buckets, allreduce_bucket; stage3.py "
        "_setup_for_real_optimizer";
    const Phases backward = c.in(at(Phase::backward) | at(Phase::reduce));
    const Phases alive = c.parallelism().zero_stage == 3 ? c.in(during(Phase::init, Phase::optimizer))
                                                         : c.in(during(Phase::loss, Phase::reduce));
    const bool turns = rules.second_bucket_overlaps && c.parallelism().zero_stage < 3;
    const double n = turns && c.training().overlap_gradient_reduction ? 2 : 1;
    sink.add({"reduce_bucket", "Gradient reduction bucket", "n * w * B", source}, Category::buffers, alive,
             n * element * B, {{"n", n}, {"w", element}, {"B", B}});
    sink.add({"reduce_bucket_copy", "Flattened copy of the bucket", "w * min(B, P)", source}, Category::transient,
             backward, element * std::min(B, P), {{"w", element}, {"B", B}, {"P", P}});
    // Autograd adds up the head's and the embedding's gradients of a shared table before its hook sees their sum.
    if (c.model().tie_embeddings && c.stage.embedding && c.stage.head && !c.adapted() &&
        c.parallelism().zero_stage >= 2) {
      const auto h = static_cast<double>(c.model().token_width());
      sink.add({"tied_table_gradient", "The head's gradient of a shared table, until the embedding's", "w * V * h",
                "torch/csrc/autograd/engine.cpp: an input buffer waits for all of its gradients"},
               Category::transient, backward, c.w * c.V * h, {{"w", c.w}, {"V", c.V}, {"h", h}});
    }
  }
}

/// Units that are gathered for use: FSDP's wrapped layers and root, ZeRO-3's live parameters.
template <class Sink>
void count_gathered_units(const MemoryContext& c, Sink& sink) {
  const BufferRules& rules = c.engine.buffers;
  const double P = c.rank.total(), U = c.rank.largest_layer, R = c.rank.outside_layers;
  // A quantised base is gathered packed; each matrix is unpacked when it is used.
  const double packed = c.quantised() ? (c.rank.matrices + c.rank.experts) / std::max(1.0, P - R) : 0;
  const double gw = c.w * (1 - packed) + packed / 2;
  const double reduce = bytes_of(c.training().reduce_dtype);
  const Phases forward = c.in(during(Phase::forward, Phase::reduce));
  const Phases backward = c.in(at(Phase::backward) | at(Phase::reduce));
  if (c.multi && rules.gathered_units_forward > 0) {
    constexpr const char* source = "torch/distributed/fsdp/_fully_shard/{_fsdp_param_group,_fsdp_collectives}.py";
    const bool keeps_all = c.parallelism().zero_stage == 2 || !c.parallelism().reshard_after_forward;
    if (keeps_all) {
      sink.add({"gathered_parameters", "Gathered parameters", "w * P", source}, Category::buffers, forward, gw * P,
               {{"w", gw}, {"P", P}});
    } else {
      // The root unit (embedding, final norm, head) is not resharded after forward.
      sink.add({"gathered_root", "Gathered root unit", "w * R", source}, Category::buffers, forward, c.w * R,
               {{"w", c.w}, {"R", R}});
      // One of them is the next layer, if there is one.
      const double next = c.stage.blocks() > 1 ? 0 : 1;
      const double n = rules.gathered_units_forward - next, b = rules.gathered_units_backward - next;
      sink.add({"gathered_units", "Gathered layers, current and next", "w * n * U", source}, Category::buffers,
               c.in(at(Phase::forward)), gw * n * U, {{"w", gw}, {"n", n}, {"U", U}});
      sink.add({"gathered_units", "Gathered layers, current and next", "w * n * U", source}, Category::buffers,
               c.in(at(Phase::backward)), gw * b * U, {{"w", gw}, {"n", b}, {"U", U}});
      sink.add({"gathered_units", "Gathered layers, current and next", "w * n * U", source}, Category::buffers,
               c.in(at(Phase::reduce)), gw * U, {{"w", gw}, {"n", 1}, {"U", U}});
    }
    // The root unit's gradients wait for the embedding's, which is the last.
    const double trained = c.adapted() ? c.trained() / P : 1;  // adapters lie in the same units
    const double u = trained * U, r = c.adapted() ? 0 : R;
    sink.add({"unsharded_gradients", "Unsharded gradients of a layer and of the root", "w * (U + R)", source},
             Category::transient, backward, c.w * (u + r), {{"w", c.w}, {"U", u}, {"R", r}});
    sink.add({"reduce_scatter_input", "Reduce-scatter input of the previous layer", "w * n * U", source},
             Category::transient, backward, reduce * rules.reduce_input_units * u,
             {{"w", reduce}, {"n", rules.reduce_input_units}, {"U", u}});
  }
  if (c.multi && c.parallelism().zero_stage == 3 && rules.reuses_gathered) {
    // What forward used last is half of the distance between its two uses away from the turn. Several parameters are
    // gathered into one flat tensor and copied out of it.
    const double live = c.training().zero_buffers.reuse_distance / 2, next = c.training().zero_buffers.prefetch_bucket;
    sink.add({"live_parameters", "Live and prefetched parameters", "w * (min(P, l + n + U) + min(P, n))",
              "deepspeed/runtime/zero/partition{ed_param_coordinator,_parameters}.py: reuse distance, prefetch bucket, "
              "one layer"},
             Category::buffers, forward, gw * (std::min(P, live + next + U) + std::min(P, next)),
             {{"w", gw}, {"P", P}, {"l", live}, {"n", next}, {"U", U}});
    const auto z = static_cast<double>(c.training().zero_plus_plus.partition);
    if (z > 1) {
      sink.add(
          {"secondary_parameters", "Second copy of the parameters (hpZ)", "w * P / z",
           "ZeRO++, arXiv:2306.10209 section 3.2; deepspeed/runtime/zero/partition_parameters.py ds_secondary_tensor"},
          Category::buffers, c.in(during(Phase::forward, Phase::optimizer)), gw * P / z,
          {{"w", gw}, {"P", P}, {"z", z}});
    }
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
  const bool eager = c.training().kernels == Kernels::eager;
  const bool gqa = c.model().kv_heads < c.model().heads;
  const bool flash = c.training().attention != Attention::unfused;
  // FlashAttention-2 accumulates dQ in fp32 and, with grouped KV heads, expands dK and dV to all heads.
  const double A = flash ? 4 * c.w + 4 + (gqa ? 2 * c.w : 0) : 4 * c.w;
  // In place of the product, if it was kept, whose last use was the second matrix's gradient.
  const bool kept = c.keeps_input(c.adapts_mlp());
  const double F = c.w * (c.g + (c.model().gated() && eager && !kept ? 1 : 0));
  // Attention's backward comes when the saved tensors of the MLP behind it are gone.
  const double X = c.w * kept_mlp_widths(c);
  // Of a mixture, the tokens of the local experts: top-k times the width of one, and the shared expert.
  // Eager experts run one after the other.
  const MixtureOfExperts& moe = c.model().moe;
  const double routed = static_cast<double>(moe.top_k * moe.expert_ffn) * c.training().expert_load() * c.t / c.u /
                        (eager ? static_cast<double>(moe.experts) / static_cast<double>(c.parallelism().expert) : 1);
  const double f = c.stage.moe_layers == 0 ? c.f : routed + static_cast<double>(moe.shared_ffn);
  sink.add(
      {"layer_backward", "Gradients inside one layer", "T * (max(F * f, A * a * q - X * f) / t + 2 * w * h)",
       "derived: gradients of an op's output and input coexist; flash_api.cpp dq_accum and expanded dk, dv"},
      Category::transient, c.in(at(Phase::backward) | at(Phase::reduce)),
      c.T * (std::max(F * f, A * c.a * c.q - X * f) / c.t + 2 * c.w * c.h),
      {{"T", c.T}, {"F", F}, {"f", f}, {"A", A}, {"a", c.a}, {"q", c.q}, {"X", X}, {"t", c.t}, {"w", c.w}, {"h", c.h}});
  if (!flash) {
    const double width = eager ? 4.0 : c.w;
    sink.add({"score_gradients", "Gradient of the attention scores", "T * w * a * s / t",
              "derived: gradient of one layer's scores beside the saved softmax"},
             Category::transient, c.in(at(Phase::backward) | at(Phase::reduce)), c.T * width * c.a * c.s / c.t,
             {{"T", c.T}, {"w", width}, {"a", c.a}, {"s", c.s}, {"t", c.t}});
  }
  if (c.stage.moe_layers > 0 && !eager) {
    const auto K = static_cast<double>(c.model().moe.top_k);
    const auto x = static_cast<double>(c.parallelism().expert_tensor);
    const double B = c.training().expert_load();
    sink.add({"moe_dispatch", "Expert dispatch: send and receive", "2 * T / u * K * x * B * w * h",
              "Megatron-LM core/transformer/moe/token_dispatcher.py"},
             Category::transient, c.in(during(Phase::forward, Phase::reduce)), 2 * c.T / c.u * K * x * B * c.w * c.h,
             {{"T", c.T}, {"u", c.u}, {"K", K}, {"x", x}, {"B", B}, {"w", c.w}, {"h", c.h}});
  }
}

/// Buffers that tensor, context and pipeline parallelism keep.
template <class Sink>
void count_parallel_buffers(const MemoryContext& c, Sink& sink) {
  const Parallelism& par = c.parallelism();
  const Phases step = c.in(during(Phase::forward, Phase::reduce));
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
  if (c.optimizer_offloaded()) return;
  const Phases step = c.in(at(Phase::optimizer));
  const std::int64_t zero = c.parallelism().zero_stage;
  const double d = zero >= 1 ? c.d : 1, de = zero >= 1 ? c.de : 1;
  const double shard = c.trained_dense() / d + c.trained_experts() / de;
  // DeepSpeed's stage 3 steps by sub-groups, the others take the whole shard at once.
  const double n =
      c.engine.buffers.reuses_gathered && zero == 3 ? std::min(c.training().zero_buffers.sub_group, shard) : shard;
  const bool half_gradients = bytes_of(c.training().gradient_dtype) == 2;
  // Fused Adam with 16-bit moments (Megatron's precision-aware optimizer) reads the gradients as they are.
  const bool reads_them = c.training().moment_dtype != DataType::fp32;
  const bool copies = c.mixed() && c.engine.mixed_weights == MixedWeights::half_master && half_gradients && !reads_them;
  const bool persistent = c.engine.keeps_fp16_main_gradients && c.training().gradient_dtype == DataType::fp16;
  if (copies && !persistent) {
    sink.add({"fp32_gradient_shard", "fp32 copy of the gradient shard", "4 * n",
              "deepspeed/runtime/zero/{stage_1_and_2,stage3}.py step; Megatron-LM distrib_optimizer.py "
              "_copy_model_grads_to_main_grads"},
             Category::transient, step, 4 * n, {{"n", n}});
  }
  if (c.engine.buffers.foreach_optimizer && c.training().optimizer != Optimizer::sgd) {
    // DeepSpeed makes the fp32 copy from a flat 16-bit one; both that and (below stage 3) the gradients are gone when
    // the optimizer takes its temporaries. Of its one flat tensor AdamW makes two: the root of the second moment, and
    // that divided by the bias correction, which is what ran out of memory in LLaMA-Factory issue 1221.
    const double flat = copies ? c.engine.buffers.step_flat_bytes : 0, gone = zero < 3 ? flat : 0;
    const double width = (c.mixed() ? 4 : c.w) * (c.training().engine == Engine::deepspeed ? 2 : 1);
    sink.add({"foreach_temporary", "Temporaries of the optimizer", "max(f, w - g) * n",
              "torch/optim/optimizer.py: foreach peaks at one more copy of the parameters; torch/optim/adamw.py "
              "_single_tensor_adamw; DeepSpeed step: flatten"},
             Category::transient, step, std::max(flat, width - gone) * n,
             {{"f", flat}, {"w", width}, {"g", gone}, {"n", n}});
  }
}

/// Scratch that Transformer Engine keeps when the GEMM itself adds to the gradient: one per distinct weight shape.
template <class Sink>
void count_workspaces(const MemoryContext& c, const OverheadConstants& constants, Sink& sink) {
  const Phases step = c.in(during(Phase::forward, Phase::optimizer));
  const bool transformer_engine = c.training().kernels == Kernels::fused && !c.scenario.cluster.gpu.before_ampere();
  if (c.training().gradient_accumulation_fusion && transformer_engine && !c.adapted()) {
    const auto fe = static_cast<double>(c.model().moe.expert_ffn);
    const auto x = static_cast<double>(c.parallelism().expert_tensor);
    const double attention = c.model().mla.used() ? 0 : c.h * (2 * c.a + 2 * c.k) * c.q / c.t;
    const double dense = c.stage.dense_layers > 0 ? (c.g + 1) * c.h * c.f / c.t : 0;
    const double expert = c.stage.moe_layers > 0 ? (c.g + 1) * c.h * fe / x : 0;
    // Megatron's own output layer follows since August 2025 (core/tensor_parallel/layers.py).
    const double head = c.stage.head && c.training().engine_version >= EngineVersion{0, 14} ? c.V * c.h : 0;
    sink.add({"weight_gradient_scratch", "Weight-gradient scratch", "2 * (A + D + E + H)",
              "TransformerEngine module/base.py get_dummy_wgrad, 2.5 or later: one for each distinct weight shape"},
             Category::buffers, step, 2 * (attention + dense + expert + head),
             {{"A", attention}, {"D", dense}, {"E", expert}, {"H", head}});
  }
  // One for each handle: the forward's thread and autograd's. CUBLAS_WORKSPACE_CONFIG=:4096:8 is eight times 4 MiB.
  const double torch = c.training().deterministic ? 8 * 4096 * 1024.0 : constants.cublas_workspace.value;
  sink.add({"cublas_workspace", "cuBLAS workspaces of two threads", "2 * B", "PyTorch aten/src/ATen/cuda/CUDABlas.cpp"},
           Category::buffers, step, 2 * torch, {{"B", torch}});
  if (transformer_engine) {
    const double n = c.stage.moe_layers > 0 && c.training().moe_grouped_gemm ? 5 : 1;
    sink.add(
        {"te_workspace", "Transformer Engine workspaces", "n * B",
         "TransformerEngine module/base.py get_workspace, get_multi_stream_cublas_workspace: four for grouped GEMMs"},
        Category::buffers, step, n * constants.te_workspace.value, {{"n", n}, {"B", constants.te_workspace.value}});
  }
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
