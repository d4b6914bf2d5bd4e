// The programs in plain Python: what of a scenario they can do, and their settings.
#include "core/launch/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/launch/start.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {

namespace embedded {
extern const std::string_view model_py;
extern const std::string_view train_accelerate_py;
extern const std::string_view train_ddp_py;
extern const std::string_view train_deepspeed_py;
extern const std::string_view train_fsdp2_py;
}  // namespace embedded

namespace launch {
namespace {

struct Loop {
  std::string_view path;
  const std::string_view& text;
};
const auto loops = std::to_array<Loop>({{"train_accelerate.py", embedded::train_accelerate_py},
                                        {"train_ddp.py", embedded::train_ddp_py},
                                        {"train_deepspeed.py", embedded::train_deepspeed_py},
                                        {"train_fsdp2.py", embedded::train_fsdp2_py}});

void check_model_shape(const ModelShape& m, Findings& findings) {
  const auto not_in_model_py = [&](const std::string& what) {
    findings.add(path::model, m.name + " has " + what +
                                  ", which model.py does not. Give megatron or torchtitan, or a "
                                  "dense decoder.");
  };
  if (m.kind != ModelKind::decoder) not_in_model_py("an encoder");
  if (m.moe.used()) not_in_model_py("experts");
  if (m.mla.used()) not_in_model_py("latent attention");
  if (m.linear_per_full > 0) not_in_model_py("linear attention");
  if (m.position == Position::alibi || m.position == Position::relative) not_in_model_py("position biases");
  if (m.mtp_depth > 0) not_in_model_py("multi-token prediction");
}

/// Parts of a shape that change parameters or compute, and that model.py leaves out.
void warn_of_model(const ModelShape& m, Issues& warnings) {
  std::vector<std::string_view> left_out;
  if (m.qk_norm != QkNorm::none) left_out.emplace_back("norms of query and key");
  if (m.window > 0) left_out.emplace_back("windowed attention");
  if (m.norms_per_layer != 2 || m.embedding_norm || !m.final_norm)
    left_out.emplace_back("norms beside two in each layer and the last");
  if (m.bias_lm_head) left_out.emplace_back("the head's bias");
  if (m.token_width() != m.hidden) left_out.emplace_back("embeddings of another width");
  if (m.attention_sinks) left_out.emplace_back("attention sinks");
  if (!left_out.empty()) {
    warnings.push_back({path::model, "model.py leaves out " + list_text(left_out) + '.'});
  }
}

std::string activation_name(Activation activation) {
  switch (activation) {
    case Activation::swiglu:
      return "silu";
    case Activation::relu:
      return "relu";
    case Activation::gelu:
    case Activation::geglu:
    case Activation::relu2:
      return "gelu";
  }
  return "gelu";
}

std::string settings_text(const Scenario& s) {
  const ModelShape& m = s.model;
  const Training& t = s.training;
  const Parallelism& p = s.parallelism;
  const std::int64_t steps = steps_of(s);
  const bool learned = m.position == Position::learned;
  const Settings settings = {
      {"LAYERS", m.layers},
      {"HIDDEN", m.hidden},
      {"FFN", m.ffn},
      {"HEADS", m.heads},
      {"KV_HEADS", m.kv_heads},
      {"HEAD_DIM", m.head_dim},
      {"VOCABULARY", m.vocab},
      {"NORM", std::string(name_of(m.norm))},
      {"GATED", m.gated()},
      {"ACTIVATION", activation_name(m.activation)},
      {"POSITION", std::string(name_of(m.position))},
      {"POSITION_ROWS", learned ? std::max(m.position_rows, t.sequence_length) : 0},
      {"TIED", m.tie_embeddings},
      {"BIAS_QKV", m.bias_qkv},
      {"BIAS_ATTENTION_OUT", m.bias_attn_out},
      {"BIAS_MLP", m.bias_mlp},
      {"SEQUENCE_LENGTH", t.sequence_length},
      {"MICRO_BATCH_SIZE", t.micro_batch_size, "sequences of one forward on one rank"},
      {"GLOBAL_BATCH_SIZE", t.global_batch_size, "sequences of one step on all ranks"},
      {"ACCUMULATION", s.micro_batches(), "micro-batches of one step on one rank"},
      {"STEPS", steps},
      {"STEPS_PER_EPOCH", std::min<std::int64_t>(steps, 1000)},
      {"PRECISION", std::string(name_of(t.precision))},
      {"REDUCE_DTYPE", std::string(name_of(t.reduce_dtype)), "of gradients on their way"},
      {"RECOMPUTE", std::string(name_of(t.recompute))},
      {"ATTENTION", std::string(name_of(t.attention))},
      {"COMPILE", t.kernels == Kernels::compiled},
      {"ZERO_STAGE", p.zero_stage},
      {"REPLICAS", p.replicas, "whole copies of the sharded model"},
      {"RESHARD_AFTER_FORWARD", p.reshard_after_forward},
      {"CPU_OFFLOAD", t.parameter_offload == Offload::cpu},
      {"OPTIMIZER", std::string(name_of(t.optimizer))},
      {"LEARNING_RATE", Literal{std::string(learning_rate)}, "an example: yours depends on model and batch"},
      {"SEED", std::int64_t{1234}},
  };
  return "\"\"\"What the scenario says.\"\"\"\n" + to_python(settings);
}

}  // namespace

void reject(std::string_view pointer, std::string_view value, std::span<const std::string_view> allowed,
            Findings& findings) {
  const std::string_view key = pointer.substr(pointer.rfind('/') + 1);
  findings.add(std::string(pointer), std::string(key) + " is " + std::string(value) +
                                         ", which this target cannot do. Allowed: " + list_text(allowed) + '.');
}

std::int64_t steps_of(const Scenario& s) {
  constexpr std::int64_t example = 100;
  const double steps = std::ceil(s.training.tokens / s.useful_tokens_per_step());
  return s.training.tokens > 0 && steps < 9e15 ? static_cast<std::int64_t>(steps) : example;
}

void check_program(const Scenario& s, std::span<const Precision> precisions, std::span<const Optimizer> optimizers,
                   Findings& findings) {
  const Training& t = s.training;
  check_model_shape(s.model, findings);
  allow_only(path::precision, t.precision, precisions, findings);
  allow_only("/training/optimizer", t.optimizer, optimizers, findings);
  allow_only<Peft>(path::peft, t.peft, std::array{Peft::none}, findings);
  allow_only<Objective>("/training/objective", t.objective, std::array{Objective::next_token}, findings);
  allow_only<Loss>("/training/loss", t.loss, std::array{Loss::unfused}, findings);
  allow_only<Kernels>("/training/kernels", t.kernels, std::array{Kernels::eager, Kernels::compiled}, findings);
  allow_only<Attention>(path::attention, t.attention, std::array{Attention::sdpa, Attention::flash, Attention::unfused},
                        findings);
  if (t.recompute == Recompute::selective || t.recompute_method != RecomputeMethod::uniform ||
      t.recompute_layers != 1) {
    reject(path::recompute, t.recompute == Recompute::full ? "of several layers" : name_of(t.recompute),
           std::array<std::string_view, 2>{"none", "full"}, findings);
  }
  if (t.dropout) {
    findings.add("/training/dropout", "dropout is true, and model.py has none. Set false.");
  }
  check_nodes(s, findings);
}

std::vector<LaunchFile> program_files(const Scenario& s, std::string_view path) {
  std::vector<LaunchFile> files = {{"settings.py", settings_text(s)}, {"model.py", std::string(embedded::model_py)}};
  for (const Loop& loop : loops) {
    if (loop.path == path) files.push_back({std::string(path), std::string(loop.text)});
  }
  return files;
}

Issues program_warnings(const Scenario& s) {
  Issues warnings;
  warn_of_model(s.model, warnings);
  return warnings;
}

}  // namespace launch
}  // namespace meshgauge
