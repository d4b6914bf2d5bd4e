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
#include "core/count/traffic.hpp"
#include "core/price/collective_times.hpp"

namespace meshgauge {

/// A rank before data parallelism: what a micro-batch takes on it, where the time of the step goes, and what it does
/// after its last backward that data parallelism has no part in (norm gradients, shared embeddings).
struct RankPasses {
  StageTime time;                           ///< the same with transfers, messages and waits for the host
  std::array<Seconds, part_count> parts{};  ///< of the step
  Seconds after{};                          ///< exposed after the last backward
  Seconds waiting_for_host{};
};

/// Seconds of one micro-batch through one chunk, transfers inside its passes.
struct PassSeconds {
  Seconds forward{}, backward{};
};

/// A rank's passes before recompute adds to them, in memory that is used again.
struct PlainPasses {
  /// Chunks with the same contents.
  struct Kind {
    StageShape shape;
    double chunks = 0;
    LayerCost kernels;  ///< of one of them
    PassSeconds transfers;
  };
  struct Chunk {
    std::size_t kind = 0;
    PassSeconds transfers;  ///< beside those of its kind
    Message activations, gradients;
  };
  std::int64_t rank = 0;
  StageShape all;     ///< of the chunks
  LayerCost kernels;  ///< of them together
  std::vector<Kind> kinds;
  std::vector<Chunk> chunks;
  std::vector<PricedTransfer> transfers;
  std::array<Seconds, part_count> parts{};  ///< of the transfers
  Seconds after{};

  /// Transfers of what recompute runs again, if it is all layers; they are in proportion to the share that it is.
  struct Again {
    bool known = false;
    std::vector<std::pair<Part, Seconds>> transfers;  ///< exposed
    std::vector<double> calls;                        ///< of each in chunks of each kind
  };
  std::array<Again, 5> again;  ///< of full recompute, and by what selective recompute runs again
};

/// Prices ranks one after the other; memory is used again.
class PassPricer {
 public:
  /// Both have to outlive it.
  PassPricer(const Profile& profile, CollectiveTimes& collectives) : profile_(profile), collectives_(collectives) {}

  /// What is priced from now on. Both have to stay.
  void start(const Scenario&, const CostTable&);

  /// The chunks of the rank, of those of the model, in the order of its schedule.
  void chunk_shapes(std::int64_t rank, std::span<const StageShape> of_model, std::vector<StageShape>& out) const {
    of_rank(rank, of_model, out);
  }
  /// The same for what stands for a shape.
  void chunk_kinds(std::int64_t rank, std::span<const std::size_t> of_model, std::vector<std::size_t>& out) const {
    of_rank(rank, of_model, out);
  }
  /// Whether two ranks with the same chunks cost the same: both are between the ends, with neighbours in the same
  /// place.
  [[nodiscard]] bool alike(std::int64_t a, std::int64_t b) const;

  /// `shapes` as chunk_shapes() gives them; `others`: exposed seconds of a step that transfers of data parallelism take
  /// inside the forward. Appends one entry for each shape to `chunks`.
  [[nodiscard]] RankPasses price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others,
                                 std::vector<ChunkTime>& chunks);
  /// The transfers of the rank that was priced last.
  [[nodiscard]] const std::vector<PricedTransfer>& transfers() const { return plain_.transfers; }

  /// The same in two parts, for who prices many recompute choices: what none of them changes, and one of them. Not so
  /// where recompute changes what other transfers take or hide.
  [[nodiscard]] bool recompute_adds() const;
  void price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others, PlainPasses& out) {
    price(rank, shapes, others, Repeats::without, out);
  }
  [[nodiscard]] RankPasses with_recompute(PlainPasses&);

  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }
  /// Micro-batches that cross each chunk: DualPipe feeds both ends, so half of them.
  [[nodiscard]] double passes() const { return passes_; }

 private:
  /// What recompute adds to chunks of one kind.
  struct Added {
    RepeatedKernels kernels;
    Seconds transfers{};
  };

  template <class T>
  void of_rank(std::int64_t rank, std::span<const T> of_model, std::vector<T>& out) const {
    out.clear();
    const std::int64_t chunks = pipeline_.chunks_of_rank();
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      out.push_back(of_model[static_cast<std::size_t>(model_chunk_at(pipeline_, {rank, chunk}))]);
    }
  }
  void price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others, Repeats, PlainPasses& out);
  void find_boundaries(const PlainPasses&);
  /// The message to a neighbour: what the rank waits for, and what goes on beside its next pass.
  [[nodiscard]] Message message_to(std::int64_t rank, ChunkPlace to) const;
  /// What a rank does to a tensor that came from another stage: gathers its slices over the tensor group.
  [[nodiscard]] Seconds unpacking(std::int64_t rank, ChunkPlace from) const;
  void find_kinds(std::span<const StageShape> shapes, PlainPasses& out) const;
  /// Calls `visit(i, calls, all)` for each transfer of a rank: how many of its calls chunks of each kind cause, and all
  /// chunks together.
  template <class Visit>
  void count_calls(const PlainPasses&, const std::vector<PricedTransfer>&, Repeats, Visit visit);
  [[nodiscard]] const PlainPasses::Again& again(PlainPasses&);
  [[nodiscard]] RankPasses put_together(const PlainPasses&, std::vector<ChunkTime>* chunks) const;

  const Profile& profile_;
  CollectiveTimes& collectives_;
  const Scenario* scenario_ = nullptr;
  const CostTable* table_ = nullptr;
  Pipeline pipeline_;
  double passes_ = 1;
  PlainPasses plain_;
  std::vector<Added> added_;  ///< by kind
  std::vector<Transfer> traffic_;
  std::vector<PricedTransfer> again_;
  std::vector<double> shares_;                              ///< by kind: of its layers that are run again
  std::vector<std::vector<Transfer>> kind_traffic_;         ///< by kind
  std::vector<std::size_t> next_;                           ///< of the traffic of each kind, not yet shared out
  std::vector<double> calls_;                               ///< by kind, of the transfer at hand
  std::vector<std::pair<std::int64_t, Message>> messages_;  ///< by the rank they go to
  Seconds unpacking_{};
};

}  // namespace meshgauge
