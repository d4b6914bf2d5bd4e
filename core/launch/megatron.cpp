// Megatron-LM core_v0.14.0: megatron/training/arguments.py, by group of arguments.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/count/stage.hpp"
#include "core/launch/configurations.hpp"
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

/// Words of one argument array, a line for each flag.
struct Arguments {
  std::string text;

  void section(std::string_view name) { text += "\n  # " + std::string(name) + '\n'; }
  void flag(std::string_view name) { text += "  --" + std::string(name) + '\n'; }
  void flag(std::string_view name, const std::string& value) {
    text += "  --" + std::string(name) + ' ' + value + '\n';
  }
  void flag(std::string_view name, std::int64_t value) { flag(name, std::to_string(value)); }
  void flag_if(bool on, std::string_view name) {
    if (on) flag(name);
  }
  void above_one(std::string_view name, std::int64_t value) {
    if (value > 1) flag(name, value);
  }
};

// Model

bool biases_everywhere(const ModelShape& m) { return m.bias_qkv && m.bias_attn_out && m.bias_mlp; }
bool biases_fit(const ModelShape& m) {
  return biases_everywhere(m) ||
         (!m.bias_attn_out && !m.bias_mlp);  // --disable-bias-linear, with --add-qkv-bias or not
}

void check_model(const ModelShape& m, Findings& findings) {
  const auto lacks = [&](const std::string& what) {
    findings.add(path::model, m.name + " has " + what + ", for which pretrain_gpt.py of core_v0.14.0 has no argument.");
  };
  if (m.kind != ModelKind::decoder) lacks("an encoder");
  if (m.position == Position::alibi || m.position == Position::relative) lacks("position biases");
  if (m.activation == Activation::relu || m.activation == Activation::geglu) {
    lacks("the activation " + std::string(name_of(m.activation)));
  }
  if (m.linear_per_full > 0) lacks("linear attention");
  if (!biases_fit(m)) lacks("biases on some matrices only");
}

Issues model_warnings(const ModelShape& m) {
  std::vector<std::string_view> left_out;
  if (m.window > 0) left_out.emplace_back("windowed attention");
  if (m.norms_per_layer != 2) left_out.emplace_back("norms beside two in each layer");
  if (m.embedding_norm) left_out.emplace_back("the norm of the embeddings");
  if (m.qk_norm == QkNorm::full) left_out.emplace_back("norms of query and key over all heads");
  if (m.attention_sinks) left_out.emplace_back("attention sinks");
  if (m.token_width() != m.hidden) left_out.emplace_back("embeddings of another width");
  if (left_out.empty()) return {};
  return {{path::model, "The arguments leave out " + list_text(left_out) + '.'}};
}

/// Which layers have experts, as --moe-layer-freq takes it: "([0]*3+[1]*58)".
std::string expert_layers(const ModelShape& m) {
  std::string text = "\"(";
  for (std::int64_t first = 0; first < m.layers;) {
    std::int64_t last = first;
    while (last < m.layers && m.is_moe_layer(last) == m.is_moe_layer(first)) ++last;
    text +=
        std::string(first == 0 ? "" : "+") + (m.is_moe_layer(first) ? "[1]*" : "[0]*") + std::to_string(last - first);
    first = last;
  }
  return text + ")\"";
}

void add_experts(const Scenario& s, Arguments& out) {
  const MixtureOfExperts& moe = s.model.moe;
  const Training& t = s.training;
  out.section("Mixture of experts");
  out.flag("num-experts", moe.experts);
  out.flag("moe-router-topk", moe.top_k);
  out.flag("moe-ffn-hidden-size", moe.expert_ffn);
  if (moe.shared_ffn > 0) out.flag("moe-shared-expert-intermediate-size", moe.shared_ffn);
  if (moe.first_dense_layers > 0 || moe.layer_freq > 1) out.flag("moe-layer-freq", expert_layers(s.model));
  if (moe.groups > 1 && moe.group_limit > 0) {
    out.flag("moe-router-num-groups", moe.groups);
    out.flag("moe-router-group-topk", moe.group_limit);
  }
  out.flag_if(t.moe_grouped_gemm, "moe-grouped-gemm");
  const bool deepep = t.moe_dispatcher == MoeDispatcher::deepep;
  out.flag("moe-token-dispatcher-type", deepep ? "flex" : std::string(name_of(t.moe_dispatcher)));
  out.flag_if(deepep, "moe-enable-deepep");
  if (t.moe_capacity_factor > 0) out.flag("moe-expert-capacity-factor", literal(t.moe_capacity_factor).text);
  out.flag_if(t.overlap_expert_parallel, "overlap-moe-expert-parallel-comm");
}

void add_model(const Scenario& s, Arguments& out) {
  const ModelShape& m = s.model;
  out.section("Model: " + m.name);
  out.flag("num-layers", m.layers);
  out.flag("hidden-size", m.hidden);
  out.flag("ffn-hidden-size", m.ffn > 0 ? m.ffn : m.moe.expert_ffn);
  out.flag("num-attention-heads", m.heads);
  if (m.mla.used()) {
    out.flag("multi-latent-attention");
    if (m.mla.q_lora_rank > 0) out.flag("q-lora-rank", m.mla.q_lora_rank);
    out.flag("kv-lora-rank", m.mla.kv_lora_rank);
    out.flag("qk-head-dim", m.mla.qk_nope_head_dim);
    out.flag("qk-pos-emb-head-dim", m.mla.qk_rope_head_dim);
    out.flag("v-head-dim", m.mla.v_head_dim);
  } else {
    if (m.kv_heads != m.heads) {
      out.flag("group-query-attention");
      out.flag("num-query-groups", m.kv_heads);
    }
    out.flag("kv-channels", m.head_dim);
  }
  const std::int64_t positions = std::max(m.position_rows, std::max(m.max_sequence, s.training.sequence_length));
  out.flag("max-position-embeddings", positions);
  out.flag("position-embedding-type",
           std::string(m.position == Position::learned ? "learned_absolute" : name_of(m.position)));
  out.flag("normalization", m.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm");
  out.flag_if(m.activation == Activation::swiglu, "swiglu");
  out.flag_if(m.activation == Activation::relu2, "squared-relu");
  out.flag_if(!biases_everywhere(m), "disable-bias-linear");
  out.flag_if(m.bias_qkv && !biases_everywhere(m), "add-qkv-bias");
  out.flag_if(m.qk_norm == QkNorm::head, "qk-layernorm");
  out.flag_if(!m.tie_embeddings, "untie-embeddings-and-output-weights");
  if (m.mtp_depth > 0) out.flag("mtp-num-layers", m.mtp_depth);
  if (m.moe.used()) add_experts(s, out);
}

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

void add_layout(const Scenario& s, Arguments& out) {
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

void add_recompute(const Training& t, Arguments& out) {
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

void add_precision(const Training& t, Arguments& out) {
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

void add_recipe(const Scenario& s, Arguments& out) {
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
  check_model(s.model, findings);
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
  set.warnings = model_warnings(s.model);
  if (s.training.precision == Precision::fp8) {
    set.warnings.push_back({path::precision,
                            "The arguments take delayed scaling; --fp8-recipe tensorwise and blockwise "
                            "need as much memory."});
  }
  return set;
}

}  // namespace

std::string megatron_arguments(const Scenario& s) {
  Arguments out;
  add_model(s, out);
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
