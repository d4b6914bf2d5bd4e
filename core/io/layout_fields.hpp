// Of a scenario's fields those that a search chooses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/fields.hpp"

namespace meshgauge {

/// Some fields of a scenario, section by section.
struct LayoutFields {
  std::vector<Field<ClusterRequest>> cluster;  ///< how many of the GPUs there are
  std::vector<Field<ParallelismRequest>> parallelism;
  std::vector<Field<TrainingRequest>> training;
};
[[nodiscard]] LayoutFields layout_fields();

/// Whether a layout that is taken out of a scenario, to be compared, takes the field along. GPUs and engine stay: they
/// are part of the question.
[[nodiscard]] bool is_of_layout(std::string_view section, std::string_view key);

}  // namespace meshgauge
