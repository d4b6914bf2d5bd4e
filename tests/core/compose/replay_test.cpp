// The replay against the papers' bubbles, against orders and relaxations written here, and against bounds.
#include "core/compose/replay.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "core/compose/schedule.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/every.hpp"

namespace meshgauge {
namespace {

const std::vector<Schedule> schedules = test::every<Schedule>();
bool never_drained(Schedule s) { return s == Schedule::pipedream || s == Schedule::pipedream_2bw; }

Pipeline pipeline(Schedule schedule, std::int64_t p, std::int64_t m, std::int64_t v = 2, std::int64_t group = 0) {
  return {.schedule = schedule, .stages = p, .chunks = v, .micro_batches = m, .group = group > 0 ? group : p};
}

ChunkTime chunk(double forward, double input, double weight) { return {{forward}, {input}, {weight}, {}, {}}; }

/// Ranks that take `forward`, `input` and `weight` for a micro-batch, in equal chunks.
std::vector<ChunkTime> equal(const Pipeline& p, double forward, double input, double weight) {
  const auto n = static_cast<double>(p.chunks_of_rank());
  return {static_cast<std::size_t>(p.stages * p.chunks_of_rank()), chunk(forward / n, input / n, weight / n)};
}

double total(const Pipeline& p, const std::vector<ChunkTime>& chunks) {
  const auto run = replay(p, chunks, Record::no);
  REQUIRE(run);
  return run->total().value;
}

/// What the schedule idles beside the work of one rank, with equal ranks.
double bubble(const Pipeline& p, double forward, double input, double weight) {
  const double share = p.schedule == Schedule::dualpipe ? 0.5 : 1;
  return total(p, equal(p, forward, input, weight)) -
         share * static_cast<double>(p.micro_batches) * (forward + input + weight);
}

/// The passes of a rank, without what it sends.
double busy(const Pipeline& p, const std::vector<ChunkTime>& chunks, std::int64_t rank) {
  double sum = 0;
  for (std::int64_t c = 0; c < p.chunks_of_rank(); ++c) {
    const ChunkTime& time = chunks[static_cast<std::size_t>(rank * p.chunks_of_rank() + c)];
    sum += time.forward.value + time.backward_input.value + time.backward_weight.value;
  }
  return sum * static_cast<double>(p.micro_batches) * (p.schedule == Schedule::dualpipe ? 0.5 : 1);
}

/// Numbers in [0, 1) that are the same everywhere.
struct Random {
  unsigned state = 1;
  double next() {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() * static_cast<double>(n)); }
};

std::vector<ChunkTime> uneven(const Pipeline& p, Random& random) {
  std::vector<ChunkTime> chunks;
  for (std::int64_t i = 0; i < p.stages * p.chunks_of_rank(); ++i) {
    ChunkTime time = chunk(0.5 + random.next(), 0.5 + random.next(), 0.5 + random.next());
    const bool blocking = random.below(2) == 0;
    for (Message* message : {&time.activations, &time.gradients}) {
      (blocking ? message->blocking : message->travelling).value = 0.3 * random.next();
    }
    chunks.push_back(time);
  }
  return chunks;
}

/// A pipeline that its schedule can run.
Pipeline any(Schedule schedule, Random& random) {
  const std::int64_t p = 2 * (1 + random.below(3));
  const std::int64_t m = schedule == Schedule::dualpipe ? 2 * p + 2 * random.below(8) : p * (1 + random.below(4));
  return pipeline(schedule, p, m, 2 + random.below(2));
}

/// The brute force: finish times of all passes, raised until nothing changes. Knows no queues and no events.
struct Pass {
  bool forward;
  std::int64_t micro_batch, chunk;
};
using Orders = std::vector<std::vector<Pass>>;

double length(const ChunkTime& c, const Pass& pass) {
  return pass.forward ? c.forward.value : c.backward_input.value + c.backward_weight.value;
}

double relaxed(const Orders& orders, const std::vector<ChunkTime>& chunks, std::int64_t v) {
  const auto p = static_cast<std::int64_t>(orders.size());
  std::map<std::tuple<bool, std::int64_t, std::int64_t>, double> finish;  // by direction, model chunk, micro-batch
  const auto at = [&](bool forward, std::int64_t position, std::int64_t micro_batch) {
    const auto found = finish.find({forward, position, micro_batch});
    return found == finish.end() ? 0.0 : found->second;
  };
  double end = 0, all = 0;  // of one pass after the other: more than any order takes
  for (std::int64_t r = 0; r < p; ++r) {
    for (const Pass& pass : orders[static_cast<std::size_t>(r)]) {
      all += length(chunks[static_cast<std::size_t>(r * v + pass.chunk)], pass);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int64_t r = 0; r < p; ++r) {
      double free = 0;
      for (const Pass& pass : orders[static_cast<std::size_t>(r)]) {
        const std::int64_t position = pass.chunk * p + r;
        double ready = 0;
        if (pass.forward && position > 0) ready = at(true, position - 1, pass.micro_batch);
        if (!pass.forward) {
          const bool last = position == p * v - 1;
          ready = last ? at(true, position, pass.micro_batch) : at(false, position + 1, pass.micro_batch);
        }
        const ChunkTime& c = chunks[static_cast<std::size_t>(r * v + pass.chunk)];
        free = std::max(free, ready) + length(c, pass);
        double& known = finish[{pass.forward, position, pass.micro_batch}];
        changed = changed || free > known;
        known = std::max(known, free);
        end = std::max(end, known);
      }
    }
    if (end > all + 1e-9) return -1;  // ranks that wait for each other drive one another up for ever
  }
  return end;
}

/// Huang et al. 2019: forwards in order, backwards from the last.
Orders gpipe_orders(std::int64_t p, std::int64_t m) {
  Orders orders(static_cast<std::size_t>(p));
  for (auto& rank : orders) {
    for (std::int64_t i = 0; i < m; ++i) rank.push_back({true, i, 0});
    for (std::int64_t i = m; i-- > 0;) rank.push_back({false, i, 0});
  }
  return orders;
}

/// Narayanan et al. 2021, arXiv:2104.04473 figure 4: k-th forward and backward of a rank, `ahead` of them apart.
Orders apart(std::int64_t p, std::int64_t passes, const std::function<std::int64_t(std::int64_t)>& ahead,
             const std::function<Pass(bool, std::int64_t)>& pass) {
  Orders orders(static_cast<std::size_t>(p));
  for (std::int64_t r = 0; r < p; ++r) {
    for (std::int64_t slot = 0; slot < 2 * passes; ++slot) {
      const std::int64_t lead = std::min(ahead(r), passes);
      const std::int64_t turn = slot - lead;  // the first after the lead is a forward, if any is left
      const bool lone = slot < lead, tail = turn >= 2 * (passes - lead);
      const bool forward = lone || (!tail && turn % 2 == 0);
      std::int64_t k = slot;
      if (!lone) k = tail ? slot - passes : forward ? lead + turn / 2 : turn / 2;
      orders[static_cast<std::size_t>(r)].push_back(pass(forward, k));
    }
  }
  return orders;
}

Orders one_f_one_b_orders(std::int64_t p, std::int64_t m) {
  return apart(
      p, m, [&](std::int64_t r) { return p - 1 - r; },
      [](bool forward, std::int64_t k) {
        return Pass{forward, k, 0};
      });
}

/// Groups of `g` micro-batches; the last group is what is left.
Orders interleaved_orders(std::int64_t p, std::int64_t v, std::int64_t m, std::int64_t g) {
  const auto pass = [=](bool forward, std::int64_t k) {
    const std::int64_t before = k / (g * v) * g;  // micro-batches of whole groups
    const std::int64_t size = std::min(g, m - before), inside = k - before * v;
    const std::int64_t c = inside / size;
    return Pass{forward, before + inside % size, forward ? c : v - 1 - c};
  };
  return apart(
      p, m * v, [&](std::int64_t r) { return 2 * (p - 1 - r) + (v - 1) * g; }, pass);
}

/// All orders of m forwards and backwards of one rank.
std::vector<std::vector<Pass>> all_orders(std::int64_t m) {
  std::vector<std::vector<Pass>> all;
  std::vector<Pass> order;
  std::function<void()> extend = [&] {
    if (static_cast<std::int64_t>(order.size()) == 2 * m) return all.push_back(order);
    for (std::int64_t i = 0; i < m; ++i) {
      const auto has = [&](bool forward) {
        return std::any_of(order.begin(), order.end(),
                           [&](const Pass& pass) { return pass.forward == forward && pass.micro_batch == i; });
      };
      if (has(false)) continue;
      order.push_back({!has(true), i, 0});
      extend();
      order.pop_back();
    }
  };
  extend();
  return all;
}

}  // namespace

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

TEST_CASE("Uneven stages and chunks take what a relaxation of all passes says") {
  Random random;
  for (int trial = 0; trial < 150; ++trial) {
    const std::int64_t p = 2 + random.below(4), m = 1 + random.below(9), v = 2 + random.below(2);
    const auto quiet = [&](const Pipeline& of) {
      std::vector<ChunkTime> chunks = uneven(of, random);
      for (ChunkTime& c : chunks) c.activations = c.gradients = {};
      return chunks;
    };
    const Pipeline flat = pipeline(Schedule::one_f_one_b, p, m, 1), all = pipeline(Schedule::gpipe, p, m, 1);
    const std::vector<ChunkTime> one = quiet(flat);
    CHECK(total(flat, one) == Approx(relaxed(one_f_one_b_orders(p, m), one, 1)));
    CHECK(total(all, one) == Approx(relaxed(gpipe_orders(p, m), one, 1)));
    // Megatron-LM wants the last group to be no smaller than the pipeline.
    const std::int64_t g = p + random.below(3), count = g * (1 + random.below(2)) + (random.below(2) == 0 ? 0 : p);
    const Pipeline chunked = pipeline(Schedule::interleaved, p, count, v, g);
    const std::vector<ChunkTime> several = quiet(chunked);
    CHECK(total(chunked, several) == Approx(relaxed(interleaved_orders(p, v, count, g), several, v)));
  }
}

TEST_CASE("No order of forwards and backwards beats 1F1B on equal stages") {
  // Two ranks and three micro-batches have 90 x 90 orders, three and two 6 x 6 x 6.
  for (const auto& [p, m] : {std::pair<std::int64_t, std::int64_t>{2, 3}, {3, 2}}) {
    const std::vector<std::vector<Pass>> all = all_orders(m);
    const Pipeline flat = pipeline(Schedule::one_f_one_b, p, m, 1);
    const std::vector<ChunkTime> times = equal(flat, 1, 1, 1);
    double best = 1e9;
    std::vector<std::size_t> choice(static_cast<std::size_t>(p), 0);
    for (bool more = true; more;) {
      Orders orders;
      for (const std::size_t c : choice) orders.push_back(all[c]);
      if (const double end = relaxed(orders, times, 1); end > 0) best = std::min(best, end);
      more = false;
      for (std::size_t& c : choice) {
        if (++c < all.size()) {
          more = true;
          break;
        }
        c = 0;
      }
    }
    CHECK(total(flat, times) == Approx(best));
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
