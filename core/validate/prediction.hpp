// What is predicted of a run, in the amounts that runs report.
#pragma once

#include <array>

#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"
#include "core/validate/measured_run.hpp"

namespace meshgauge {

struct Prediction {
  Seconds step{}, step_low{}, step_high{};
  std::array<Bytes, memory_kind_count> memory{};  ///< of the rank asked for, each kind at its own peak
  Bytes fullest{};                                ///< device bytes of the stage that needs most
  Bytes needed{};  ///< of the stage that needs most, once the allocator has given back what it can
  double fit_probability = 0;
  bool fits = false;  ///< the fullest stage within the GPU's memory
};

[[nodiscard]] Prediction predict(const Scenario&, const Profile&, MeasuredRank);

}  // namespace meshgauge
