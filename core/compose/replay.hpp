// A pipeline's step replayed event by event: each rank runs its work in order, each pass when its input has come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/compose/work_order.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// What a pass sends on: seconds that its rank waits for, then seconds on the way beside the rank's next work.
struct Message {
  Seconds blocking{}, travelling{};
};

/// One micro-batch through one chunk of a rank.
struct ChunkTime {
  Seconds forward{}, backward_input{}, backward_weight{};
  Message activations, gradients;  ///< after the forward, after the backward of the inputs

  [[nodiscard]] constexpr Seconds busy() const {
    return forward + backward_input + backward_weight + activations.blocking + gradients.blocking;
  }
};

struct Event {
  Seconds start{}, end{};
  EventKind kind = EventKind::forward;
  std::int32_t chunk = -1, micro_batch = -1;  ///< of a pass, or of the pass that a message comes from
  std::int32_t to = -1;                       ///< of a message: the rank that receives it
};

struct Replay {
  std::vector<Seconds> rank_end;           ///< when each rank has done its last work
  std::vector<std::vector<Event>> events;  ///< of each rank, by start; empty unless recorded and whole

  [[nodiscard]] Seconds total() const;
};

/// Passes that are replayed one by one at most.
inline constexpr std::int64_t most_replayed = std::int64_t{1} << 17;
/// Forwards and backwards of all ranks in a step.
[[nodiscard]] std::int64_t count_work(const Pipeline&);

/// Whether what happens is written down.
enum class Record { no, yes };

/// `chunks[rank * pipeline.chunks_of_rank() + chunk]`. Schedules that are never drained (PipeDream) are replayed until
/// they are steady, and the step is as many micro-batches of that stream. With more than `most` passes the first rounds
/// are replayed and the others take as long as the last of those; none if even that is too much, or if the schedule
/// cannot run so many micro-batches on so many stages.
[[nodiscard]] std::optional<Replay> replay(const Pipeline&, std::span<const ChunkTime> chunks, Record,
                                           std::int64_t most = most_replayed);

/// Before this no rank has done its last work in a replay of all passes, found without one: it has to wait for its
/// first micro-batch, then work on all of them, and the last one has to go back through the ranks before it.
[[nodiscard]] std::vector<Seconds> least_ends(const Pipeline&, std::span<const ChunkTime> chunks);

}  // namespace meshgauge
