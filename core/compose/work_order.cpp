#include "core/compose/work_order.hpp"

#include <algorithm>
#include <array>

namespace meshgauge {
namespace {

/// Writes down the work of one rank.
struct RankOrder {
  const Pipeline& pipeline;
  std::int64_t rank;
  std::vector<Work>& out;

  void add(EventKind kind, std::int64_t chunk, std::int64_t micro_batch, bool with_next = false) {
    out.push_back({.kind = kind,
                   .with_next = with_next,
                   .chunk = static_cast<std::int32_t>(chunk),
                   .micro_batch = static_cast<std::int32_t>(micro_batch)});
  }
};

/// Huang et al. 2019, arXiv:1811.06965 figure 2: all forwards, then all backwards, last micro-batch first.
void gpipe(RankOrder& order) {
  const std::int64_t m = order.pipeline.micro_batches;
  for (std::int64_t i = 0; i < m; ++i) order.add(EventKind::forward, 0, i);
  for (std::int64_t i = m - 1; i >= 0; --i) order.add(EventKind::backward, 0, i);
}

/// Megatron-LM core/pipeline_parallel/schedules.py: warm-up forwards, then one forward and one backward in turn.
/// `forward` and `backward` add the k-th of a rank's passes.
template <class Forward, class Backward>
void in_turn(std::int64_t warm_up, std::int64_t passes, Forward forward, Backward backward) {
  const std::int64_t ahead = std::min(warm_up, passes);
  for (std::int64_t k = 0; k < ahead; ++k) forward(k);
  for (std::int64_t k = ahead; k < passes; ++k) {
    forward(k);
    backward(k - ahead);
  }
  for (std::int64_t k = passes - ahead; k < passes; ++k) backward(k);
}

void one_chunk_in_turn(RankOrder& order, std::int64_t warm_up) {
  in_turn(
      warm_up, order.pipeline.micro_batches, [&](std::int64_t k) { order.add(EventKind::forward, 0, k); },
      [&](std::int64_t k) { order.add(EventKind::backward, 0, k); });
}

/// Megatron-LM schedules.py get_schedule_table, get_pp_rank_microbatches: a chunk runs a group of micro-batches, then
/// the next chunk the same ones; the last group takes what is left. Backwards take the chunks from the last one on.
void interleaved(RankOrder& order) {
  const Pipeline& p = order.pipeline;
  struct Pass {
    std::int64_t chunk, micro_batch;
  };
  std::vector<Pass> passes;
  passes.reserve(static_cast<std::size_t>(p.chunks * p.micro_batches));
  const std::int64_t group = std::max<std::int64_t>(1, p.group);
  for (std::int64_t first = 0; first < p.micro_batches; first += group) {
    for (std::int64_t chunk = 0; chunk < p.chunks; ++chunk) {
      for (std::int64_t i = first; i < std::min(first + group, p.micro_batches); ++i) passes.push_back({chunk, i});
    }
  }
  const auto pass = [&](std::int64_t k) { return passes[static_cast<std::size_t>(k)]; };
  in_turn(
      2 * (p.stages - order.rank - 1) + (p.chunks - 1) * group, p.chunks * p.micro_batches,
      [&](std::int64_t k) { order.add(EventKind::forward, pass(k).chunk, pass(k).micro_batch); },
      [&](std::int64_t k) { order.add(EventKind::backward, p.chunks - 1 - pass(k).chunk, pass(k).micro_batch); });
}

/// Qi et al. 2024, arXiv:2401.10241 sections 2.2, 2.3 and figures 2, 3: 1F1B whose weight gradients lag behind by
/// `lag` micro-batches, so that every rank holds as many as the first, and fill the drain.
void zero_bubble(RankOrder& order, std::int64_t warm_up, std::int64_t lag) {
  const std::int64_t m = order.pipeline.micro_batches;
  std::int64_t weights = 0;  // done
  const auto weight = [&] { order.add(EventKind::backward_weight, 0, weights++); };
  const std::int64_t ahead = std::min(warm_up, m);
  for (std::int64_t k = 0; k < ahead; ++k) order.add(EventKind::forward, 0, k);
  for (std::int64_t k = 0; k < m; ++k) {
    const bool draining = k + ahead >= m;
    if (!draining) order.add(EventKind::forward, 0, k + ahead);
    order.add(EventKind::backward_input, 0, k);
    if (draining || k + 1 - weights > lag) weight();
  }
  while (weights < m) weight();
}

/// Qi et al. 2024, arXiv:2405.15362 (ZB-V) as torch/distributed/pipelining/schedules.py ScheduleZBVZeroBubble writes
/// it: chunk 0 runs up the ranks, chunk 1 down again. Written for at least 2p - 1 micro-batches; missing ones are left
/// out.
void zero_bubble_v(RankOrder& order) {
  const std::int64_t p = order.pipeline.stages, r = order.rank, m = order.pipeline.micro_batches;
  const std::int64_t count = std::max(2 * p - 1, m);
  struct Done {
    std::int64_t forward = 0, input = 0, weight = 0;
  };
  std::array<Done, 2> done;
  const auto add = [&](EventKind kind, std::size_t chunk, std::int64_t& next) {
    if (next < m) order.add(kind, static_cast<std::int64_t>(chunk), next);
    ++next;
  };
  const auto forward = [&](std::size_t chunk) { add(EventKind::forward, chunk, done[chunk].forward); };
  const auto input = [&](std::size_t chunk) { add(EventKind::backward_input, chunk, done[chunk].input); };
  const auto weight = [&](std::size_t chunk) { add(EventKind::backward_weight, chunk, done[chunk].weight); };
  const auto backward = [&](std::size_t chunk) {
    input(chunk);
    weight(chunk);
  };
  for (std::int64_t i = 0; i < 2 * (p - r) - 1; ++i) forward(0);
  for (std::int64_t i = 0; i < r; ++i) {
    forward(1);
    forward(0);
  }
  for (std::int64_t i = 0; i < p - r; ++i) {
    forward(1);
    backward(1);
  }
  while (done[1].forward < done[0].forward || done[0].forward < count) {
    if (done[0].forward < count) forward(0);
    backward(0);
    forward(1);
    backward(1);
  }
  for (std::int64_t i = 0; i < r; ++i) {
    input(0);
    input(1);
  }
  for (std::int64_t i = 0; i < p - r; ++i) backward(0);
  while (done[1].weight < done[1].input) weight(1);
  while (done[0].weight < done[0].input) weight(0);
}

/// DeepSeek-V3, arXiv:2412.19437 section 3.2.1; deepseek-ai/DualPipe dualpipe/dualpipe.py step(): its eight steps.
/// Half of the micro-batches enter at each end. Phase 0 is the direction whose entry is nearer.
class DualPipeOrder {
 public:
  explicit DualPipeOrder(RankOrder& order)
      : order_(order), half_(order.pipeline.micro_batches / 2), second_half_(order.rank >= order.pipeline.stages / 2) {}

  void write() {
    const std::int64_t p = order_.pipeline.stages;
    const std::int64_t near_end = std::min(order_.rank, p - 1 - order_.rank);
    const std::int64_t inward = p / 2 - near_end - 1;  // ranks between this one and the middle
    for (std::int64_t i = 0; i < 2 * inward; ++i) forward(0);
    for (std::int64_t i = 0; i <= near_end; ++i) {
      forward(0);
      forward(1);
    }
    for (std::int64_t i = 0; i < inward; ++i) {
      split(1);
      weight();
      forward(1);
    }
    const std::int64_t steady = half_ - p + near_end + 1;
    for (std::int64_t i = 0; i < steady; ++i) {
      forward(0, i > 0 || inward > 0);  // the middle ranks run their first pair one after the other
      backward(1);
      forward(1, true);
      backward(0);
    }
    for (std::int64_t i = 0; i < inward; ++i) {
      backward(1);
      forward(1, true);
      backward(0);
    }
    bool zero_bubble = false;
    const auto either = [&](std::size_t phase) { zero_bubble ? split(phase) : backward(phase); };
    for (std::int64_t i = 0; i <= near_end; ++i) {
      const bool half_way = i == (near_end + 1) / 2;
      zero_bubble = zero_bubble || (half_way && near_end % 2 == 1);
      either(1);
      zero_bubble = zero_bubble || half_way;
      either(0);
    }
    for (std::int64_t i = 0; i < inward; ++i) {
      weight();
      split(0);
    }
    for (std::int64_t i = 0; i <= near_end; ++i) weight();
  }

 private:
  [[nodiscard]] std::size_t chunk_of(std::size_t phase) const { return second_half_ ? 1 - phase : phase; }

  [[nodiscard]] std::int64_t micro_batch(std::size_t chunk, std::int64_t index) const {
    return static_cast<std::int64_t>(chunk) * half_ + index;
  }
  void add(EventKind kind, std::size_t chunk, std::int64_t index, bool with_next = false) {
    order_.add(kind, static_cast<std::int64_t>(chunk), micro_batch(chunk, index), with_next);
  }
  void forward(std::size_t phase, bool with_next = false) {
    const std::size_t chunk = chunk_of(phase);
    add(EventKind::forward, chunk, forwards_[chunk]++, with_next);
  }
  void backward(std::size_t phase) {
    const std::size_t chunk = chunk_of(phase);
    add(EventKind::backward, chunk, backwards_[chunk]++);
  }
  void split(std::size_t phase) {
    const std::size_t chunk = chunk_of(phase);
    waiting_.push_back({.kind = EventKind::backward_weight,
                        .chunk = static_cast<std::int32_t>(chunk),
                        .micro_batch = static_cast<std::int32_t>(micro_batch(chunk, backwards_[chunk]))});
    add(EventKind::backward_input, chunk, backwards_[chunk]++);
  }
  void weight() { order_.out.push_back(waiting_[next_waiting_++]); }

  RankOrder& order_;
  std::int64_t half_;
  bool second_half_;
  std::array<std::int64_t, 2> forwards_{}, backwards_{};
  std::vector<Work> waiting_;  ///< weight gradients, first in first out
  std::size_t next_waiting_ = 0;
};

void dualpipe(RankOrder& order) {
  const Pipeline& p = order.pipeline;
  if (p.stages % 2 == 0 && p.micro_batches % 2 == 0 && p.micro_batches >= 2 * p.stages) DualPipeOrder(order).write();
}

}  // namespace

std::int64_t Pipeline::chunks_of_rank() const {
  if (stages == 1) return 1;
  return schedule == Schedule::zb_v || schedule == Schedule::dualpipe ? 2
         : schedule == Schedule::interleaved                          ? chunks
                                                                      : 1;
}

bool Pipeline::splits_backward() const {
  return stages > 1 && (schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::zb_v ||
                        schedule == Schedule::dualpipe);
}

Pipeline pipeline_of(const Scenario& s) {
  return {.schedule = s.parallelism.schedule,
          .stages = s.parallelism.pipeline,
          .chunks = s.parallelism.virtual_pipeline,
          .micro_batches = s.micro_batches(),
          .group = s.parallelism.group_in_a_row()};
}

ChunkPlace place_after(const Pipeline& p, ChunkPlace at) {
  const std::int64_t last = p.stages - 1;
  const bool down = at.chunk == 1 && (p.schedule == Schedule::zb_v || p.schedule == Schedule::dualpipe);
  if (down) return at.rank > 0 ? ChunkPlace{at.rank - 1, 1} : ChunkPlace{};
  if (at.rank < last) return {at.rank + 1, at.chunk};
  if (p.schedule == Schedule::dualpipe || at.chunk + 1 >= p.chunks_of_rank()) return {};
  return {p.schedule == Schedule::zb_v ? last : 0, at.chunk + 1};
}

ChunkPlace place_before(const Pipeline& p, ChunkPlace at) {
  const std::int64_t last = p.stages - 1;
  const bool down = at.chunk == 1 && (p.schedule == Schedule::zb_v || p.schedule == Schedule::dualpipe);
  if (down && at.rank < last) return {at.rank + 1, 1};
  if (down) return p.schedule == Schedule::zb_v ? ChunkPlace{last, 0} : ChunkPlace{};
  if (at.rank > 0) return {at.rank - 1, at.chunk};
  return at.chunk > 0 ? ChunkPlace{last, at.chunk - 1} : ChunkPlace{};
}

std::int64_t model_chunk_at(const Pipeline& p, ChunkPlace at) {
  if (at.chunk == 1 && p.schedule == Schedule::zb_v) return 2 * p.stages - 1 - at.rank;
  if (at.chunk == 1 && p.schedule == Schedule::dualpipe) return p.stages - 1 - at.rank;
  return at.chunk * p.stages + at.rank;
}

void append_work(const Pipeline& p, std::int64_t rank, std::vector<Work>& out) {
  RankOrder order{p, rank, out};
  const std::int64_t to_last = p.stages - 1 - rank;
  if (p.stages == 1) return one_chunk_in_turn(order, 0);
  switch (p.schedule) {
    case Schedule::naive:
      return one_chunk_in_turn(order, 0);
    case Schedule::gpipe:
      return gpipe(order);
    case Schedule::pipedream:  // Narayanan et al. 2019, 2021: 1F1B that is never drained
    case Schedule::pipedream_2bw:
    case Schedule::one_f_one_b:
      return one_chunk_in_turn(order, to_last);
    case Schedule::interleaved:
      return interleaved(order);
    case Schedule::zb_h1:
      return zero_bubble(order, to_last, rank);
    case Schedule::zb_h2:
      return zero_bubble(order, 2 * to_last, 2 * rank);
    case Schedule::zb_v:
      return zero_bubble_v(order);
    case Schedule::dualpipe:
      return dualpipe(order);
  }
}

}  // namespace meshgauge
