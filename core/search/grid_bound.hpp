// A lower bound of the step time of every layout of a grid, before any of them is evaluated.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/compose/step.hpp"
#include "core/price/collective_times.hpp"
#include "core/search/layout.hpp"
#include "core/search/question.hpp"

namespace meshgauge {

/// What a lower bound is multiplied with so that it is one: for rounding, and for the ratios of measured runs.
[[nodiscard]] double bound_factor(const Profile&);

class GridBound {
 public:
  /// The profile has to outlive it.
  GridBound(const LayoutQuestion&, const Profile&, const Scenario& of_engine);

  /// Of all schedules.
  [[nodiscard]] Seconds operator()(const Grid&);
  [[nodiscard]] Seconds operator()(const Grid&, const ScheduleChoice&);

 private:
  /// What the seconds of a micro-batch depend on; pipelines and replicas of any number share them.
  struct Key {
    std::int32_t tensor, context, expert_tensor, expert, micro_batch;
    bool sequence_parallel, accumulates;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key&) const;
  };

  [[nodiscard]] Seconds of_micro_batch();
  [[nodiscard]] Seconds bound(const Grid&, double idle);

  const Profile& profile_;
  Scenario scenario_;
  std::vector<Schedule> schedules_;  ///< that may be chosen
  bool pairs_exchange_;              ///< all-to-alls of experts may hide behind another micro-batch
  double factor_;
  CollectiveTimes collectives_;
  std::unordered_map<Key, Seconds, Hash> known_;
  std::vector<Transfer> traffic_;
  std::vector<PricedTransfer> priced_;
};

}  // namespace meshgauge
