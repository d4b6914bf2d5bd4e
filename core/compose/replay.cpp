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
      : stages_(pipeline.stages),
        chunks_of_rank_(static_cast<std::size_t>(pipeline.chunks_of_rank())),
        micro_batches_(static_cast<std::size_t>(pipeline.micro_batches)),
        recording_(record == Record::yes) {
    const auto ranks = static_cast<std::size_t>(pipeline.stages);
    work_.reserve(static_cast<std::size_t>(count_work(pipeline)));
    for (std::int64_t rank = 0; rank < pipeline.stages; ++rank) {
      next_.push_back(work_.size());
      append_work(pipeline, rank, work_);
      last_.push_back(work_.size());
    }
    for (std::int64_t rank = 0; rank < pipeline.stages; ++rank) {
      for (std::int64_t chunk = 0; chunk < pipeline.chunks_of_rank(); ++chunk) {
        const ChunkTime& time = chunks[slots_.size()];
        Slot& slot = slots_.emplace_back();
        slot.before = end_of(place_before(pipeline, {rank, chunk}), rank, time.gradients);
        slot.after = end_of(place_after(pipeline, {rank, chunk}), rank, time.activations);
        slot.length[static_cast<std::size_t>(EventKind::forward)] = time.forward;
        slot.length[static_cast<std::size_t>(EventKind::backward)] = time.backward_input + time.backward_weight;
        slot.length[static_cast<std::size_t>(EventKind::backward_input)] = time.backward_input;
        slot.length[static_cast<std::size_t>(EventKind::backward_weight)] = time.backward_weight;
      }
    }
    activations_at_.assign(slots_.size() * micro_batches_, not_yet);
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
      for (std::size_t rank = 0; rank < links_.size(); ++rank) {
        while (step(rank)) moved = true;
      }
    }
    if (next_ != last_) return std::nullopt;
    return std::move(result_);
  }

 private:
  /// Where a chunk's output goes, or its input comes from.
  struct End {
    std::ptrdiff_t slot = -1;  ///< -1: nowhere
    std::int32_t rank = -1;    ///< another one; -1: the chunk's own, without a message
    std::size_t link = 0;      ///< of the own rank: up to the next one, or down
    Message message;           ///< to there
  };
  struct Slot {
    End before, after;
    std::array<Seconds, 4> length{};  ///< of its passes by kind
  };

  [[nodiscard]] End end_of(ChunkPlace place, std::int64_t own, const Message& message) const {
    End end;
    if (!place.exists()) return end;
    end.slot = place.rank * static_cast<std::ptrdiff_t>(chunks_of_rank_) + place.chunk;
    if (place.rank == own) return end;
    end.rank = static_cast<std::int32_t>(place.rank);
    end.link = place.rank == (own + 1) % stages_ ? 1 : 0;
    end.message = message;
    return end;
  }

  /// Of a rank's pass in the list of slots, and of the chunk's micro-batch in the lists of times.
  [[nodiscard]] std::size_t slot_of(std::size_t rank, const Work& work) const {
    return rank * chunks_of_rank_ + static_cast<std::size_t>(work.chunk);
  }
  [[nodiscard]] std::size_t at(std::size_t slot, const Work& work) const {
    return slot * micro_batches_ + static_cast<std::size_t>(work.micro_batch);
  }

  /// When the input of a pass has come.
  [[nodiscard]] Seconds ready(const Work& work, std::size_t slot) const {
    if (work.kind == EventKind::backward_weight) return {};
    if (work.kind == EventKind::forward) {
      const std::ptrdiff_t from = slots_[slot].before.slot;
      return from < 0 ? Seconds{} : activations_at_[at(static_cast<std::size_t>(from), work)];
    }
    const std::ptrdiff_t from = slots_[slot].after.slot;
    return from < 0 ? activations_at_[at(slot, work)] : gradients_at_[at(static_cast<std::size_t>(from), work)];
  }

  /// The rank's next pass, or pair of passes that run together. False if it has to wait for others.
  bool step(std::size_t rank) {
    const std::size_t first = next_[rank];
    if (first == last_[rank]) return false;
    const std::size_t count = work_[first].with_next ? 2 : 1;
    Seconds start = result_.rank_end[rank];
    for (std::size_t i = first; i < first + count; ++i) {
      const Seconds input = ready(work_[i], slot_of(rank, work_[i]));
      if (input < Seconds{}) return false;
      start = max(start, input);
    }
    Seconds end = start;
    for (std::size_t i = first; i < first + count; ++i) {
      const Work& work = work_[i];
      const Seconds begin = end;
      end += slots_[slot_of(rank, work)].length[static_cast<std::size_t>(work.kind)];
      record(rank,
             {.start = begin, .end = end, .kind = work.kind, .chunk = work.chunk, .micro_batch = work.micro_batch});
    }
    result_.rank_end[rank] = end;
    for (std::size_t i = first; i < first + count; ++i) send(rank, work_[i], end);
    next_[rank] += count;
    return true;
  }

  /// Hands the result on. Messages of a rank to the same neighbour follow one another.
  void send(std::size_t rank, const Work& work, Seconds end) {
    if (work.kind == EventKind::backward_weight) return;
    const std::size_t own = slot_of(rank, work);
    const bool forward = work.kind == EventKind::forward;
    const End& to = forward ? slots_[own].after : slots_[own].before;
    Seconds arrival = end;
    if (to.rank >= 0) {
      Seconds& link = links_[rank][to.link];
      const Seconds departure = max(result_.rank_end[rank], link);
      arrival = departure + to.message.blocking + to.message.travelling;
      link = arrival;
      result_.rank_end[rank] += to.message.blocking;
      if (arrival > departure) {
        record(rank, {.start = departure,
                      .end = arrival,
                      .kind = EventKind::message,
                      .chunk = work.chunk,
                      .micro_batch = work.micro_batch,
                      .to = to.rank});
      }
    }
    (forward ? activations_at_ : gradients_at_)[at(own, work)] = arrival;
  }

  void record(std::size_t rank, const Event& event) {
    if (recording_) result_.events[rank].push_back(event);
  }

  std::int64_t stages_;
  std::size_t chunks_of_rank_, micro_batches_;
  bool recording_;
  std::vector<Work> work_;                              ///< of all ranks, one after the other
  std::vector<std::size_t> next_, last_;                ///< of each rank
  std::vector<Slot> slots_;                             ///< of each chunk of each rank
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

std::vector<Seconds> least_ends(const Pipeline& pipeline, std::span<const ChunkTime> chunks) {
  const auto of_rank = static_cast<std::size_t>(pipeline.chunks_of_rank());
  std::vector<Seconds> ends(static_cast<std::size_t>(pipeline.stages));
  const Schedule schedule = pipeline.schedule;  // DualPipe's may not run, and PipeDream's is never through
  if (schedule == Schedule::dualpipe || (pipeline.stages > 1 && never_drained(schedule))) return ends;
  const auto index = [&](ChunkPlace place) {
    return static_cast<std::size_t>(place.rank) * of_rank + static_cast<std::size_t>(place.chunk);
  };
  const auto sent = [](const Message& message, ChunkPlace from, ChunkPlace to) {
    return to.exists() && to.rank != from.rank ? message : Message{};
  };
  // Before a micro-batch comes to a chunk, and after it has left it in the backward: what lies between it and the end
  // of the model.
  std::vector<Seconds> there(chunks.size()), back(chunks.size());
  ChunkPlace place{0, 0};
  for (ChunkPlace next = place_after(pipeline, place); next.exists(); next = place_after(pipeline, place)) {
    const ChunkTime& time = chunks[index(place)];
    const Message activations = sent(time.activations, place, next);
    const Message own = sent(time.gradients, place, place_before(pipeline, place));
    const Message gradients = sent(chunks[index(next)].gradients, next, place);
    there[index(next)] = there[index(place)] + time.forward + activations.blocking + activations.travelling;
    back[index(next)] =
        gradients.travelling + time.backward_input + time.backward_weight + own.blocking + back[index(place)];
    place = next;
  }
  for (std::int64_t rank = 0; rank < pipeline.stages; ++rank) {
    Seconds work{}, first = there[index({rank, 0})], last = back[index({rank, 0})];
    for (std::int64_t chunk = 0; chunk < pipeline.chunks_of_rank(); ++chunk) {
      const ChunkPlace own{rank, chunk};
      const ChunkTime& time = chunks[index(own)];
      work += time.forward + time.backward_input + time.backward_weight +
              sent(time.activations, own, place_after(pipeline, own)).blocking +
              sent(time.gradients, own, place_before(pipeline, own)).blocking;
      first = min(first, there[index(own)]);
      last = min(last, back[index(own)]);
    }
    const Seconds end = first + static_cast<double>(pipeline.micro_batches) * work;
    ends[static_cast<std::size_t>(rank)] = max(ends[static_cast<std::size_t>(rank)], end);
    // Weight gradients that are computed apart may come after a rank's last message.
    if (!pipeline.splits_backward()) ends.front() = max(ends.front(), end + last);
  }
  constexpr double rounding = 1 - 1e-9;  // of sums of up to most_replayed terms
  for (Seconds& end : ends) end = rounding * end;
  return ends;
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
