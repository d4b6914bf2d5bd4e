// Sizes of a model that counting can handle: positive where they must be, and small enough that products stay finite.
#include <array>

#include "core/resolve/rules.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

void check_model(const Scenario& s, Findings& findings) {
  if (!findings.known({path::model})) return;
  const ModelShape& m = s.model;
  struct Size {
    const char* name;
    std::int64_t value, min, max;
  };
  const auto sizes = std::to_array<Size>({
      {"layers", m.layers, 1, 100000},
      {"encoder layers", m.encoder_layers, 0, 100000},
      {"hidden size", m.hidden, 1, 10000000},
      {"MLP width", m.ffn, 0, 100000000},
      {"attention heads", m.heads, 1, 1000000},
      {"key-value heads", m.kv_heads, 1, m.heads},
      {"head size", m.head_dim, 1, 1000000},
      {"vocabulary", m.vocab, 0, 1000000000},
      {"positions", m.max_sequence, 0, 1000000000},
      {"experts", m.moe.experts, 0, 1000000},
      {"experts a token", m.moe.top_k, m.moe.used() ? 1 : 0, m.moe.experts},
      {"expert width", m.moe.expert_ffn, m.moe.used() ? 1 : 0, 100000000},
      {"shared expert width", m.moe.shared_ffn, 0, 100000000},
      {"leading dense layers", m.moe.first_dense_layers, 0, 100000},
      {"layers for each MoE layer", m.moe.layer_freq, 1, 100000},
      {"multi-token-prediction layers", m.mtp_depth, 0, 1000},
  });
  for (const Size& size : sizes) {
    if (size.value >= size.min && size.value <= size.max) continue;
    findings.add(path::model, "model has " + number_text(size.value) + ' ' + size.name +
                                  ". Allowed: " + number_text(size.min) + " to " + number_text(size.max) + '.');
  }
}

}  // namespace

std::span<const Rule> model_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"model_sizes", "the model's sizes are in their ranges", Dimension::scenario, check_model},
  });
  return rules;
}

}  // namespace meshgauge
