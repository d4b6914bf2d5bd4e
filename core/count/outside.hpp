// Bytes that the tensors do not explain: allocator slack, CUDA context, communicator buffers.
#pragma once

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
/// split, whole segments given back), in which 4.0 to 5.2 and 2.1 to 3.2 bytes a logit were lost. Returns the bytes.
template <class Sink>
double split_blocks(const MemoryContext& c, Sink& sink) {
  if (!c.stage.head || c.engine.output_buffers <= 1 || c.m <= 1) return 0;
  const double n = c.t > 1 ? 2 : 1, V = logit_columns(c);
  const double bytes = whole(n * c.T * V * c.w).value;
  sink.add({"split_blocks", "Halves of blocks beside held logits", "n * T * V * w",
            "c10/cuda/CUDACachingAllocator.cpp malloc: get_free_block, should_split, release_cached_blocks"},
           Category::overhead, c.in(at(Phase::loss)), bytes, {{"n", n}, {"T", c.T}, {"V", V}, {"w", c.w}});
  return bytes;
}

/// `allocated` are the totals of all lines counted so far: the allocator's slack is a share of each phase, less where
/// the card is full, since cached blocks are given back before PyTorch gives up (c10/cuda/CUDACachingAllocator.cpp
/// malloc: free_available_cached_blocks, release_cached_blocks).
template <class Sink>
void count_outside(const MemoryContext& c, const OverheadConstants& constants, const PhaseTotals& allocated,
                   Sink& sink) {
  const bool grows = c.training().expandable_segments;  // any freed page serves any later tensor of its stream
  const double kept = c.engine.buffers.separate_pools && c.multi && !grows ? kept_blocks(allocated) : 0;
  const double G = communicators(c.scenario);
  const double peers = c.parallelism().expert > 1
                           ? static_cast<double>(std::min(c.parallelism().expert, c.scenario.cluster.gpus_per_node) - 1)
                           : 0;
  const double nccl = (G * 2 + peers) * constants.channels * constants.per_channel_connection.value;
  const double context = constants.context.value + c.engine.buffers.modules;
  const double M = c.scenario.cluster.gpu.memory.value;
  const double lost = split_blocks(c, sink);
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    const double e = constants.least_slack, A = allocated.totals[i].value;
    const double r = grows ? e : constants.allocator_slack + c.engine.buffers.fragmentation;
    const double K = phase < Phase::forward ? 0 : kept;
    const double O = whole(context).value + (phase < Phase::forward || G == 0 ? 0 : whole(nccl).value) +
                     (phase == Phase::loss ? lost : 0);
    sink.add(
        {"allocator_reserve", "Allocator reserve", "max(e * A, min(r * A + K, M - A - O))",
         "c10/cuda/CUDACachingAllocator.cpp: rounding, fragmentation, pools for each stream; freed blocks are kept"},
        Category::overhead, c.in(at(phase)), std::max(e * A, std::min(r * A + K, M - A - O)),
        {{"e", e}, {"A", A}, {"r", r}, {"K", K}, {"M", M}, {"O", O}});
  }
  sink.add({"cuda_context", "CUDA context and modules", "B",
            "stas00/ml-engineering training/performance: 0.5 to 0.9 GiB with lazy loading"},
           Category::overhead, c.in(always), context, {{"B", context}});
  if (G > 0) {
    // Each communicator connects a ring and a tree; all-to-all connects every peer of the node.
    sink.add({"nccl_buffers", "NCCL buffers", "(G * 2 + n) * k * B",
              "NCCL src/init.cc, src/transport/p2p.cc: LL 0.5 + LL128 4.69 + Simple 4 MiB for each channel connection"},
             Category::overhead, c.in(during(Phase::forward, Phase::optimizer)), nccl,
             {{"G", G}, {"n", peers}, {"k", constants.channels}, {"B", constants.per_channel_connection.value}});
  }
}

}  // namespace meshgauge
