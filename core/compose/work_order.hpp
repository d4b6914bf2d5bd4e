// What each rank of a pipeline does, in order, under each schedule: the one place where schedules are written down.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scenario/names.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// What fills a rank's time. Work is of the first four; `backward` computes input and weight gradients at once.
enum class EventKind {
  forward,
  backward,
  backward_input,
  backward_weight,
  message,             ///< activations or their gradients on their way to another stage
  gradient_reduction,  ///< after the last backward: data-parallel and shared gradients, the gradient norm
  optimizer,
  parameter_gather,
  overhead  ///< data, logging, launch of the optimizer
};
MESHGAUGE_NAMES(EventKind, "forward", "backward", "backward_input", "backward_weight", "message", "gradient_reduction",
                "optimizer", "parameter_gather", "overhead");

/// A pass of one micro-batch through one chunk of a rank.
struct Work {
  EventKind kind = EventKind::forward;
  bool with_next = false;  ///< runs together with the next one: both wait for their inputs, both send after the two
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
};

/// A schedule over a number of stages. `chunks` is the virtual pipeline size, `group` the micro-batches that a chunk
/// runs in a row (interleaved).
struct Pipeline {
  Schedule schedule = Schedule::one_f_one_b;
  std::int64_t stages = 1;
  std::int64_t chunks = 1;
  std::int64_t micro_batches = 1;
  std::int64_t group = 1;

  /// Chunks of a rank: two under ZB-V and DualPipe.
  [[nodiscard]] std::int64_t chunks_of_rank() const;
  /// Weight gradients are computed apart from input gradients.
  [[nodiscard]] bool splits_backward() const;
};
[[nodiscard]] Pipeline pipeline_of(const Scenario&);

/// A chunk of a rank. `rank` is -1 where there is none.
struct ChunkPlace {
  std::int64_t rank = -1;
  std::int64_t chunk = 0;

  [[nodiscard]] bool exists() const { return rank >= 0; }
};
/// Where a micro-batch goes after this place in its forward, and where it comes from.
[[nodiscard]] ChunkPlace place_after(const Pipeline&, ChunkPlace);
[[nodiscard]] ChunkPlace place_before(const Pipeline&, ChunkPlace);
/// Which chunk of the model, in its order, stands there.
[[nodiscard]] std::int64_t model_chunk_at(const Pipeline&, ChunkPlace);

/// Appends the rank's work of one step. DualPipe wants an even number of stages and at least twice as many
/// micro-batches, an even number too; nothing is appended otherwise.
void append_work(const Pipeline&, std::int64_t rank, std::vector<Work>& out);

}  // namespace meshgauge
