// Closed forms of pipeline schedules against published bubbles and against the replay.
#include "core/compose/schedule.hpp"

#include <algorithm>
#include <vector>

#include "core/compose/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/every.hpp"

namespace meshgauge {
namespace {

StageTime stage(double forward, double input, double weight) { return {{forward}, {input}, {weight}}; }

std::vector<StageTime> equal(std::int64_t p) { return {static_cast<std::size_t>(p), stage(1, 1, 1)}; }

double total(Schedule schedule, const std::vector<StageTime>& stages, std::int64_t v, std::int64_t m) {
  return makespan(schedule, stages, v, m).total.value;
}

/// The same, replayed pass by pass. Chunks of a rank are equal.
double replayed(Schedule schedule, const std::vector<StageTime>& stages, std::int64_t v, std::int64_t m) {
  const auto p = static_cast<std::int64_t>(stages.size());
  const Pipeline pipeline{.schedule = schedule, .stages = p, .chunks = v, .micro_batches = m, .group = p};
  const double share = 1 / static_cast<double>(pipeline.chunks_of_rank());
  std::vector<ChunkTime> chunks;
  for (const StageTime& s : stages) {
    const ChunkTime one{share * s.forward, share * s.backward_input, share * s.backward_weight, {}, {}};
    chunks.insert(chunks.end(), static_cast<std::size_t>(pipeline.chunks_of_rank()), one);
  }
  const auto run = replay(pipeline, chunks, Record::no);
  REQUIRE(run);
  return run->total().value;
}

/// Numbers in [0, 1) that are the same everywhere.
struct Random {
  unsigned state = 1;
  double next() {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  }
};

}  // namespace

TEST_CASE("Equal stages have the bubbles of the papers") {
  const std::int64_t p = 8, m = 32;
  const double F = 1, B = 2, work = 32 * 3.0;
  CHECK(total(Schedule::naive, equal(p), 1, m) == 8 * work);
  CHECK(total(Schedule::gpipe, equal(p), 1, m) == work + 7 * (F + B));        // arXiv:1811.06965
  CHECK(total(Schedule::one_f_one_b, equal(p), 1, m) == work + 7 * (F + B));  // arXiv:2104.04473 section 2.2
  CHECK(total(Schedule::interleaved, equal(p), 4, m) == work + 7 * (F + B) / 4);
  CHECK(total(Schedule::pipedream, equal(p), 1, m) == work);
  CHECK(total(Schedule::pipedream_2bw, equal(p), 1, m) == work);
}

TEST_CASE("Zero-bubble schedules keep the forwards of the first micro-batch when all ranks update together") {
  // arXiv:2401.10241: (p - 1)(F + B - W) for ZB-H1, with B the input gradient. ZB-H2's bubble of zero is a rank's own
  // span; between two synchronised updates 7 forwards remain for p = 8 and F = B = W, as for ZB-H1.
  const std::int64_t p = 8, m = 32;
  CHECK(total(Schedule::zb_h1, equal(p), 1, m) == 96 + 7);
  CHECK(total(Schedule::zb_h2, equal(p), 1, m) == 96 + 7);
  CHECK(total(Schedule::zb_v, equal(p), 1, m) == 96 + 3.5);
  const std::vector<StageTime> costly_input(8, stage(1, 2, 0.5));
  CHECK(total(Schedule::zb_h1, costly_input, 1, m) == 32 * 3.5 + 7 * 2.5);
  CHECK(total(Schedule::zb_h2, costly_input, 1, m) == 32 * 3.5 + 7 * 2.0);
}

TEST_CASE("DualPipe's bubble is that of the DeepSeek-V3 paper") {
  // Table 2: (p/2 - 1)(F&B + B - 3W). Chunks of F = 1, B = 2 (input 1, weight 1): F&B = 3, so 3 (3 + 2 - 3) = 6.
  // A rank has two chunks, and each of 32 micro-batches passes one: 32 * 3 of work.
  const std::vector<StageTime> two_chunks(8, stage(2, 2, 2));
  CHECK(total(Schedule::dualpipe, two_chunks, 1, 32) == 96 + 6);
}

TEST_CASE("Handbook: twelve stages and 32 micro-batches idle for 26 % of the step") {
  const Makespan span = makespan(Schedule::one_f_one_b, equal(12), 1, 32);
  CHECK(span.bubble.value / span.total.value == Approx(11.0 / 43));
}

TEST_CASE("One stage has no bubble under any schedule") {
  for (const Schedule s : test::every<Schedule>()) {
    CHECK(total(s, equal(1), 1, 5) == 15);
    CHECK(makespan(s, equal(1), 1, 5).bubble.value == 0);
  }
}

TEST_CASE("GPipe and 1F1B with equal stages equal their replay") {
  for (const std::int64_t p : {2, 4, 7}) {
    for (const std::int64_t m : {1, 2, 5, 16}) {
      CHECK(total(Schedule::gpipe, equal(p), 1, m) == Approx(replayed(Schedule::gpipe, equal(p), 1, m)));
      CHECK(total(Schedule::one_f_one_b, equal(p), 1, m) == Approx(replayed(Schedule::one_f_one_b, equal(p), 1, m)));
    }
  }
}

TEST_CASE("The interleaved schedule with equal stages equals its replay") {
  for (const std::int64_t p : {2, 4}) {
    for (const std::int64_t v : {2, 3}) {
      for (const std::int64_t m : {2 * p, 4 * p}) {
        CHECK(total(Schedule::interleaved, equal(p), v, m) == Approx(replayed(Schedule::interleaved, equal(p), v, m)));
      }
    }
  }
}

TEST_CASE("One slow stage in 1F1B costs what the replay says, wherever it is") {
  // p = 4, m = 16: 81.0 with the last stage 1.5 times slower, 76.5 with the first, 84.2 with the third at 1.6.
  for (const double factor : {1.2, 1.5, 1.6, 3.0}) {
    for (std::size_t slow = 0; slow < 4; ++slow) {
      std::vector<StageTime> stages = equal(4);
      stages[slow] = stage(factor, factor, factor);
      for (const std::int64_t m : {1, 2, 3, 4, 5, 16}) {
        CHECK(total(Schedule::one_f_one_b, stages, 1, m) == Approx(replayed(Schedule::one_f_one_b, stages, 1, m)));
      }
    }
  }
  std::vector<StageTime> stages = equal(4);
  stages[0] = stage(1.5, 1.5, 1.5);
  CHECK(total(Schedule::one_f_one_b, stages, 1, 16) == Approx(76.5));
}

TEST_CASE("GPipe with any stages equals its replay") {
  Random random;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<StageTime> stages;
    for (int i = 0; i < 5; ++i) stages.push_back(stage(0.5 + random.next(), 0.5 + random.next(), 0.5 + random.next()));
    CHECK(total(Schedule::gpipe, stages, 1, 9) == Approx(replayed(Schedule::gpipe, stages, 1, 9)));
  }
}

TEST_CASE("1F1B with any stages is a lower bound of its replay and close to it") {
  Random random;
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<StageTime> stages;
    double sum = 0, slowest = 0;
    const auto p = static_cast<std::int64_t>(2 + random.next() * 7);
    const auto m = static_cast<std::int64_t>(1 + random.next() * 24);
    for (std::int64_t i = 0; i < p; ++i) {
      const double size = 0.7 + 0.6 * random.next();
      stages.push_back(stage(size, size, size));
      sum += 3 * size;
      slowest = std::max(slowest, 3 * size);
    }
    const double exact = replayed(Schedule::one_f_one_b, stages, 1, m);
    const double ours = total(Schedule::one_f_one_b, stages, 1, m);
    CHECK(ours <= exact * (1 + 1e-12));
    CHECK(ours <= sum + static_cast<double>(m - 1) * slowest + 1e-9);  // every stage once, then the slowest
    worst = std::max(worst, 1 - ours / exact);
  }
  CHECK(worst < 0.06);
}

TEST_CASE("A head on the last stage is priced as the replay prices it") {
  // The usual case: equal stages but for the loss at the end.
  for (const std::int64_t p : {2, 4, 8}) {
    for (const double extra : {0.1, 0.5, 2.0}) {
      std::vector<StageTime> stages = equal(p);
      stages.back() = stage(1 + extra, 1 + extra, 1 + extra);
      for (const std::int64_t m : {p, 4 * p}) {
        CHECK(total(Schedule::one_f_one_b, stages, 1, m) == Approx(replayed(Schedule::one_f_one_b, stages, 1, m)));
        CHECK(total(Schedule::interleaved, stages, 2, m) ==
              Approx(replayed(Schedule::interleaved, stages, 2, m)).epsilon(0.03));
      }
    }
  }
}

TEST_CASE("Zero-bubble schedules with equal stages equal their replay") {
  Random random;
  for (int trial = 0; trial < 60; ++trial) {
    const std::int64_t p = 2 + static_cast<std::int64_t>(random.next() * 7), m = 3 * p;
    const double F = 1, B = 1 + random.next(), W = 0.5 + random.next() / 2;
    const std::vector<StageTime> stages(static_cast<std::size_t>(p), stage(F, B, W));
    CHECK(total(Schedule::zb_h1, stages, 1, m) == Approx(replayed(Schedule::zb_h1, stages, 1, m)));
    CHECK(total(Schedule::zb_h2, stages, 1, m) == Approx(replayed(Schedule::zb_h2, stages, 1, m)));
    CHECK(total(Schedule::zb_v, stages, 2, m) == Approx(replayed(Schedule::zb_v, stages, 2, m)));
  }
}

TEST_CASE("A step in closed form ends when the last rank has reduced, and all have updated") {
  // Two ranks of 1F1B: the second is done a backward before the first, and reduces for 3 more than that.
  const std::vector<StageTime> stages = equal(2);
  const std::vector<StageEnd> ends{{.reduction = {1}, .optimizer = {2}, .gather = {1}},
                                   {.reduction = {6}, .optimizer = {1}}};
  const double span = total(Schedule::one_f_one_b, stages, 1, 4);
  const auto step = [&](bool agree) {
    DrainingRanks ranks{{span}, drained(Schedule::one_f_one_b, 1)};
    return end_of_step(ends, agree, [&](std::size_t rank) { return ranks.next(stages[rank]); }).value;
  };
  CHECK(step(true) == Approx(span - 2 + 6 + 3));
  CHECK(step(false) == Approx(span - 2 + 6 + 1));
}

TEST_CASE("The slowest rank is named and its bubble is what remains") {
  std::vector<StageTime> stages = equal(4);
  stages[2] = stage(2, 2, 2);
  const Makespan span = makespan(Schedule::one_f_one_b, stages, 1, 8);
  CHECK(span.slowest == 2);
  CHECK(span.bubble.value == Approx(span.total.value - 8 * 6));
}

TEST_CASE("No schedule is faster than its busiest rank and none is helped by slower stages") {
  Random random;
  for (const Schedule s : {Schedule::naive, Schedule::gpipe, Schedule::pipedream, Schedule::one_f_one_b,
                           Schedule::interleaved, Schedule::zb_h1, Schedule::zb_h2, Schedule::zb_v}) {
    std::vector<StageTime> stages = equal(6);
    const double before = total(s, stages, 2, 12);
    CHECK(before >= 36);
    for (int i = 0; i < 6; ++i) {
      StageTime& one = stages[static_cast<std::size_t>(random.next() * 6)];
      const double was = total(s, stages, 2, 12);
      one.forward.value += random.next();
      CHECK(total(s, stages, 2, 12) >= was);
    }
  }
}

}  // namespace meshgauge
