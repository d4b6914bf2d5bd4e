// Scenarios drawn at random from hand-built models, clusters and layouts: the same ones on every machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/support/hand_built.hpp"

namespace meshgauge::hand_built {

/// Numbers that are the same everywhere.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed) {}
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::int64_t>(state_ >> 8) % n;
  }
  std::int64_t power_of_two(std::int64_t up_to) { return std::int64_t{1} << below(up_to + 1); }

 private:
  unsigned state_;
};

inline Scenario random_megatron(Random& random) {
  const ModelShape models[] = {llama2_7b(), llama3_8b(), llama2_70b(), mixtral_8x7b(), gpt(24, 2048, 16, 50257)};
  const std::int64_t t = random.power_of_two(3), p = random.power_of_two(3), c = random.power_of_two(1),
                     d = random.power_of_two(3);
  const std::int64_t gpus = t * p * c * d;
  const Cluster cluster = random.below(2) == 0 ? dgx_a100(gpus) : dgx_h100(gpus);
  const Schedule schedules[] = {Schedule::one_f_one_b, Schedule::gpipe,       Schedule::zb_h1,
                                Schedule::zb_h2,       Schedule::zb_v,        Schedule::naive,
                                Schedule::pipedream,   Schedule::interleaved, Schedule::dualpipe};
  const Schedule schedule = p > 1 ? schedules[random.below(9)] : Schedule::one_f_one_b;
  // Drained schedules also with fewer micro-batches than stages; zero bubbles need enough of them to fill the pipeline.
  const bool fills = schedule == Schedule::zb_h1 || schedule == Schedule::zb_h2 || schedule == Schedule::zb_v ||
                     schedule == Schedule::interleaved || schedule == Schedule::dualpipe;
  const std::int64_t micro = random.power_of_two(2);
  const std::int64_t m = std::max<std::int64_t>(1, (fills ? 2 * p : p / 2) * random.power_of_two(2));
  Scenario s = megatron(models[random.below(5)], cluster, t, p, 1024 * random.power_of_two(3), micro, micro * m * d);
  s.parallelism.context = c;
  s.parallelism.data = d;
  s.parallelism.context_kind = static_cast<ContextParallelKind>(random.below(3));
  if (s.model.moe.used()) {
    s.parallelism.expert_tensor = 1;
    s.parallelism.expert = std::min<std::int64_t>(8, t * c * d);
  }
  s.parallelism.zero_stage = random.below(2);
  s.parallelism.schedule = schedule;
  if (s.parallelism.schedule == Schedule::zb_v || s.parallelism.schedule == Schedule::interleaved) {
    s.parallelism.virtual_pipeline = 2;
  }
  s.training.recompute = static_cast<Recompute>(random.below(3));
  s.training.recompute_modules.core_attention = true;
  s.training.attention = static_cast<Attention>(random.below(2));
  s.training.kernels = static_cast<Kernels>(random.below(3));
  return s;
}

inline Scenario random_data_parallel(Random& random) {
  const std::int64_t d = random.power_of_two(8), micro = random.power_of_two(2);
  const Cluster cluster = random.below(2) == 0 ? dgx_a100(d) : dgx_h100(d);
  const Engine engines[] = {Engine::ddp, Engine::fsdp1, Engine::fsdp2, Engine::deepspeed};
  const std::int64_t which = random.below(4);
  const std::int64_t zero = which == 0 ? 0 : which == 3 ? random.below(4) : 2 + random.below(2);
  return data_parallel(random.below(2) == 0 ? llama2_7b() : gpt(24, 2048, 16, 50257), cluster, engines[which], zero,
                       1024 * random.power_of_two(2), micro, micro * d * random.power_of_two(2));
}

inline Scenario random_scenario(Random& random) {
  return random.below(3) == 0 ? random_data_parallel(random) : random_megatron(random);
}

}  // namespace meshgauge::hand_built
