// The replay against orders of passes written here and a relaxation of them that knows no queues and no events.
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "tests/core/compose/pipelines.hpp"

namespace meshgauge {

using namespace pipelines;

namespace {

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

}  // namespace meshgauge
