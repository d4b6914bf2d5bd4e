// Megatron-LM core_v0.14.0: megatron/training/arguments.py, by group of arguments.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/count/stage.hpp"
#include "core/launch/configurations.hpp"
#include "core/launch/megatron_arguments.hpp"
#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines = std::to_array<Engine>({Engine::megatron});
constexpr auto carries = std::to_array<std::string_view>({"/parallelism/tensor_parallel_size",
                                                          "/parallelism/sequence_parallel",
                                                          "/parallelism/pipeline_parallel_size",
                                                          "/parallelism/virtual_pipeline_size",
                                                          "/parallelism/pipeline_schedule",
                                                          "/parallelism/stage_layers",
                                                          "/parallelism/pipeline_layout",
                                                          "/parallelism/context_parallel_size",
                                                          "/parallelism/context_parallel_kind",
                                                          "/parallelism/expert_parallel_size",
                                                          "/parallelism/expert_tensor_parallel_size",
                                                          "/parallelism/data_parallel_size",
                                                          "/parallelism/data_parallel_replicate_size",
                                                          "/parallelism/micro_batch_group_size",
                                                          "/parallelism/zero_stage",
                                                          "/training/engine",
                                                          "/training/engine_version",
                                                          "/training/precision",
                                                          "/training/optimizer",
                                                          "/training/gradient_dtype",
                                                          "/training/reduce_dtype",
                                                          "/training/moment_dtype",
                                                          "/training/master_dtype",
                                                          "/training/fp8_parameters",
                                                          "/training/sequence_length",
                                                          "/training/micro_batch_size",
                                                          "/training/global_batch_size",
                                                          "/training/recompute",
                                                          "/training/attention",
                                                          "/training/loss",
                                                          "/training/kernels",
                                                          "/training/attention_mask",
                                                          "/training/gradient_accumulation_fusion",
                                                          "/training/deterministic",
                                                          "/training/overlap_gradient_reduction",
                                                          "/training/overlap_parameter_gather",
                                                          "/training/overlap_tensor_parallel",
                                                          "/training/overlap_pipeline",
                                                          "/training/overlap_expert_parallel",
                                                          "/training/cuda_graphs",
                                                          "/training/moe_dispatcher",
                                                          "/training/moe_grouped_gemm",
                                                          "/training/moe_capacity_factor",
                                                          "/training/dropout",
                                                          "/training/optimizer_offload",
                                                          "/training/tokens",
                                                          "/training/expandable_segments",
                                                          "/training/peft",
                                                          "/training/objective",
                                                          "/training/parameter_offload"});

// Layout

/// "Et*4|t*5|t*5|t*4L"
std::string layout_of(const std::vector<std::int64_t>& layers, std::int64_t prediction_layers) {
  std::string text = "E";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text += '|';
    if (layers[i] > 0) text += "t*" + std::to_string(layers[i]);
  }
  for (std::int64_t i = 0; i < prediction_layers; ++i) text += 'm';
  return '"' + text + "L\"";
}

void add_layout(const Scenario& s, MegatronArguments& out) {
  const Parallelism& p = s.parallelism;
  out.section("Layout");
  out.flag("tensor-model-parallel-size", p.tensor);
  out.flag_if(p.sequence_parallel && p.tensor > 1, "sequence-parallel");
  out.flag("pipeline-model-parallel-size", p.pipeline);
  const std::int64_t chunks = model_chunks(p);
  if (p.pipeline > 1) {
    if (!p.stage_layers.empty() || s.model.layers % chunks != 0) {
      out.flag("pipeline-model-parallel-layout",
               layout_of(p.stage_layers.empty() ? balanced_split(s.model.layers, chunks) : p.stage_layers,
                         s.model.mtp_depth));
    } else {
      out.above_one("num-virtual-stages-per-pipeline-rank", p.virtual_pipeline);
    }
    if (p.micro_batch_group > 0 && p.micro_batch_group != p.pipeline && p.schedule == Schedule::interleaved) {
      out.flag("microbatch-group-size-per-virtual-pipeline-stage", p.micro_batch_group);
    }
    out.flag_if(p.schedule == Schedule::interleaved && !s.training.overlap_pipeline, "no-overlap-p2p-communication");
  }
  out.flag("context-parallel-size", p.context);
  if (p.context > 1) {
    constexpr auto kinds = std::to_array<const char*>({"p2p", "allgather", "a2a"});
    out.flag("cp-comm-type", kinds[static_cast<std::size_t>(p.context_kind)]);
  }
  if (s.model.moe.used()) {
    out.flag("expert-model-parallel-size", p.expert);
    out.flag("expert-tensor-parallel-size", p.expert_tensor);
  }
  out.flag_if(p.zero_stage == 1, "use-distributed-optimizer");
  out.above_one("num-distributed-optimizer-instances", p.replicas);
  out.flag_if(s.training.overlap_gradient_reduction, "overlap-grad-reduce");
  out.flag_if(s.training.overlap_parameter_gather, "overlap-param-gather");
  out.flag_if(s.training.overlap_tensor_parallel, "tp-comm-overlap");
}

// Recipe

constexpr auto modules = std::to_array<std::pair<bool RecomputeModules::*, const char*>>({
    {&RecomputeModules::core_attention, "core_attn"},
    {&RecomputeModules::layernorm, "layernorm"},
    {&RecomputeModules::mlp, "mlp"},
    {&RecomputeModules::moe_activation, "moe_act"},
    {&RecomputeModules::mla_up_projection, "mla_up_proj"},
});

void add_recompute(const Training& t, MegatronArguments& out) {
  if (t.recompute == Recompute::none) return;
  out.flag("recompute-granularity", std::string(name_of(t.recompute)));
  if (t.recompute == Recompute::full) {
    out.flag("recompute-method", std::string(name_of(t.recompute_method)));
    out.flag("recompute-num-layers", t.recompute_layers);
    return;
  }
  std::string list;
  for (const auto& [module, name] : modules) {
    if (t.recompute_modules.*module) list += (list.empty() ? "" : " ") + std::string(name);
  }
  out.flag("recompute-modules", list);
}

void add_precision(const Training& t, MegatronArguments& out) {
  out.flag_if(t.precision == Precision::bf16 || is_low(t.precision), "bf16");
  out.flag_if(t.precision == Precision::fp16, "fp16");
  if (t.precision == Precision::fp8) {
    out.flag("fp8-format", "hybrid");
    out.flag("fp8-recipe", "delayed");
  } else if (t.precision == Precision::mxfp8) {
    out.flag("fp8-format", "e4m3");
    out.flag("fp8-recipe", "mxfp8");
  }
  out.flag_if(t.fp8_parameters, "fp8-param-gather");
  out.flag_if(t.gradient_dtype == DataType::bf16, "grad-reduce-in-bf16");
  if (t.moment_dtype != DataType::fp32 || t.master_dtype != DataType::fp32) {
    // Transformer Engine's FusedAdam then keeps the master weights of bf16 parameters as 2-byte remainders.
    out.flag("use-precision-aware-optimizer");
    out.flag("exp-avg-dtype", std::string(name_of(t.moment_dtype)));
    out.flag("exp-avg-sq-dtype", std::string(name_of(t.moment_dtype)));
  }
}

std::string attention_backend(Attention attention) {
  return attention == Attention::cudnn ? "fused" : attention == Attention::unfused ? "unfused" : "flash";
}

void add_recipe(const Scenario& s, MegatronArguments& out) {
  const Training& t = s.training;
  out.section("Batch and optimizer; learning rate and schedule are examples");
  out.flag("seq-length", t.sequence_length);
  out.flag("micro-batch-size", t.micro_batch_size);
  out.flag("global-batch-size", t.global_batch_size);
  out.flag("train-iters", steps_of(s));
  out.flag("optimizer", t.optimizer == Optimizer::adamw ? "adam" : "sgd");
  if (t.optimizer == Optimizer::sgd) out.flag("sgd-momentum", "0.0");
  out.flag_if(t.optimizer_offload == Offload::cpu, "optimizer-cpu-offload");
  out.flag("lr", std::string(learning_rate));
  out.flag("lr-decay-style", "cosine");
  out.flag("lr-warmup-iters", std::min<std::int64_t>(2000, steps_of(s) / 10));
  out.flag("weight-decay", "0.1");
  out.flag("clip-grad", "1.0");
  for (const char* dropout : {"hidden-dropout", "attention-dropout"}) out.flag(dropout, t.dropout ? "0.1" : "0.0");
  out.section("Number formats and kernels");
  add_precision(t, out);
  out.flag("transformer-impl", t.kernels == Kernels::fused ? "transformer_engine" : "local");
  out.flag("attention-backend", attention_backend(t.attention));
  out.flag_if(t.loss != Loss::unfused, "cross-entropy-loss-fusion");
  if (t.loss == Loss::fused) out.flag("cross-entropy-fusion-impl", "te");
  out.flag_if(!t.attention_mask, "no-create-attention-mask-in-dataloader");
  out.flag_if(!t.gradient_accumulation_fusion, "no-gradient-accumulation-fusion");
  out.flag_if(t.cuda_graphs, "enable-cuda-graph");
  out.flag_if(t.deterministic, "deterministic-mode");
  add_recompute(t, out);
}

void check_values(const Scenario& s, Findings& findings) {
  const Training& t = s.training;
  allow_only<Precision>(path::precision, t.precision,
                        std::array{Precision::bf16, Precision::fp16, Precision::fp32, Precision::fp8, Precision::mxfp8},
                        findings);
  allow_only<Optimizer>("/training/optimizer", t.optimizer,
                        std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::momentum}, findings);
  allow_only<DataType>("/training/reduce_dtype", t.reduce_dtype, std::array{t.gradient_dtype}, findings);
  allow_only<Attention>(path::attention, t.attention,
                        std::array{Attention::flash, Attention::cudnn, Attention::unfused}, findings);
  allow_only<Loss>("/training/loss", t.loss, std::array{Loss::unfused, Loss::native, Loss::fused}, findings);
  allow_only<Kernels>("/training/kernels", t.kernels, std::array{Kernels::fused, Kernels::eager}, findings);
  allow_only<Peft>(path::peft, t.peft, std::array{Peft::none}, findings);
  allow_only<Objective>("/training/objective", t.objective, std::array{Objective::next_token}, findings);
  allow_only<Offload>("/training/optimizer_offload", t.optimizer_offload, std::array{Offload::none, Offload::cpu},
                      findings);
  allow_only<Offload>("/training/parameter_offload", t.parameter_offload, std::array{Offload::none}, findings);
  if (s.model.moe.used()) {
    allow_only<MoeDispatcher>("/training/moe_dispatcher", t.moe_dispatcher,
                              std::array{MoeDispatcher::alltoall, MoeDispatcher::allgather, MoeDispatcher::deepep},
                              findings);
  }
}

void check(const Scenario& s, Findings& findings) {
  check_megatron_model(s.model, findings);
  check_nodes(s, findings);
  check_values(s, findings);
  const Training& t = s.training;
  if (s.parallelism.pipeline > 1) {
    allow_only<Schedule>(path::schedule, s.parallelism.schedule,
                         std::array{Schedule::one_f_one_b, Schedule::interleaved}, findings);
  }
  if (t.recompute == Recompute::selective && t.recompute_modules.operators) {
    reject(path::recompute, "of operators",
           std::array<std::string_view, 5>{"core_attention", "layernorm", "mlp", "moe_activation", "mla_up_projection"},
           findings);
  }
  const bool remainders = t.master_dtype == DataType::bf16 && t.precision != Precision::fp16;
  if (t.master_dtype != DataType::fp32 && !remainders) {
    reject("/training/master_dtype", name_of(t.master_dtype), std::array<std::string_view, 2>{"fp32", "bf16"},
           findings);
  }
  if (t.deterministic && t.loss != Loss::unfused) {  // asserted
    reject("/training/loss", std::string(name_of(t.loss)) + " beside deterministic",
           std::array<std::string_view, 1>{"unfused"}, findings);
  }
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, program_of(s));
  set.warnings = megatron_model_warnings(s.model);
  if (s.training.precision == Precision::fp8) {
    set.warnings.push_back({path::precision,
                            "The arguments take delayed scaling; --fp8-recipe tensorwise and blockwise "
                            "need as much memory."});
  }
  return set;
}

}  // namespace

std::string megatron_arguments(const Scenario& s) {
  MegatronArguments out;
  add_megatron_model(s, out);
  add_layout(s, out);
  add_recipe(s, out);
  out.section("Random tokens: put your --data-path and tokenizer here");
  out.flag("mock-data");
  out.flag("tokenizer-type", "NullTokenizer");
  out.text +=
      "  --vocab-size " + std::to_string(std::max<std::int64_t>(s.model.vocab - 1, 1)) + "  # NullTokenizer adds one\n";
  out.flag("split", "\"99,1,0\"");
  out.section("Logging");
  out.flag("log-interval", "1");
  out.flag("log-throughput");
  out.flag("eval-iters", "0");
  return "# Arguments of pretrain_gpt.py of Megatron-LM core_v0.14.0.\n# shellcheck disable=SC2034  # read by the "
         "script "
         "that sources this file\nMEGATRON_ARGS=(" +
         out.text + ")\n";
}

const Target megatron{.name = "megatron",
                      .summary = "Megatron-LM's pretrain_gpt.py, started by torchrun",
                      .version = "Megatron-LM core_v0.14.0",
                      .engines = engines,
                      .carries = carries,
                      .check = check,
                      .emit = emit};

}  // namespace meshgauge::launch
