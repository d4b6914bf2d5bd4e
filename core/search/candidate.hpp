// A layout that the search has found, with what it costs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/evaluation.hpp"
#include "core/search/layout.hpp"

namespace meshgauge {

struct Candidate {
  Engine engine = Engine::single;
  std::int64_t zero_stage = 0;
  Grid grid{};
  ScheduleChoice schedule{};
  RecomputeChoice recompute{};
  std::vector<std::int64_t> stage_layers{};  ///< empty: as even as possible
  Evaluation cost{};
  bool fits = false;
  double value = 0;  ///< by the goal: less is better
};

/// By value, then memory; what is equal in both goes by the layout, so that the order is one.
[[nodiscard]] bool better(const Candidate&, const Candidate&);

}  // namespace meshgauge
