// Bytes that the tensors do not explain: allocator slack, CUDA context, communicator buffers.
#pragma once

#include "core/count/memory_context.hpp"
#include "core/count/overhead.hpp"

namespace meshgauge {

/// Communicators of more than one rank that this layout opens, the world's included.
[[nodiscard]] inline double communicators(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  if (s.cluster.gpus == 1 || s.training.engine == Engine::dp) return s.cluster.gpus == 1 ? 0 : 1;
  const bool layered = p.tensor * p.pipeline * p.context * p.expert > 1;
  return 1 + (layered ? (p.tensor > 1) + (p.pipeline > 1) + (p.context > 1) + (p.data * p.context > 1) +
                            (p.expert > 1) + (p.expert > 1 && p.expert_data() > 1)
                      : 0);
}

/// `allocated` are the totals of all lines counted so far: the allocator's slack is a share of each phase.
template <class Sink>
void count_outside(const MemoryContext& c, const OverheadConstants& constants,
                   const std::array<Bytes, phase_count>& allocated, Sink& sink) {
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    const double slack = constants.allocator_slack;
    sink.add({"allocator_reserve", "Allocator reserve", "r * A",
              "c10/cuda/CUDACachingAllocator.cpp: rounding, fragmentation, pools for each stream"},
             Category::overhead, c.in(at(phase)), slack * allocated[i].value, {{"r", slack}, {"A", allocated[i].value}});
  }
  sink.add({"cuda_context", "CUDA context and modules", "B",
            "stas00/ml-engineering training/performance: 0.5 to 0.9 GiB with lazy loading"},
           Category::overhead, c.in(always), constants.context.value, {{"B", constants.context.value}});
  const double G = communicators(c.scenario);
  if (G > 0) {
    const double peers = c.parallelism().expert > 1
                             ? static_cast<double>(std::min(c.parallelism().expert, c.scenario.cluster.gpus_per_node) - 1)
                             : 0;
    // Each communicator connects a ring and a tree; all-to-all connects every peer of the node.
    sink.add({"nccl_buffers", "NCCL buffers", "(G * 2 + n) * k * B",
              "NCCL src/init.cc, src/transport/p2p.cc: LL 0.5 + LL128 4.69 + Simple 4 MiB for each channel connection"},
             Category::overhead, c.in(during(Phase::forward, Phase::optimizer)),
             (G * 2 + peers) * constants.channels * constants.per_channel_connection.value,
             {{"G", G}, {"n", peers}, {"k", constants.channels}, {"B", constants.per_channel_connection.value}});
  }
}

}  // namespace meshgauge
