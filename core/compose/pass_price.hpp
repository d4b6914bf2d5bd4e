// The passes of one pipeline rank priced: kernels, transfers inside them, messages to other stages.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/compose/replay.hpp"
#include "core/compose/schedule.hpp"
#include "core/compose/stage_cost.hpp"
#include "core/compose/step.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// A rank before data parallelism: what a micro-batch takes on it, where the time of the step goes, and what it does
/// after its last backward that data parallelism has no part in (norm gradients, shared embeddings).
struct RankPasses {
  LayerCost kernels;                        ///< of one micro-batch through all its chunks
  StageTime time;                           ///< the same with transfers, messages and waits for the host
  std::array<Seconds, part_count> parts{};  ///< of the step
  Seconds after{};                          ///< exposed after the last backward
  Seconds waiting_for_host{};
};

/// Prices ranks one after the other; memory is used again.
class PassPricer {
 public:
  /// Both have to outlive it.
  PassPricer(const Profile& profile, CollectiveTimes& collectives) : profile_(profile), collectives_(collectives) {}

  /// What is priced from now on. Both have to stay.
  void start(const Scenario&, const CostTable&);

  /// The chunks of the rank, of those of the model, in the order of its schedule.
  void chunk_shapes(std::int64_t rank, std::span<const StageShape> of_model, std::vector<StageShape>& out) const;
  /// Whether two ranks with the same chunks cost the same: both are between the ends, with neighbours in the same
  /// place.
  [[nodiscard]] bool alike(std::int64_t a, std::int64_t b) const;

  /// `shapes` as chunk_shapes() gives them; `others`: exposed seconds of a step that transfers of data parallelism take
  /// inside the forward. Appends one entry for each shape to `chunks`.
  [[nodiscard]] RankPasses price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others,
                                 std::vector<ChunkTime>& chunks);
  /// The transfers of the rank that was priced last.
  [[nodiscard]] const std::vector<PricedTransfer>& transfers() const { return priced_; }

  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }
  /// Micro-batches that cross each chunk: DualPipe feeds both ends, so half of them.
  [[nodiscard]] double passes() const { return passes_; }

 private:
  /// Seconds of one micro-batch through one chunk, transfers inside its passes.
  struct PassSeconds {
    Seconds forward{}, backward{};
  };
  /// Chunks of the rank with the same contents.
  struct Kind {
    StageShape shape;
    double chunks = 0;
    LayerCost kernels;  ///< of one of them
    PassSeconds transfers;
    std::size_t next = 0;  ///< of its traffic, not yet found among that of the rank
    double count = 0;      ///< calls of the transfer at hand
  };

  void find_boundaries();
  /// The message to a neighbour: what the rank waits for, and what goes on beside its next pass.
  [[nodiscard]] Message message_to(std::int64_t rank, ChunkPlace to) const;
  /// What a rank does to a tensor that came from another stage: gathers its slices over the tensor group.
  [[nodiscard]] Seconds unpacking(std::int64_t rank, ChunkPlace from) const;
  void find_kinds(std::span<const StageShape> shapes);
  void share_out_transfers(std::int64_t rank);
  [[nodiscard]] ChunkTime chunk_time(ChunkPlace at, const LayerCost& kernels, const PassSeconds& transfers,
                                     RankPasses& rank) const;
  void add_parts(RankPasses& rank) const;

  const Profile& profile_;
  CollectiveTimes& collectives_;
  const Scenario* scenario_ = nullptr;
  const CostTable* table_ = nullptr;
  Pipeline pipeline_;
  double passes_ = 1;
  std::vector<Transfer> traffic_;
  std::vector<PricedTransfer> priced_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;                        ///< by chunk
  std::vector<std::vector<Transfer>> chunk_traffic_;        ///< by kind
  std::vector<std::pair<std::int64_t, Message>> messages_;  ///< by the rank they go to
  Seconds unpacking_{};
};

}  // namespace meshgauge
