// What is asked of a search: a scenario whose layout is open where the request says nothing of it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scenario/names.hpp"
#include "core/scenario/request.hpp"

namespace meshgauge {

/// What layouts are ranked by. Of several numbers of GPUs, tokens for the money prefers the cheapest.
enum class Goal { step, tokens_per_dollar, memory };
MESHGAUGE_NAMES(Goal, "step", "tokens-per-dollar", "memory");

/// Part `index` of `count` equal ones.
struct Shard {
  std::int64_t index = 0, count = 1;
};

/// Kinds of parallelism that a layout may make use of.
struct Kinds {
  bool sharding = true;  ///< ZeRO or FSDP
  bool tensor = true, pipeline = true, context = true, expert = true;
};

/// Chance to fit of what is predicted to fill the card exactly.
inline constexpr double as_predicted = 0.5;

struct LayoutQuestion {
  ScenarioRequest request;      ///< a prepared one; the global batch is given
  std::vector<Engine> engines;  ///< to choose from
  std::vector<std::int64_t> gpus;
  Goal goal = Goal::step;
  std::int64_t top = 5;
  bool every_schedule = false;   ///< also those that the engine does not offer
  bool even_splits = false;      ///< no split by cost
  double surety = as_predicted;  ///< least chance to fit of what counts as fitting
  Shard shard;
  Kinds kinds;
  double no_worse_than = 0;   ///< of the goal's value: nothing above it is of interest; 0: no such limit
  bool evaluate_all = false;  ///< leaves nothing out by its bound
  /// Time against memory is told up to so many times the best, and so many times the memory there is.
  double reach = 1.25;
};

}  // namespace meshgauge
