// A hardware profile: the only home of efficiencies, latencies and overheads, each with its source.
#pragma once

#include <string>

#include "core/count/overhead.hpp"
#include "core/scenario/cluster.hpp"
#include "core/units.hpp"

namespace meshgauge {

struct Profile {
  std::string name = "datasheet";
  // Compute
  FlopsPerSecond matmul_fp32{}, matmul_16bit{}, matmul_fp8{};  ///< sustained for large shapes
  double gemm_depth = 0;            ///< K0: prologue and epilogue, as extra depth of a product
  FlopsPerSecond flash_forward{}, flash_backward{};  ///< executed FLOPs of the attention core
  double flash_half_sequence = 0;   ///< sequence at which flash attention reaches half of its rate
  FlopsPerSecond unfused_attention{};
  BytesPerSecond hbm{};             ///< sustained
  Seconds launch{};                 ///< gap between kernels
  // Communication
  double intra_efficiency = 0;      ///< busbw over link rate, large messages, one node
  double inter_efficiency = 0;
  Seconds intra_latency{}, inter_latency{};  ///< of one hop
  Bytes half_size{};                ///< message at which a collective reaches half of its rate
  double overlap_cost = 0;          ///< share of hidden communication that is paid anyway (contention)
  double tp_hidden_forward = 0, tp_hidden_backward = 0;  ///< share of overlappable TP traffic that is hidden
  Seconds fixed_per_step{};
  // Memory outside the tensors
  OverheadConstants overhead;
  double time_low = 0.9, time_high = 1.15;      ///< predicted range around the step time
  double memory_sigma = 0.05;                   ///< relative spread of device memory around the prediction
};

/// Datasheet rates times documented efficiencies.
[[nodiscard]] Profile default_profile(const Cluster&);

}  // namespace meshgauge
