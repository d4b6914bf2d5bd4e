// Measured kernels to a profile: rates of products and memory, and a table of products over those.
#pragma once

#include <vector>

#include "core/calibrate/collectives.hpp"
#include "core/calibrate/measurement.hpp"

namespace meshgauge {

struct ProductComparison {
  MatmulFormat format = MatmulFormat::fp32;
  double m = 0, n = 0, k = 0, groups = 1;
  Seconds measured{}, before{}, after{};
};

struct KernelFit {
  Profile profile;
  std::vector<FittedParameter> parameters;
  std::vector<ProductComparison> products;
  ErrorSummary error_before, error_after;
  ErrorSummary held_out;  ///< of every second product, predicted by a fit on the others
};

/// Products of each format refit its rate and the depth that a block loses; what they still differ by is the table.
/// On a GPU single products run cooler and faster than in a step, so their rate is not taken: the table then holds
/// shapes against each other. Copies within the device's memory give its bandwidth.
[[nodiscard]] KernelFit fit_kernels(const Profile&, const Cluster&, const std::vector<ImportedRun>&);

}  // namespace meshgauge
