// Inverse questions: the longest sequence, the fewest GPUs, ... for which some layout fits or is good enough.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/price/profile.hpp"
#include "core/search/found.hpp"

namespace meshgauge {

enum class Unknown { max_sequence, max_micro_batch, min_gpus, max_layers, deadline, min_global_batch };
MESHGAUGE_NAMES(Unknown, "max-seq", "max-micro-batch", "min-gpus", "max-params", "deadline", "min-global-batch");

struct Inverse {
  Unknown unknown = Unknown::max_sequence;
  Seconds deadline{};     ///< of the whole run, without interruptions
  double efficiency = 0;  ///< model FLOPs over peak that a step has to reach, causal convention
};

/// A value that was tried, and the best layout with it, if one fits.
struct Trial {
  std::int64_t value = 0;
  std::optional<Candidate> best;
  Seconds seconds{};    ///< of its step, replayed
  Bytes least{};        ///< what the layout that needs least needs, if none fits
  Issues issues;        ///< why there is no layout at all
  bool enough = false;  ///< it is what was asked for
};

struct Solved {
  std::optional<Trial> answer;
  std::optional<Trial> next;  ///< the value beyond, which is not enough
  std::int64_t unit = 1;      ///< answers are multiples of it
  std::int64_t trials = 0;
};

/// A prepared question and its profile for one value of the unknown.
[[nodiscard]] LayoutQuestion with_value(const LayoutQuestion&, Unknown, std::int64_t value);

/// `profile_of` gives the profile of a number of GPUs.
[[nodiscard]] Solved solve(const LayoutQuestion&, const Inverse&,
                           const std::function<Profile(std::int64_t gpus)>& profile_of);

}  // namespace meshgauge
