// What a whole run meets outside its steps: interruptions, checkpoints, slow machines, power.
#pragma once

#include "core/units.hpp"

namespace meshgauge {

inline constexpr BytesPerSecond storage_of_a_node{1e9};

struct RunPlan {
  /// GPU time between unexpected interruptions of the job. Llama 3, arXiv:2407.21783 section 3.3.4: 419 in 54 days on
  /// 16,384 GPUs. Meta's research clusters, arXiv:2410.21680: 6.50 and 2.34 for 1000 node-days of 8 GPUs, which is
  /// 29,538 and 82,051 hours.
  double mtbf_gpu_hours = 50677;
  /// What the storage takes from the whole job. Resolved: 1e9 for each node, since Llama 3's storage sustained 2 TB/s
  /// for 2,048 nodes (arXiv:2407.21783 section 3.3.1).
  BytesPerSecond storage = storage_of_a_node;
  Seconds checkpoint_interval{};  ///< 0: the best one
  /// From the interruption to the first step, without reading the checkpoint. MegaScale, arXiv:2402.15627 section 4:
  /// detection and diagnosis take less than 10 minutes.
  Seconds restart{600};
  double straggler_slowdown = 1;  ///< of every step; published steps show no growth with the number of GPUs
  double power_share = 1;         ///< mean power over the GPU's TDP; 1 as in arXiv:2302.13971 section 6
  double pue = 1.1;               ///< power of the data centre over that of its machines: same section
};

}  // namespace meshgauge
