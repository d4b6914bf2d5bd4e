// The replay against the papers' bubbles and against bounds, and what it writes down.
#include "core/compose/replay.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "core/compose/schedule.hpp"
#include "tests/core/compose/pipelines.hpp"

namespace meshgauge {

using namespace pipelines;

TEST_CASE("The replay of equal stages has the bubbles of the papers") {
  for (const std::int64_t p : {2, 4, 8, 16}) {
    const std::int64_t m = 4 * p;
    const auto n = static_cast<double>(p - 1);
    for (const auto& [F, B, W] : {std::array{1.0, 1.0, 1.0}, std::array{1.0, 1.25, 0.75}, std::array{1.0, 2.0, 0.5}}) {
      INFO("p " << p << " F " << F << " B " << B << " W " << W);
      const auto ours = [&, f = F, b = B, w = W](Schedule s, std::int64_t v = 1) {
        return Approx(bubble(pipeline(s, p, m, v), f, b, w)).margin(1e-9);
      };
      CHECK(n * static_cast<double>(m) * (F + B + W) == ours(Schedule::naive));  // one stage at a time
      CHECK(n * (F + B + W) == ours(Schedule::gpipe));                           // arXiv:1811.06965 section 2.3
      CHECK(n * (F + B + W) == ours(Schedule::one_f_one_b));                     // arXiv:2104.04473 section 2.2.1
      CHECK(n * (F + B + W) / 2 == ours(Schedule::interleaved, 2));              // section 2.2.2
      CHECK(n * (F + B + W) / 4 == ours(Schedule::interleaved, 4));
      CHECK(n * (F + B - W) == ours(Schedule::zb_h1));  // arXiv:2401.10241 table 1
      CHECK(0 == ours(Schedule::pipedream));
      CHECK(0 == ours(Schedule::pipedream_2bw));
    }
  }
}

TEST_CASE("Where F, B and W are equal, ZB-H2 and ZB-V wait for the first forward alone") {
  // arXiv:2401.10241, 2405.15362: no bubble inside a rank's own span; the ranks start one after the other and here they
  // update together, so (p - 1) forwards of a chunk remain.
  for (const std::int64_t p : {2, 4, 8, 16}) {
    const auto n = static_cast<double>(p - 1);
    CHECK(bubble(pipeline(Schedule::zb_h2, p, 4 * p), 1, 1, 1) == Approx(n));
    CHECK(bubble(pipeline(Schedule::zb_v, p, 4 * p), 1, 1, 1) == Approx(n / 2));
  }
}

TEST_CASE("The replay of DualPipe has the bubble of the DeepSeek-V3 paper") {
  // arXiv:2412.19437 table 2: (p/2 - 1)(F&B + B - 3W), B a whole backward. Of a chunk: F = 1, B = 2, W = 1, F&B = 3.
  for (const std::int64_t p : {2, 4, 8, 16}) {
    for (const std::int64_t m : {2 * p, 4 * p, 6 * p + 2}) {
      CHECK(bubble(pipeline(Schedule::dualpipe, p, m), 2, 2, 2) ==
            Approx(static_cast<double>(p / 2 - 1) * 2).margin(1e-9));
    }
  }
}

TEST_CASE("Every schedule does each pass once, forwards before backwards before their weight gradients") {
  Random random;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 20; ++trial) {
      const Pipeline p = any(s, random);
      std::int64_t count = 0;
      for (std::int64_t rank = 0; rank < p.stages; ++rank) {
        std::vector<Work> work;
        append_work(p, rank, work);
        count += static_cast<std::int64_t>(work.size());
        std::map<std::pair<std::int32_t, std::int32_t>, std::vector<EventKind>> passes;
        for (const Work& w : work) passes[{w.chunk, w.micro_batch}].push_back(w.kind);
        const bool halves = s == Schedule::dualpipe;
        CHECK(passes.size() == static_cast<std::size_t>(p.micro_batches * (halves ? 1 : p.chunks_of_rank())));
        for (const auto& [pass, kinds] : passes) {
          const bool whole = kinds == std::vector{EventKind::forward, EventKind::backward};
          const bool split =
              kinds == std::vector{EventKind::forward, EventKind::backward_input, EventKind::backward_weight};
          CHECK((whole || (p.splits_backward() && split)));
        }
      }
      CHECK(count <= count_work(p));
    }
  }
}

TEST_CASE("A place follows the one before it") {
  for (const Schedule s : schedules) {
    const Pipeline p = pipeline(s, 4, 8);
    std::int64_t entries = 0;
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      for (std::int64_t c = 0; c < p.chunks_of_rank(); ++c) {
        const ChunkPlace after = place_after(p, {rank, c});
        entries += place_before(p, {rank, c}).exists() ? 0 : 1;
        if (!after.exists()) continue;
        CHECK(place_before(p, after).rank == rank);
        CHECK(place_before(p, after).chunk == c);
        CHECK(model_chunk_at(p, after) == model_chunk_at(p, {rank, c}) + 1);
      }
    }
    CHECK(entries == (s == Schedule::dualpipe ? 2 : 1));
  }
}

TEST_CASE("No step is shorter than its busiest rank or than one micro-batch from end to end") {
  Random random;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 40; ++trial) {
      const Pipeline p = any(s, random);
      const std::vector<ChunkTime> chunks = uneven(p, random);
      const double step = total(p, chunks);
      INFO(name_of(s) << " p " << p.stages << " m " << p.micro_batches);
      for (std::int64_t rank = 0; rank < p.stages; ++rank) CHECK(step >= busy(p, chunks, rank) * (1 - 1e-12));
      if (never_drained(s)) continue;
      double through = 0;
      for (ChunkPlace at{0, 0}; at.exists(); at = place_after(p, at)) {
        const ChunkTime& c = chunks[static_cast<std::size_t>(at.rank * p.chunks_of_rank() + at.chunk)];
        through += c.forward.value + c.backward_input.value;
      }
      CHECK(step >= through);
    }
  }
}

TEST_CASE("Nothing that takes longer shortens the step") {
  Random random;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 40; ++trial) {
      const Pipeline p = any(s, random);
      std::vector<ChunkTime> chunks = uneven(p, random);
      const double before = total(p, chunks);
      ChunkTime& one = chunks[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(chunks.size())))];
      Seconds* const parts[] = {&one.forward,
                                &one.backward_input,
                                &one.backward_weight,
                                &one.activations.blocking,
                                &one.activations.travelling,
                                &one.gradients.blocking,
                                &one.gradients.travelling};
      parts[random.below(7)]->value += random.next();
      INFO(name_of(s) << " p " << p.stages << " m " << p.micro_batches);
      CHECK(total(p, chunks) >= before * (1 - (never_drained(s) ? 1e-9 : 1e-15)));
    }
  }
}

TEST_CASE("A message that travels beside the next pass is never slower than one that is waited for") {
  Random random;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 20; ++trial) {
      const Pipeline p = any(s, random);
      std::vector<ChunkTime> waits = uneven(p, random), beside;
      for (ChunkTime& c : waits) {
        for (Message* message : {&c.activations, &c.gradients}) *message = {.blocking = {0.2 * random.next()}};
      }
      beside = waits;
      for (ChunkTime& c : beside) {
        for (Message* message : {&c.activations, &c.gradients}) *message = {.travelling = message->blocking};
      }
      INFO(name_of(s) << " p " << p.stages << " m " << p.micro_batches);
      CHECK(total(p, beside) <= total(p, waits) * (1 + 1e-12));
    }
  }
}

TEST_CASE("What is written down is what happened: passes of a rank follow one another, inputs come first") {
  Random random;
  for (const Schedule s : schedules) {
    const Pipeline p = any(s, random);
    const std::vector<ChunkTime> chunks = uneven(p, random);
    const auto run = replay(p, chunks, Record::yes);
    REQUIRE(run);
    double end = 0;
    std::map<std::tuple<EventKind, std::int64_t, std::int64_t, std::int64_t>, Event> passes;
    std::vector<Event> messages;
    for (std::int64_t rank = 0; rank < p.stages; ++rank) {
      double free = 0;
      for (const Event& e : run->events[static_cast<std::size_t>(rank)]) {
        end = std::max(end, e.end.value);
        if (e.kind == EventKind::message) continue;
        CHECK(e.start.value >= free);
        free = e.end.value;
        passes[{e.kind, rank, e.chunk, e.micro_batch}] = e;
      }
    }
    CHECK(end == Approx(run->total().value));
    if (never_drained(s)) continue;  // a window of a stream
    for (const auto& [key, e] : passes) {
      const EventKind kind = std::get<0>(key);
      const std::int64_t rank = std::get<1>(key), c = std::get<2>(key), micro_batch = std::get<3>(key);
      const ChunkPlace before = place_before(p, {rank, c}), after = place_after(p, {rank, c});
      const auto other = [&](EventKind k, ChunkPlace at) { return passes.find({k, at.rank, at.chunk, micro_batch}); };
      if (kind == EventKind::forward && before.exists()) {
        CHECK(e.start.value >= other(EventKind::forward, before)->second.end.value);
      }
      if (kind == EventKind::backward || kind == EventKind::backward_input) {
        CHECK(e.start.value >= other(EventKind::forward, {rank, c})->second.end.value);
        for (const EventKind k : {EventKind::backward, EventKind::backward_input}) {
          const auto found = other(k, after);
          if (after.exists() && found != passes.end()) CHECK(e.start.value >= found->second.end.value);
        }
      }
    }
  }
}

TEST_CASE("No rank is through before the end that is found without a replay, which is close where ranks are alike") {
  Random random;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 40; ++trial) {
      const Pipeline p = any(s, random);
      for (const std::vector<ChunkTime>& chunks : {uneven(p, random), equal(p, 1, 1, 1)}) {
        const auto run = replay(p, chunks, Record::no);
        REQUIRE(run);
        const std::vector<Seconds> least = least_ends(p, chunks);
        REQUIRE(least.size() == run->rank_end.size());
        for (std::size_t rank = 0; rank < least.size(); ++rank) {
          INFO(name_of(s) << ", rank " << rank << " of " << p.stages);
          CHECK(least[rank] <= run->rank_end[rank]);
        }
      }
    }
  }
  const Pipeline p = pipeline(Schedule::one_f_one_b, 4, 16);
  CHECK(least_ends(p, equal(p, 1, 1, 1)).front().value == Approx(total(p, equal(p, 1, 1, 1))));
}

TEST_CASE("More micro-batches than are replayed take as long as the whole replay to a part in a thousand") {
  Random random;
  double worst = 0;
  for (const Schedule s : schedules) {
    for (int trial = 0; trial < 12; ++trial) {
      Pipeline p = any(s, random);
      p.micro_batches = p.stages * (20 + random.below(30));
      if (s == Schedule::dualpipe) p.micro_batches += p.micro_batches % 2;
      const std::vector<ChunkTime> chunks = uneven(p, random);
      const double whole = total(p, chunks);
      const auto extended = replay(p, chunks, Record::no, count_work(p) - 1);
      REQUIRE(extended);
      worst = std::max(worst, std::abs(extended->total().value / whole - 1));
    }
  }
  CHECK(worst < 1e-3);
}

TEST_CASE("Too much to replay, and pipelines that cannot run, give no replay") {
  Pipeline p = pipeline(Schedule::one_f_one_b, 8, 1000000);
  CHECK(replay(p, equal(p, 1, 1, 1), Record::no));
  p.stages = 4000;
  CHECK_FALSE(replay(p, equal(p, 1, 1, 1), Record::no));
  p = pipeline(Schedule::dualpipe, 4, 6);  // fewer than two for each stage
  CHECK_FALSE(replay(p, equal(p, 1, 1, 1), Record::no));
}

TEST_CASE("A larger group hides the messages between the last rank and the first") {
  // Megatron-LM --microbatch-group-size-per-virtual-pipeline-stage: with groups as large as the pipeline, a message
  // that travels holds up every chunk of the fill.
  const Pipeline tight = pipeline(Schedule::interleaved, 4, 16, 4, 4),
                 loose = pipeline(Schedule::interleaved, 4, 16, 4, 8);
  std::vector<ChunkTime> chunks = equal(tight, 4, 4, 4);
  const double quiet = total(tight, chunks);
  for (ChunkTime& c : chunks) c.activations = c.gradients = {.travelling = {0.1}};
  // 3 turns of 4 hops in the fill, and as many backwards in the drain, beside the 2 x 3 hops of the ends.
  CHECK(total(tight, chunks) == Approx(quiet + 0.1 * (2 * 3 * 4 + 2 * 3)));
  CHECK(total(loose, chunks) < total(tight, chunks));
}

}  // namespace meshgauge
