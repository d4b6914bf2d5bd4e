// One layout of the search: what it sets of a scenario.
#pragma once

#include <compare>
#include <cstdint>

#include "core/scenario/request.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// How ranks are formed and fed: whatever needs new prices of kernels and transfers.
struct Grid {
  std::int32_t gpus = 1;
  std::int32_t tensor = 1, context = 1, pipeline = 1, data = 1;
  std::int32_t replicas = 1;  ///< of sharded groups
  std::int32_t expert_tensor = 1, expert = 1;
  std::int32_t micro_batch = 1;
  bool sequence_parallel = false;

  auto operator<=>(const Grid&) const = default;  // NOLINT(modernize-use-nullptr): the literal 0 of <=>
};

/// Which stage runs what when. `by_cost`: layers are dealt out so that the slowest chunk is as fast as it can be.
struct ScheduleChoice {
  Schedule schedule = Schedule::one_f_one_b;
  std::int32_t virtual_pipeline = 1;
  bool by_cost = false;

  auto operator<=>(const ScheduleChoice&) const = default;  // NOLINT(modernize-use-nullptr): the literal 0 of <=>
};

struct RecomputeChoice {
  Recompute kind = Recompute::none;
  RecomputeMethod method = RecomputeMethod::uniform;
  std::int32_t layers = 1;
  RecomputeModules modules{};

  bool operator==(const RecomputeChoice&) const = default;
  /// Of chunks that have no more layers than that: full recompute says the same with a method of its own.
  [[nodiscard]] bool repeats_all(std::int64_t largest_chunk) const {
    return kind == Recompute::full && method == RecomputeMethod::block && layers >= largest_chunk;
  }
};

/// Sets the fields. `follow_schedule` and `stage_layers` are the caller's.
void set_grid(const Grid&, Scenario&);
void set_recompute(const RecomputeChoice&, Scenario&);
/// What they set.
[[nodiscard]] Grid grid_of(const Scenario&);
[[nodiscard]] RecomputeChoice recompute_of(const Scenario&);

}  // namespace meshgauge
