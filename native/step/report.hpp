// A measured step beside the core's prediction of it, as a table and as a record of the results file.
#pragma once

#include <optional>
#include <string>

#include "core/compose/step.hpp"
#include "native/harness/results.hpp"
#include "native/step/measured.hpp"

namespace meshgauge::step {

/// What the core says of the same scenario: bytes always, times where it knows the hardware.
struct Predicted {
  Ledger ledger;
  std::optional<StepReport> step;
  FlopsPerSecond peak{};  ///< of a device in the step's format; 0: not known

  [[nodiscard]] std::optional<double> seconds(Mode) const;
  /// Tensors; what the ledger has beside them is no concern of the step.
  [[nodiscard]] double bytes(Phase) const;
};

/// (serial - overlapped) / min(compute, communication): 1 if the shorter is hidden, 0 if nothing is.
[[nodiscard]] std::optional<double> overlap_efficiency(const std::array<std::optional<double>, mode_count>& seconds);

[[nodiscard]] std::string table_of(const Job&, const Scenario&, const Measured&, const Predicted&);
[[nodiscard]] harness::Record record_of(const Job&, const Scenario&, const Measured&, const Predicted&);

}  // namespace meshgauge::step
