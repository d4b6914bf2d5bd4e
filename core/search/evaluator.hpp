// Step time and memory of one layout after the other, each piece computed once for all layouts that share it.
//
// A layout is a grid (degrees and micro-batch), a schedule, a recompute choice and a ZeRO stage, and the pieces hang on
// parts of it: kernels of a layer on grid and recompute; what data parallelism and states take on grid, schedule and
// ZeRO stage; passes and activations on grid, schedule and recompute. They are the functions that an estimate is
// composed of, in the same order, so that a layout has the time and the bytes of its estimate in closed form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compose/pass_price.hpp"
#include "core/compose/stage_cost.hpp"
#include "core/compose/update_price.hpp"
#include "core/count/memory.hpp"
#include "core/count/outside.hpp"
#include "core/price/collective_times.hpp"
#include "core/price/profile.hpp"
#include "core/search/layer_memory.hpp"
#include "core/search/layout.hpp"
#include "core/search/split.hpp"

namespace meshgauge {

class Evaluator {
 public:
  /// Request and profile have to outlive it. `stages`: the scenario at each ZeRO stage.
  Evaluator(const ScenarioRequest& request, const Profile& profile, std::span<const Scenario> stages);

  void set_grid(const Grid&);
  /// False if the split by cost is the even one.
  [[nodiscard]] bool set_schedule(const ScheduleChoice&);
  void set_recompute(const RecomputeChoice&);

  // After all three, of the layout at the given one of the ZeRO stages:

  /// On the device, of the rank that needs most.
  [[nodiscard]] Bytes memory(std::size_t stage);
  /// Lower bound of its step time, for a part of the work.
  [[nodiscard]] Seconds least_seconds(std::size_t stage);
  [[nodiscard]] Seconds seconds(std::size_t stage);
  /// Of all ZeRO stages.
  [[nodiscard]] Seconds least_seconds();
  /// Whether that of no recompute is one for every recompute choice.
  [[nodiscard]] bool recompute_only_adds() const;

  /// Layers of the largest chunk of the model.
  [[nodiscard]] std::int64_t largest_chunk() const { return largest_chunk_; }
  /// The layout as it is set, at the given one of the ZeRO stages.
  [[nodiscard]] const Scenario& scenario(std::size_t stage) const { return stages_[stage].scenario; }
  [[nodiscard]] std::size_t stage_count() const { return stages_.size(); }
  /// How many of the stages differ: a single rank has nothing to shard, and all of them are the first.
  [[nodiscard]] std::size_t distinct_stages() const {
    const Parallelism& p = stages_.front().scenario.parallelism;
    return p.data * p.context > 1 || p.expert_data() > 1 ? stages_.size() : 1;
  }

 private:
  struct Stage {
    Scenario scenario;
    std::size_t kernels = 0;  ///< which of kernels_
    bool priced = false, counted = false;
    std::vector<RankUpdate> updates;      ///< by class
    std::vector<MemoryContext> contexts;  ///< by class
    std::vector<OutsideTensors> outside;  ///< by class
    std::vector<PhaseTotals> states;      ///< by class
  };
  /// What stages with the same kernels share: one, but where a stage gathers for each use and there is one micro-batch.
  struct Kernels {
    std::size_t stage = 0;  ///< one that has them
    PricedModel prices;
    CostTable table;
    bool has_prices = false;                   ///< of the grid
    bool has_table = false;                    ///< the recompute that is set
    bool has_plain = false, has_held = false;  ///< of the schedule, whatever is recomputed
    bool priced = false, counted = false;
    Seconds least{};                 ///< that the passes take
    std::vector<PlainPasses> plain;  ///< by class
    std::vector<RankPasses> passes;
    LayerMemory layers;                          ///< of the grid
    std::vector<PhaseTotals> held_beside, held;  ///< beside the layers, and all
  };
  /// Ranks that cost the same; of them the first one holds the most.
  struct RankClass {
    std::int64_t first = 0;
    std::vector<StageShape> chunks;
    std::vector<std::size_t> kinds;  ///< of the chunks
    RankContents contents;           ///< of them together
  };

  [[nodiscard]] const CostTable& priced_kernels(Kernels&);
  void classify();
  void price(Stage&);
  void count(Stage&);
  void price(Kernels&);
  void count(Kernels&);

  const ScenarioRequest& request_;
  const Profile& profile_;
  double factor_;  ///< of bounds
  std::vector<Stage> stages_;
  std::vector<Kernels> kernels_;
  std::size_t kernel_count_ = 1;
  RecomputeChoice recompute_;
  std::vector<RankClass> classes_;
  std::size_t class_count_ = 0;
  std::vector<std::size_t> class_of_;  ///< by rank
  std::int64_t largest_chunk_ = 0;
  SplitCosts split_costs_;
  bool has_split_costs_ = false;
  std::vector<std::int64_t> even_;
  CollectiveTimes collectives_;
  PassPricer pricer_;
  std::vector<StageShape> of_model_, kinds_of_chunks_;
  std::vector<std::size_t> kinds_of_model_, kinds_;  ///< of the chunks of the model, of those of a rank
  std::vector<Transfer> traffic_;
  std::vector<ChunkTime> chunk_times_;
  std::vector<PricedStage> priced_;  ///< by class
  std::vector<StageTime> times_;     ///< by rank
};

}  // namespace meshgauge
