#include "core/count/in_flight.hpp"

#include <algorithm>

namespace meshgauge {

namespace {

/// Chunk-micro-batches at the peak of a rank: Megatron-LM schedules.py get_pp_rank_microbatches, warm-up and one.
std::int64_t interleaved_chunks(std::int64_t to_last, std::int64_t v, std::int64_t m, std::int64_t group) {
  return std::min(m * v, 2 * (to_last - 1) + (v - 1) * group + 1);
}

}  // namespace

std::int64_t chunk_in_flight(std::int64_t stage, std::int64_t p, std::int64_t v, std::int64_t m, std::int64_t group,
                             std::int64_t chunk) {
  const std::int64_t total = interleaved_chunks(p - stage, v, m, group);
  std::int64_t sets = 0, done = 0, passed = 0;  // micro-batches of whole rounds, and all forwards in them
  while (passed < total) {
    const std::int64_t size = std::min(group, m - done);  // the last group may be smaller
    if (size <= 0) break;
    const std::int64_t left = total - passed - chunk * size;
    sets += std::clamp<std::int64_t>(left, 0, size);
    done += size;
    passed += size * v;
  }
  return sets;
}

InFlight in_flight(Schedule schedule, std::int64_t stage, std::int64_t p, std::int64_t v, std::int64_t m,
                   std::int64_t group) {
  const std::int64_t to_last = p - stage;  // ranks from this one to the last, itself included
  switch (schedule) {
    case Schedule::naive:
      return {.activation_sets = 1};
    case Schedule::gpipe:  // Huang et al. 2019, arXiv:1811.06965: all forwards, then all backwards
      return {.activation_sets = static_cast<double>(m)};
    case Schedule::one_f_one_b:  // Megatron-LM core/pipeline_parallel/schedules.py: p - r - 1 warm-up forwards
      return {.activation_sets = static_cast<double>(std::min(m, to_last))};
    case Schedule::pipedream: {  // Narayanan et al. 2019: one weight version for each micro-batch in flight
      const auto sets = static_cast<double>(std::min(m, to_last));
      return {.activation_sets = sets, .weight_versions = sets};
    }
    case Schedule::pipedream_2bw:  // Narayanan et al. 2021, arXiv:2006.09503: double-buffered weights
      return {.activation_sets = static_cast<double>(std::min(m, to_last)), .weight_versions = 2};
    case Schedule::interleaved: {
      const std::int64_t chunks = interleaved_chunks(to_last, v, m, group);
      return {.activation_sets = static_cast<double>(chunks) / static_cast<double>(v)};
    }
    case Schedule::zb_h1:  // Qi et al. 2024, arXiv:2401.10241 section 2.2: W is delayed, so every rank holds p
    case Schedule::zb_v:   // arXiv:2405.15362: two half-sized chunks a rank, the 1F1B bound on every rank
      return {.activation_sets = static_cast<double>(std::min(m, p))};
    case Schedule::zb_h2:  // arXiv:2401.10241 section 2.3
      return {.activation_sets = static_cast<double>(std::min(m, 2 * p - 1))};
    case Schedule::dualpipe: {  // DeepSeek-V3, arXiv:2412.19437 table 2: p + 1 chunks, and a rank holds two chunks
      return {.activation_sets = static_cast<double>(std::min(m, p + 1)) / 2};
    }
  }
  return {};
}

}  // namespace meshgauge
