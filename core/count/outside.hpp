// Bytes that the tensors do not explain: allocator slack, CUDA context, communicator buffers.
#pragma once

#include <array>

#include "core/count/loss_memory.hpp"
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

/// What the caching allocator holds beyond one phase's tensors: where tensors cross streams (FSDP), blocks of the
/// activations are not there for gradients and the optimizer's temporaries, and both stay reserved side by side
/// (torch/distributed/fsdp; fms-acceleration's tables and torchtitan PR #165, which prints active and reserved memory,
/// show the sum).
[[nodiscard]] inline double kept_blocks(const PhaseTotals& allocated) {
  const auto total = [&](Phase phase) { return allocated.totals[static_cast<std::size_t>(phase)].value; };
  const double active = std::max({total(Phase::forward), total(Phase::loss), total(Phase::backward)});
  const double between = total(Phase::optimizer) - allocated.late.value;  // what both phases share
  return std::max(0.0, std::min(allocated.late.value, active - between));
}

/// Halves of fp32 blocks that stay empty: logits held over several micro-batches come to lie in blocks that the fp32
/// logits of the micro-batch before left free, and the other half is too small for the next fp32 logits. Two where the
/// parts of a gather took turns with them, else one: from a replay of the allocator's rules (best fit, large blocks
/// split, whole segments given back), in which 4.0 to 5.2 and 2.1 to 3.2 bytes a logit were lost.
[[nodiscard]] inline double split_blocks(const MemoryContext& c) {
  return c.stage.head && c.engine.output_buffers > 1 && c.m > 1 ? c.t > 1 ? 2 : 1 : 0;
}

/// What the bytes outside the tensors of a rank follow from, whatever those tensors are.
struct OutsideTensors {
  double context = 0;      ///< CUDA context and modules
  double connections = 0;  ///< communicators that are open from the first forward on
  double lost = 0;         ///< split blocks, in the loss
  double least_slack = 0, slack = 0;
  double capacity = 0;
  bool keeps_blocks = false;
  Phases existing;
  std::array<double, phase_count> beside{};  ///< all of it but what the allocator keeps

  [[nodiscard]] double kept(const PhaseTotals& allocated) const { return keeps_blocks ? kept_blocks(allocated) : 0; }
  /// The allocator's slack is a share of each phase, less where the card is full, since cached blocks are given back
  /// before PyTorch gives up (c10/cuda/CUDACachingAllocator.cpp malloc: free_available_cached_blocks,
  /// release_cached_blocks).
  [[nodiscard]] double reserve(double allocated, double of_blocks, double others) const {
    return std::max(least_slack * allocated, std::min(slack * allocated + of_blocks, capacity - allocated - others));
  }
};

/// Peers of an all-to-all: each GPU of the node has a connection to each other.
[[nodiscard]] inline double exchange_peers(const MemoryContext& c) {
  const std::int64_t experts = c.parallelism().expert;
  return experts > 1 ? static_cast<double>(std::min(experts, c.scenario.cluster.gpus_per_node) - 1) : 0;
}

[[nodiscard]] inline OutsideTensors outside_tensors(const MemoryContext& c, const OverheadConstants& constants) {
  const bool grows = c.training().expandable_segments;  // any freed page serves any later tensor of its stream
  const double G = communicators(c.scenario);
  const double nccl = (G * 2 + exchange_peers(c)) * constants.channels * constants.per_channel_connection.value;
  OutsideTensors o{.context = constants.context.value + c.engine.buffers.modules,
                   .connections = G > 0 ? nccl : 0,
                   .lost = whole(split_blocks(c) * c.T * logit_columns(c) * c.w).value,
                   .least_slack = constants.least_slack,
                   .slack = grows ? constants.least_slack : constants.allocator_slack + c.engine.buffers.fragmentation,
                   .capacity = c.scenario.cluster.gpu.memory.value,
                   .keeps_blocks = c.engine.buffers.separate_pools && c.multi && !grows,
                   .existing = c.existing};
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    o.beside[i] = whole(o.context).value + (phase < Phase::forward ? 0 : whole(o.connections).value) +
                  (phase == Phase::loss ? o.lost : 0);
  }
  return o;
}

/// The largest phase with all that lies outside: what count_outside() adds to `tensors`. A phase does not become less
/// with its tensors, so of those that have the same beside them the largest counts.
[[nodiscard]] inline Bytes peak_with_outside(const OutsideTensors& o, const PhaseTotals& tensors) {
  const auto all = [&](Bytes tensors_of_phase, double kept, Phase phase) {
    const double A = tensors_of_phase.value, beside = o.beside[static_cast<std::size_t>(phase)];
    return Bytes{A + whole(o.reserve(A, kept, beside)).value + beside};
  };
  const auto of = [&](Phase phase) { return tensors.totals[static_cast<std::size_t>(phase)]; };
  const double kept = o.kept(tensors);
  const Bytes most = max(max(of(Phase::forward), of(Phase::backward)), max(of(Phase::reduce), of(Phase::optimizer)));
  const Bytes loss = o.existing.has(Phase::loss) ? all(of(Phase::loss), kept, Phase::loss) : of(Phase::loss);
  return max(max(all(max(of(Phase::load), of(Phase::init)), 0, Phase::load), loss), all(most, kept, Phase::forward));
}

/// `allocated` are the totals of all lines counted so far.
template <class Sink>
void count_outside(const MemoryContext& c, const OverheadConstants& constants, const PhaseTotals& allocated,
                   Sink& sink) {
  const OutsideTensors o = outside_tensors(c, constants);
  const double kept = o.kept(allocated);
  if (o.lost > 0) {
    const double n = split_blocks(c), V = logit_columns(c);
    sink.add({"split_blocks", "Halves of blocks beside held logits", "n * T * V * w",
              "c10/cuda/CUDACachingAllocator.cpp malloc: get_free_block, should_split, release_cached_blocks"},
             Category::overhead, c.in(at(Phase::loss)), o.lost, {{"n", n}, {"T", c.T}, {"V", V}, {"w", c.w}});
  }
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    const double A = allocated.totals[i].value;
    const double K = phase < Phase::forward ? 0 : kept, O = o.beside[i];
    sink.add(
        {"allocator_reserve", "Allocator reserve", "max(e * A, min(r * A + K, M - A - O))",
         "c10/cuda/CUDACachingAllocator.cpp: rounding, fragmentation, pools for each stream; freed blocks are kept"},
        Category::overhead, c.in(at(phase)), o.reserve(A, K, O),
        {{"e", o.least_slack}, {"A", A}, {"r", o.slack}, {"K", K}, {"M", o.capacity}, {"O", O}});
  }
  sink.add({"cuda_context", "CUDA context and modules", "B",
            "stas00/ml-engineering training/performance: 0.5 to 0.9 GiB with lazy loading"},
           Category::overhead, c.in(always), o.context, {{"B", o.context}});
  if (o.connections > 0) {
    // Each communicator connects a ring and a tree; all-to-all connects every peer of the node.
    sink.add({"nccl_buffers", "NCCL buffers", "(G * 2 + n) * k * B",
              "NCCL src/init.cc, src/transport/p2p.cc: LL 0.5 + LL128 4.69 + Simple 4 MiB for each channel connection"},
             Category::overhead, c.in(during(Phase::forward, Phase::optimizer)), o.connections,
             {{"G", communicators(c.scenario)},
              {"n", exchange_peers(c)},
              {"k", constants.channels},
              {"B", constants.per_channel_connection.value}});
  }
}

}  // namespace meshgauge
