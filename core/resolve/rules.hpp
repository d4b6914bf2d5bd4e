// The rules that a scenario must keep, by what they are about, and the warnings on legal ones.
#pragma once

#include "core/issue.hpp"
#include "core/resolve/findings.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

void check_model(const Scenario&, Findings&);     ///< sizes that counting can handle
void check_engine(const Scenario&, Findings&);    ///< what the training engine can do
void check_degrees(const Scenario&, Findings&);   ///< degrees divide the model and multiply to the cluster
void check_experts(const Scenario&, Findings&);   ///< expert parallelism
void check_pipeline(const Scenario&, Findings&);  ///< stages, chunks and schedules
void check_training(const Scenario&, Findings&);  ///< batch, sequence, number formats, recompute

/// FSDP: units of layers are gathered for use, and may be freed between forward and backward.
[[nodiscard]] bool gathers_units(const Scenario&);

/// Every rule that a resolved scenario breaks; empty: it can be computed.
[[nodiscard]] Issues broken_rules(const Scenario&);

/// Legal things that the user may not have meant. Only for scenarios that break no rule.
[[nodiscard]] Issues warnings_of(const Scenario&);

}  // namespace meshgauge
