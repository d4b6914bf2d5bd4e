// The rules that a scenario must keep, by what they are about, and the warnings on legal ones.
#pragma once

#include <span>

#include "core/issue.hpp"
#include "core/resolve/findings.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// What a layout is chosen in, in the order in which a search goes through it. A rule can be judged once the last of
/// those that it reads is known. `scenario`: what no layout changes.
enum class Dimension {
  scenario,
  zero_stage,
  tensor,
  context,
  sequence_parallel,
  pipeline,  ///< and with it the data-parallel size
  expert,
  micro_batch,
  schedule,  ///< and the layers of each chunk
  recompute
};

/// `id` is stable; `text` says what the rule asks for.
struct Rule {
  const char* id;
  const char* text;
  Dimension last;
  void (*check)(const Scenario&, Findings&);
};

[[nodiscard]] std::span<const Rule> model_rules();     ///< sizes that counting can handle
[[nodiscard]] std::span<const Rule> engine_rules();    ///< what the training engine can do
[[nodiscard]] std::span<const Rule> degree_rules();    ///< degrees divide the model and multiply to the cluster
[[nodiscard]] std::span<const Rule> expert_rules();    ///< expert parallelism
[[nodiscard]] std::span<const Rule> pipeline_rules();  ///< stages, chunks and schedules
[[nodiscard]] std::span<const Rule> training_rules();  ///< batch, sequence, number formats, recompute

/// All of them, in the order in which they are reported.
template <class Visit>
void for_each_rule(Visit visit) {
  for (const auto rules : {model_rules, engine_rules, degree_rules, expert_rules, pipeline_rules, training_rules}) {
    for (const Rule& rule : rules()) visit(rule);
  }
}

/// FSDP: units of layers are gathered for use, and may be freed between forward and backward.
[[nodiscard]] bool gathers_units(const Scenario&);

/// Every rule that a resolved scenario breaks; empty: it can be computed.
[[nodiscard]] Issues broken_rules(const Scenario&);

/// Legal things that the user may not have meant. Only for scenarios that break no rule.
[[nodiscard]] Issues warnings_of(const Scenario&);

}  // namespace meshgauge
