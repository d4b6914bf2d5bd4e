// What measurements a calibration lacks, and the command that makes the next one.
#pragma once

#include <string>
#include <vector>

#include "core/calibrate/collectives.hpp"
#include "core/calibrate/kernels.hpp"
#include "core/calibrate/steps.hpp"

namespace meshgauge {

struct Advice {
  std::string message;
  std::string command;  ///< empty where only the user can know
};

/// The most useful first: what was measured and could not be used, then what would tell most (on published logs:
/// all-reduce over all ranks, then all-gather between nodes, all-to-all, small groups, products, steps).
[[nodiscard]] std::vector<Advice> advice_on(const Cluster&, const CollectiveFit&, const KernelFit&, const StepFit&);

}  // namespace meshgauge
