// Expert parallelism: experts divide, and their ranks fold into tensor x context x data.
#include <array>

#include "core/resolve/divisors.hpp"
#include "core/resolve/rules.hpp"

namespace meshgauge {
namespace {

void check_dense_model(const Scenario& s, Findings& findings) {
  if (s.model.moe.used() || !findings.known({path::model})) return;
  const Parallelism& p = s.parallelism;
  const std::string why = ", but " + s.model.name + " has no experts. Set ";
  if (p.expert > 1 && findings.known({path::expert})) {
    findings.add(path::expert, "expert_parallel_size is " + number_text(p.expert) + why + "1.");
  }
  if (p.expert_tensor > 1 && findings.known({path::expert_tensor})) {
    findings.add(path::expert_tensor, "expert_tensor_parallel_size is " + number_text(p.expert_tensor) + why + "1.");
  }
  if (s.training.moe_load_factor != 1 && findings.known({path::load_factor})) {
    findings.add(path::load_factor, "moe_load_factor is " + number_text(s.training.moe_load_factor) + why + "1.");
  }
}

/// Sizes that divide the expert width, the ranks, and leave the expert ranks room; less strict where none does all.
std::vector<std::int64_t> legal_expert_tensor(const Scenario& s, const Findings& findings) {
  const Parallelism& p = s.parallelism;
  const std::int64_t width = s.model.moe.expert_ffn;
  const double ranks = static_cast<double>(p.tensor) * static_cast<double>(p.context) * static_cast<double>(p.data);
  const bool counted = ranks <= 1e6 && findings.known({path::gpus, path::tensor, path::context, path::data,
                                                       path::expert, path::pipeline});
  const std::int64_t whole = counted ? static_cast<std::int64_t>(ranks) : 0;  // which everything divides
  const auto legal = [&](std::int64_t i) { return width % i == 0 && whole % i == 0; };
  auto values =
      legal_values(counted ? whole : width, [&](std::int64_t i) { return legal(i) && whole / i % p.expert == 0; });
  if (values.empty()) values = legal_values(counted ? whole : width, legal);
  return values;
}

void check_moe_model(const Scenario& s, Findings& findings) {
  const MixtureOfExperts& moe = s.model.moe;
  if (!moe.used() || !findings.known({path::model})) return;
  const Parallelism& p = s.parallelism;
  if (findings.known({path::expert}) && moe.experts % p.expert != 0) {
    const auto allowed = legal_values(moe.experts, [&](std::int64_t i) { return moe.experts % i == 0; });
    findings.add(path::expert, "expert_parallel_size " + number_text(p.expert) + " does not divide " +
                                   number_text(moe.experts) + " experts. " + allowed_text(allowed, p.expert));
  }
  if (findings.known({path::expert_tensor, path::tensor, path::engine}) && moe.expert_ffn % p.expert_tensor != 0) {
    findings.add(path::expert_tensor, "expert_tensor_parallel_size " + number_text(p.expert_tensor) +
                                          " does not divide the expert width " + number_text(moe.expert_ffn) + ". " +
                                          allowed_text(legal_expert_tensor(s, findings), p.expert_tensor));
  }
  // "Fullest rank over mean" cannot exceed the number of ranks.
  if (findings.known({path::load_factor, path::expert}) && s.training.moe_load_factor > static_cast<double>(p.expert)) {
    findings.add(path::load_factor, "moe_load_factor is " + number_text(s.training.moe_load_factor) +
                                        ", but the fullest of " + number_text(p.expert) +
                                        " expert ranks holds at most " + number_text(p.expert) +
                                        " times the mean. Set 1, or a larger expert_parallel_size.");
  }
}

/// Megatron-LM megatron/core/parallel_state.py: expert_tensor * expert * expert_data * pipeline = world.
void check_expert_grid(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  if (!s.model.moe.used() || !findings.known({path::model})) return;
  if (!findings.known({path::gpus, path::tensor, path::context, path::data, path::expert, path::expert_tensor,
                       path::engine, path::pipeline})) {
    return;
  }
  const double ranks = static_cast<double>(p.tensor) * static_cast<double>(p.context) * static_cast<double>(p.data);
  if (ranks > 1e6) return;  // the identity of degrees and GPUs is already broken
  const auto whole = static_cast<std::int64_t>(ranks);
  const bool tensor_fits = whole % p.expert_tensor == 0;
  if (tensor_fits && whole / p.expert_tensor % p.expert == 0) return;
  if (s.model.moe.expert_ffn % p.expert_tensor != 0) return;  // said already
  if (!tensor_fits) {
    const auto allowed = legal_expert_tensor(s, findings);
    findings.add(path::expert_tensor, "expert_tensor_parallel_size " + number_text(p.expert_tensor) +
                                          " does not divide TP x CP x DP = " + number_text(whole) + ". " +
                                          allowed_text(allowed, p.expert_tensor));
    return;
  }
  const std::int64_t room = whole / p.expert_tensor;
  const auto allowed =
      legal_values(room, [&](std::int64_t i) { return room % i == 0 && s.model.moe.experts % i == 0; });
  findings.add(path::expert, "expert_parallel_size " + number_text(p.expert) +
                                 " does not divide TP x CP x DP / ETP = " + number_text(room) + ". " +
                                 allowed_text(allowed, p.expert));
}

}  // namespace

std::span<const Rule> expert_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"no_experts", "a dense model has no expert parallelism", Dimension::expert, check_dense_model},
      {"experts", "expert parallelism divides the experts, expert tensor parallelism their width", Dimension::expert,
       check_moe_model},
      {"expert_grid", "expert and expert tensor parallelism fold into TP x CP x DP", Dimension::expert,
       check_expert_grid},
  });
  return rules;
}

}  // namespace meshgauge
