// Longest paths through the passes: sums and maxima only, in a fixed order, so that no slower pass shortens the step.
#include "core/compose/replay.hpp"

#include <algorithm>
#include <array>

namespace meshgauge {
namespace {

constexpr Seconds not_yet{-1};

class Simulation {
 public:
  Simulation(const Pipeline& pipeline, std::span<const ChunkTime> chunks, Record record)
      : pipeline_(pipeline), chunks_(chunks), recording_(record == Record::yes) {
    const auto ranks = static_cast<std::size_t>(pipeline.stages);
    const auto slots = ranks * static_cast<std::size_t>(pipeline.chunks_of_rank());
    work_.reserve(static_cast<std::size_t>(count_work(pipeline)));
    for (std::int64_t rank = 0; rank < pipeline.stages; ++rank) {
      next_.push_back(work_.size());
      append_work(pipeline, rank, work_);
      last_.push_back(work_.size());
    }
    for (std::int64_t rank = 0; rank < pipeline.stages; ++rank) {
      for (std::int64_t chunk = 0; chunk < pipeline.chunks_of_rank(); ++chunk) {
        before_.push_back(place_before(pipeline, {rank, chunk}));
        after_.push_back(place_after(pipeline, {rank, chunk}));
      }
    }
    activations_at_.assign(slots * static_cast<std::size_t>(pipeline.micro_batches), not_yet);
    gradients_at_ = activations_at_;
    links_.resize(ranks);
    result_.rank_end.resize(ranks);
    if (recording_) result_.events.resize(ranks);
  }

  /// None if the ranks wait for each other, or have nothing to do.
  std::optional<Replay> run() {
    if (work_.empty()) return std::nullopt;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int64_t rank = 0; rank < pipeline_.stages; ++rank) {
        while (step(rank)) moved = true;
      }
    }
    if (next_ != last_) return std::nullopt;
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t slot(ChunkPlace at) const {
    return static_cast<std::size_t>(at.rank * pipeline_.chunks_of_rank() + at.chunk);
  }
  [[nodiscard]] Seconds& at(std::vector<Seconds>& times, std::size_t slot, const Work& work) const {
    return times[slot * static_cast<std::size_t>(pipeline_.micro_batches) + static_cast<std::size_t>(work.micro_batch)];
  }

  /// When the input of a pass has come.
  [[nodiscard]] Seconds ready(const Work& work, std::size_t slot_of_work) {
    if (work.kind == EventKind::backward_weight) return {};
    if (work.kind == EventKind::forward) {
      const ChunkPlace from = before_[slot_of_work];
      return from.exists() ? at(activations_at_, slot(from), work) : Seconds{};
    }
    const ChunkPlace from = after_[slot_of_work];
    return from.exists() ? at(gradients_at_, slot(from), work) : at(activations_at_, slot_of_work, work);
  }

  [[nodiscard]] Seconds length(const Work& work, const ChunkTime& time) const {
    switch (work.kind) {
      case EventKind::forward:
        return time.forward;
      case EventKind::backward:
        return time.backward_input + time.backward_weight;
      case EventKind::backward_input:
        return time.backward_input;
      default:
        return time.backward_weight;
    }
  }

  /// The rank's next pass, or pair of passes that run together. False if it has to wait for others.
  bool step(std::int64_t rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (next_[r] == last_[r]) return false;
    const std::size_t first = next_[r];
    const std::size_t count = work_[first].with_next ? 2 : 1;
    Seconds start = result_.rank_end[r];
    for (std::size_t i = first; i < first + count; ++i) {
      const Seconds input = ready(work_[i], slot({rank, work_[i].chunk}));
      if (input < Seconds{}) return false;
      start = max(start, input);
    }
    Seconds end = start;
    for (std::size_t i = first; i < first + count; ++i) {
      const Work& work = work_[i];
      const Seconds begin = end;
      end += length(work, chunks_[slot({rank, work.chunk})]);
      record(r, {.start = begin, .end = end, .kind = work.kind, .chunk = work.chunk, .micro_batch = work.micro_batch});
    }
    result_.rank_end[r] = end;
    for (std::size_t i = first; i < first + count; ++i) send(rank, work_[i], end);
    next_[r] += count;
    return true;
  }

  /// Hands the result on. Messages of a rank to the same neighbour follow one another.
  void send(std::int64_t rank, const Work& work, Seconds end) {
    if (work.kind == EventKind::backward_weight) return;
    const std::size_t own = slot({rank, work.chunk});
    const bool forward = work.kind == EventKind::forward;
    const ChunkPlace to = forward ? after_[own] : before_[own];
    Seconds arrival = end;
    if (to.exists() && to.rank != rank) {
      const Message& message = forward ? chunks_[own].activations : chunks_[own].gradients;
      const auto r = static_cast<std::size_t>(rank);
      Seconds& link = links_[r][to.rank == (rank + 1) % pipeline_.stages ? 1 : 0];
      const Seconds departure = max(result_.rank_end[r], link);
      arrival = departure + message.blocking + message.travelling;
      link = arrival;
      result_.rank_end[r] += message.blocking;
      if (arrival > departure) {
        record(r, {.start = departure,
                   .end = arrival,
                   .kind = EventKind::message,
                   .chunk = work.chunk,
                   .micro_batch = work.micro_batch,
                   .to = static_cast<std::int32_t>(to.rank)});
      }
    }
    at(forward ? activations_at_ : gradients_at_, own, work) = arrival;
  }

  void record(std::size_t rank, const Event& event) {
    if (recording_) result_.events[rank].push_back(event);
  }

  const Pipeline& pipeline_;
  std::span<const ChunkTime> chunks_;
  bool recording_;
  std::vector<Work> work_;                              ///< of all ranks, one after the other
  std::vector<std::size_t> next_, last_;                ///< of each rank
  std::vector<ChunkPlace> before_, after_;              ///< of each chunk of each rank
  std::vector<Seconds> activations_at_, gradients_at_;  ///< when the output of a chunk has come to where it goes
  std::vector<std::array<Seconds, 2>> links_;           ///< free from then on: down and up
  Replay result_;
};

bool never_drained(Schedule s) { return s == Schedule::pipedream || s == Schedule::pipedream_2bw; }

Seconds busy(const Pipeline& pipeline, std::span<const ChunkTime> chunks, std::int64_t rank) {
  Seconds sum{};
  for (std::int64_t c = 0; c < pipeline.chunks_of_rank(); ++c) {
    sum += chunks[static_cast<std::size_t>(rank * pipeline.chunks_of_rank() + c)].busy();
  }
  return sum;
}

/// The part of an event between two times, counted from the first of them.
std::optional<Event> clipped(Event event, Seconds from, Seconds to) {
  event.start = max(event.start, from) - from;
  event.end = min(event.end, to) - from;
  if (event.end <= event.start) return std::nullopt;
  return event;
}

/// A step of a stream that has become steady: from one backward of the busiest rank to the one m later.
std::optional<Replay> steady_step(const Pipeline& pipeline, std::span<const ChunkTime> chunks, Record record) {
  const std::int64_t p = pipeline.stages, m = pipeline.micro_batches;
  Pipeline stream = pipeline;
  stream.micro_batches = m + 6 * p;
  std::optional<Replay> all = Simulation(stream, chunks, Record::yes).run();
  if (!all) return std::nullopt;
  std::int64_t slowest = 0;
  for (std::int64_t r = 1; r < p; ++r) {
    if (busy(pipeline, chunks, r) > busy(pipeline, chunks, slowest)) slowest = r;
  }
  Seconds from{}, to{};
  for (const Event& e : all->events[static_cast<std::size_t>(slowest)]) {
    if (e.kind != EventKind::backward) continue;
    if (e.micro_batch == 5 * p - 1) from = e.end;
    if (e.micro_batch == m + 5 * p - 1) to = e.end;
  }
  Replay step;
  step.rank_end.assign(static_cast<std::size_t>(p), to - from);
  if (record == Record::no) return step;
  for (const std::vector<Event>& events : all->events) {
    std::vector<Event>& kept = step.events.emplace_back();
    for (const Event& e : events) {
      if (std::optional<Event> part = clipped(e, from, to)) {
        part->micro_batch = static_cast<std::int32_t>(part->micro_batch % m);
        kept.push_back(*part);
      }
    }
  }
  return step;
}

std::optional<Replay> replay_whole(const Pipeline& pipeline, std::span<const ChunkTime> chunks, Record record) {
  if (pipeline.stages > 1 && never_drained(pipeline.schedule)) return steady_step(pipeline, chunks, record);
  return Simulation(pipeline, chunks, record).run();
}

}  // namespace

Seconds Replay::total() const {
  Seconds end{};
  for (const Seconds& e : rank_end) end = max(end, e);
  return end;
}

std::int64_t count_work(const Pipeline& p) {
  // DualPipe's two chunks see half of the micro-batches each.
  const bool halves = p.schedule == Schedule::dualpipe && p.stages > 1;
  const std::int64_t passes = p.stages * (halves ? 1 : p.chunks_of_rank()) * p.micro_batches;
  return passes * (p.splits_backward() ? 3 : 2);
}

std::optional<Replay> replay(const Pipeline& pipeline, std::span<const ChunkTime> chunks, Record record,
                             std::int64_t most) {
  if (count_work(pipeline) <= most) return replay_whole(pipeline, chunks, record);
  // Rounds after which every rank is where it was: a group of micro-batches, under DualPipe one from each end.
  const std::int64_t round = pipeline.schedule == Schedule::interleaved ? pipeline.group : 2 * pipeline.stages;
  Pipeline shorter = pipeline;
  const std::int64_t fill = 6 * pipeline.stages;
  shorter.micro_batches = pipeline.micro_batches % round + (fill + round - 1) / round * round;
  Pipeline longer = shorter;
  longer.micro_batches += round;
  const std::int64_t rounds = (pipeline.micro_batches - longer.micro_batches) / round;
  if (rounds < 0 || count_work(longer) > most) return std::nullopt;
  const std::optional<Replay> before = replay_whole(shorter, chunks, Record::no);
  std::optional<Replay> extended = replay_whole(longer, chunks, Record::no);
  if (!before || !extended) return std::nullopt;
  for (std::size_t r = 0; r < extended->rank_end.size(); ++r) {
    extended->rank_end[r] += static_cast<double>(rounds) * (extended->rank_end[r] - before->rank_end[r]);
  }
  return extended;
}

}  // namespace meshgauge
