// Degrees divide what they cut and multiply to the cluster.
#include <array>

#include "core/engine/engine.hpp"
#include "core/resolve/divisors.hpp"
#include "core/resolve/rules.hpp"

namespace meshgauge {
namespace {

bool has_dense_mlp(const ModelShape& m) {
  return !m.moe.used() || m.moe.first_dense_layers > 0 || m.moe.layer_freq > 1;
}

/// Megatron-LM copies key-value heads to fill the ranks when there are fewer of them than ranks.
bool divides_kv_heads(const ModelShape& m, std::int64_t t) { return m.kv_heads < t || m.kv_heads % t == 0; }

bool divides_mlp(const ModelShape& m, std::int64_t t) {
  return (!has_dense_mlp(m) || m.ffn % t == 0) && m.moe.shared_ffn % t == 0;
}

void check_tensor(const Scenario& s, Findings& findings) {
  const ModelShape& m = s.model;
  const std::int64_t t = s.parallelism.tensor;
  if (t == 1 || !findings.known({path::model, path::tensor})) return;
  std::string undivided;
  const auto check = [&](bool divides, const std::string& what) {
    if (!divides) undivided += (undivided.empty() ? "" : ", ") + what;
  };
  check(m.heads % t == 0, number_text(m.heads) + " attention heads");
  check(divides_kv_heads(m, t), number_text(m.kv_heads) + " key-value heads");
  check(!has_dense_mlp(m) || m.ffn % t == 0, "the MLP width " + number_text(m.ffn));
  check(m.moe.shared_ffn % t == 0, "the shared expert width " + number_text(m.moe.shared_ffn));
  if (undivided.empty()) return;
  const auto allowed = legal_values(
      m.heads, [&](std::int64_t i) { return m.heads % i == 0 && divides_kv_heads(m, i) && divides_mlp(m, i); });
  findings.add(path::tensor, "tensor_parallel_size " + number_text(t) + " does not divide " + undivided + ". " +
                                 allowed_text(allowed, t));
}

void check_replicas(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  if (!findings.known({path::replicas, path::data, path::gpus, path::tensor, path::pipeline, path::context,
                       path::engine, path::zero_stage})) {
    return;
  }
  if (p.replicas == 1) return;
  if (data_parallel_rules(s.training.engine, p.zero_stage).gradient_collective != Collective::reduce_scatter) {
    findings.add(path::replicas,
                 "data_parallel_replicate_size " + number_text(p.replicas) +
                     " needs gradients that are reduce-scattered: FSDP, torchtitan, DeepSpeed's stage 3, "
                     "Megatron's distributed optimizer. Set 1.");
    return;
  }
  if (p.data % p.replicas == 0) return;
  const auto allowed = legal_values(p.data, [&](std::int64_t i) { return p.data % i == 0; });
  findings.add(path::replicas, "data_parallel_replicate_size " + number_text(p.replicas) +
                                   " does not divide data_parallel_size " + number_text(p.data) + ". " +
                                   allowed_text(allowed, p.replicas));
}

void check_sequence_parallel(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  if (!p.sequence_parallel || p.tensor == 1) return;
  if (!findings.known({path::model, path::sequence_parallel, path::sequence, path::tensor, path::context})) return;
  const std::int64_t local = s.training.sequence_length / p.context;
  if (local % p.tensor == 0) return;
  findings.add(path::sequence_parallel, "sequence_parallel cannot split " + number_text(local) + " tokens over " +
                                            number_text(p.tensor) + " ranks evenly. Set it false, or sequence_length " +
                                            number_text((local / p.tensor + 1) * p.tensor * p.context) + '.');
}

void check_context(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  const std::int64_t c = p.context;
  if (c == 1 || !findings.known({path::model, path::context, path::context_kind, path::sequence})) return;
  const bool ulysses = p.context_kind == ContextParallelKind::ulysses;
  // Causal balance gives each rank one early and one late part (Megatron-LM get_batch_on_this_cp_rank).
  const std::int64_t parts = ulysses ? 1 : 2;
  const std::int64_t sequence = s.training.sequence_length;
  if (sequence % (parts * c) != 0) {
    const auto allowed = legal_values(std::min(sequence / parts, std::int64_t{4096}),
                                      [&](std::int64_t i) { return i == 1 || sequence % (parts * i) == 0; });
    findings.add(path::context, "context_parallel_size " + number_text(c) + " cuts sequences into " +
                                    number_text(parts * c) + " equal parts, and sequence_length is " +
                                    number_text(sequence) + ". " + allowed_text(allowed, c));
  }
  // DeepSpeed-Ulysses (arXiv:2309.14509): each rank attends with its share of the heads.
  if (!ulysses || !findings.known({path::tensor})) return;
  const auto splits = [&](std::int64_t i) {
    return s.model.heads % (i * p.tensor) == 0 && s.model.kv_heads % (i * p.tensor) == 0;
  };
  if (splits(c)) return;
  findings.add(path::context, "context_parallel_size " + number_text(c) + " x tensor_parallel_size " +
                                  number_text(p.tensor) + " does not divide " + number_text(s.model.heads) +
                                  " attention heads and " + number_text(s.model.kv_heads) +
                                  " key-value heads (ulysses). " +
                                  allowed_text(legal_values(s.model.heads, splits), c));
}

void check_identity(const Scenario& s, Findings& findings) {
  if (!findings.known({path::gpus, path::tensor, path::pipeline, path::context, path::data})) return;
  const Parallelism& p = s.parallelism;
  const double replica =
      static_cast<double>(p.tensor) * static_cast<double>(p.pipeline) * static_cast<double>(p.context);
  const double needed = replica * static_cast<double>(p.data);
  const auto gpus = static_cast<double>(s.cluster.gpus);
  if (needed == gpus && gpus <= 1e6) return;
  const std::string degrees =
      number_text(p.tensor) + " x " + number_text(p.pipeline) + " x " + number_text(p.context) + " x ";
  if (replica > gpus) {
    const std::string fix = replica <= 1e6 ? "Set gpus " + number_text(replica) + ", or smaller degrees."
                                           : "Allowed: up to 1,000,000 GPUs. Set smaller degrees.";
    findings.add(path::gpus, "TP x PP x CP = " + number_text(p.tensor) + " x " + number_text(p.pipeline) + " x " +
                                 number_text(p.context) + " = " + number_text(replica) + ", cluster has " +
                                 number_text(gpus) + ". " + fix);
    return;
  }
  const auto whole = static_cast<std::int64_t>(replica);
  const std::int64_t replicas = s.cluster.gpus / whole;
  if (s.cluster.gpus % whole == 0) {
    findings.add(path::data, "TP x PP x CP x DP = " + degrees + number_text(p.data) + " = " + number_text(needed) +
                                 ", cluster has " + number_text(gpus) + ". Set data_parallel_size " +
                                 number_text(replicas) + '.');
  } else {
    findings.add(path::gpus, "TP x PP x CP = " + number_text(replica) + " does not divide " + number_text(gpus) +
                                 " GPUs. Set gpus " + number_text(replicas * whole) + " or " +
                                 number_text((replicas + 1) * whole) + '.');
  }
}

}  // namespace

std::span<const Rule> degree_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"attention_heads", "tensor parallelism divides attention heads, key-value heads and the MLP's width",
       Dimension::tensor, check_tensor},
      {"replicas", "replicas divide the data-parallel ranks", Dimension::pipeline, check_replicas},
      {"sequence_over_tensor", "sequence parallelism cuts the tokens evenly over tensor-parallel ranks",
       Dimension::sequence_parallel, check_sequence_parallel},
      {"sequence_over_context", "context parallelism cuts sequences, and with Ulysses heads, into equal parts",
       Dimension::context, check_context},
      {"gpus", "TP x PP x CP x DP is the number of GPUs", Dimension::pipeline, check_identity},
  });
  return rules;
}

}  // namespace meshgauge
