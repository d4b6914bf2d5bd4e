// Pipeline schedules against published bubbles and against an event simulation of every forward and backward.
#include "core/compose/schedule.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

/// A forward or backward of one micro-batch in one chunk.
struct Task {
  bool forward;
  std::int64_t micro_batch, chunk;  ///< chunk of the rank, 0 to v - 1
};

/// What each rank does, in order. Executed as soon as rank and inputs are ready.
using Orders = std::vector<std::vector<Task>>;

/// The brute force: replays the orders with every dependency. Times of a chunk are 1/v of its rank's.
double simulate(const Orders& orders, const std::vector<StageTime>& stages, std::int64_t v, std::int64_t m) {
  const auto p = static_cast<std::int64_t>(stages.size());
  const std::int64_t depth = p * v;
  std::vector<double> forward_end(static_cast<std::size_t>(depth * m), -1), backward_end = forward_end;
  std::vector<std::size_t> next(stages.size(), 0);
  std::vector<double> free_at(stages.size(), 0);
  const auto at = [&](std::int64_t position, std::int64_t micro_batch) {
    return static_cast<std::size_t>(position * m + micro_batch);
  };
  double end = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::int64_t rank = 0; rank < p; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      while (next[r] < orders[r].size()) {
        const Task task = orders[r][next[r]];
        const std::int64_t position = task.chunk * p + rank;
        double ready = 0;
        if (task.forward) {
          if (position > 0) ready = forward_end[at(position - 1, task.micro_batch)];
        } else {
          ready = position == depth - 1 ? forward_end[at(position, task.micro_batch)]
                                        : backward_end[at(position + 1, task.micro_batch)];
        }
        if (ready < 0) break;
        const StageTime& s = stages[r];
        const double length = (task.forward ? s.forward.value : s.backward_input.value + s.backward_weight.value) /
                              static_cast<double>(v);
        free_at[r] = std::max(free_at[r], ready) + length;
        (task.forward ? forward_end : backward_end)[at(position, task.micro_batch)] = free_at[r];
        end = std::max(end, free_at[r]);
        ++next[r];
        moved = true;
      }
    }
  }
  for (std::size_t r = 0; r < stages.size(); ++r) REQUIRE(next[r] == orders[r].size());  // no deadlock
  return end;
}

Orders gpipe_orders(std::int64_t p, std::int64_t m) {
  Orders orders(static_cast<std::size_t>(p));
  for (auto& rank : orders) {
    for (std::int64_t i = 0; i < m; ++i) rank.push_back({true, i, 0});
    for (std::int64_t i = 0; i < m; ++i) rank.push_back({false, i, 0});
  }
  return orders;
}

/// Megatron-LM core/pipeline_parallel/schedules.py: warm-up forwards, then one forward and one backward in turn.
Orders in_turn(std::int64_t warm_up, const std::vector<Task>& forwards, const std::vector<Task>& backwards) {
  Orders one(1);
  const auto n = static_cast<std::int64_t>(forwards.size());
  const std::int64_t first = std::min(warm_up, n);
  for (std::int64_t i = 0; i < first; ++i) one[0].push_back(forwards[static_cast<std::size_t>(i)]);
  for (std::int64_t i = first; i < n; ++i) {
    one[0].push_back(forwards[static_cast<std::size_t>(i)]);
    one[0].push_back(backwards[static_cast<std::size_t>(i - first)]);
  }
  for (std::int64_t i = n - first; i < n; ++i) one[0].push_back(backwards[static_cast<std::size_t>(i)]);
  return one;
}

Orders one_f_one_b_orders(std::int64_t p, std::int64_t m) {
  Orders orders;
  for (std::int64_t rank = 0; rank < p; ++rank) {
    std::vector<Task> forwards, backwards;
    for (std::int64_t i = 0; i < m; ++i) {
      forwards.push_back({true, i, 0});
      backwards.push_back({false, i, 0});
    }
    orders.push_back(in_turn(p - rank - 1, forwards, backwards)[0]);
  }
  return orders;
}

/// Groups of p micro-batches go through the chunks one after the other; warm-up of 2 (p - r - 1) + (v - 1) p forwards.
Orders interleaved_orders(std::int64_t p, std::int64_t v, std::int64_t m) {
  std::vector<Task> forwards, backwards;
  for (std::int64_t group = 0; group < m; group += p) {
    for (std::int64_t chunk = 0; chunk < v; ++chunk) {
      for (std::int64_t i = group; i < group + p; ++i) {
        forwards.push_back({true, i, chunk});
        backwards.push_back({false, i, v - 1 - chunk});
      }
    }
  }
  Orders orders;
  for (std::int64_t rank = 0; rank < p; ++rank) {
    orders.push_back(in_turn(2 * (p - rank - 1) + (v - 1) * p, forwards, backwards)[0]);
  }
  return orders;
}

StageTime stage(double forward, double input, double weight) { return {{forward}, {input}, {weight}}; }

std::vector<StageTime> equal(std::int64_t p) { return {static_cast<std::size_t>(p), stage(1, 1, 1)}; }

double total(Schedule schedule, const std::vector<StageTime>& stages, std::int64_t v, std::int64_t m) {
  return makespan(schedule, stages, v, m).total.value;
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
  for (const Schedule s :
       {Schedule::naive, Schedule::gpipe, Schedule::pipedream, Schedule::pipedream_2bw, Schedule::one_f_one_b,
        Schedule::interleaved, Schedule::zb_h1, Schedule::zb_h2, Schedule::zb_v, Schedule::dualpipe}) {
    CHECK(total(s, equal(1), 1, 5) == 15);
    CHECK(makespan(s, equal(1), 1, 5).bubble.value == 0);
  }
}

TEST_CASE("GPipe and 1F1B with equal stages equal their simulation") {
  for (const std::int64_t p : {2, 4, 7}) {
    for (const std::int64_t m : {1, 2, 5, 16}) {
      CHECK(total(Schedule::gpipe, equal(p), 1, m) == Approx(simulate(gpipe_orders(p, m), equal(p), 1, m)));
      CHECK(total(Schedule::one_f_one_b, equal(p), 1, m) == Approx(simulate(one_f_one_b_orders(p, m), equal(p), 1, m)));
    }
  }
}

TEST_CASE("The interleaved schedule with equal stages equals its simulation") {
  for (const std::int64_t p : {2, 4}) {
    for (const std::int64_t v : {2, 3}) {
      for (const std::int64_t m : {2 * p, 4 * p}) {
        CHECK(total(Schedule::interleaved, equal(p), v, m) ==
              Approx(simulate(interleaved_orders(p, v, m), equal(p), v, m)));
      }
    }
  }
}

TEST_CASE("One slow stage in 1F1B costs what the simulation says, wherever it is") {
  // p = 4, m = 16: 81.0 with the last stage 1.5 times slower, 76.5 with the first, 84.2 with the third at 1.6.
  for (const double factor : {1.2, 1.5, 1.6, 3.0}) {
    for (std::size_t slow = 0; slow < 4; ++slow) {
      std::vector<StageTime> stages = equal(4);
      stages[slow] = stage(factor, factor, factor);
      for (const std::int64_t m : {1, 2, 3, 4, 5, 16}) {
        CHECK(total(Schedule::one_f_one_b, stages, 1, m) == Approx(simulate(one_f_one_b_orders(4, m), stages, 1, m)));
      }
    }
  }
  std::vector<StageTime> stages = equal(4);
  stages[0] = stage(1.5, 1.5, 1.5);
  CHECK(total(Schedule::one_f_one_b, stages, 1, 16) == Approx(76.5));
}

TEST_CASE("GPipe with any stages equals its simulation") {
  Random random;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<StageTime> stages;
    for (int i = 0; i < 5; ++i) stages.push_back(stage(0.5 + random.next(), 0.5 + random.next(), 0.5 + random.next()));
    CHECK(total(Schedule::gpipe, stages, 1, 9) == Approx(simulate(gpipe_orders(5, 9), stages, 1, 9)));
  }
}

TEST_CASE("1F1B with any stages is a lower bound of its simulation and close to it") {
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
    const double exact = simulate(one_f_one_b_orders(p, m), stages, 1, m);
    const double ours = total(Schedule::one_f_one_b, stages, 1, m);
    CHECK(ours <= exact * (1 + 1e-12));
    CHECK(ours <= sum + static_cast<double>(m - 1) * slowest + 1e-9);  // every stage once, then the slowest
    worst = std::max(worst, 1 - ours / exact);
  }
  CHECK(worst < 0.06);
}

TEST_CASE("A head on the last stage is priced as the simulation prices it") {
  // The usual case: equal stages but for the loss at the end.
  for (const std::int64_t p : {2, 4, 8}) {
    for (const double extra : {0.1, 0.5, 2.0}) {
      std::vector<StageTime> stages = equal(p);
      stages.back() = stage(1 + extra, 1 + extra, 1 + extra);
      for (const std::int64_t m : {p, 4 * p}) {
        CHECK(total(Schedule::one_f_one_b, stages, 1, m) == Approx(simulate(one_f_one_b_orders(p, m), stages, 1, m)));
        CHECK(total(Schedule::interleaved, stages, 2, m) ==
              Approx(simulate(interleaved_orders(p, 2, m), stages, 2, m)).epsilon(0.03));
      }
    }
  }
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
