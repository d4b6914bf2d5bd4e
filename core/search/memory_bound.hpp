// A lower bound of the device memory of every layout of a grid: training states alone, shared out evenly.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"
#include "core/search/layout.hpp"

namespace meshgauge {

class MemoryBound {
 public:
  /// The profile has to outlive it. `stages`: the scenario at each ZeRO stage.
  MemoryBound(const Profile&, std::span<const Scenario> stages);

  [[nodiscard]] Bytes operator()(const Grid&);

 private:
  [[nodiscard]] Bytes at(const Scenario&) const;

  const Profile& profile_;
  std::vector<Scenario> stages_;
  std::map<Grid, Bytes> known_;
};

}  // namespace meshgauge
