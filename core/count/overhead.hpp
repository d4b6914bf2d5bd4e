// Constants of what lies outside the tensors: allocator, CUDA context, libraries, communicators. Kept in the profile.
#pragma once

#include "core/units.hpp"

namespace meshgauge {

struct OverheadConstants {
  double allocator_slack = 0.05;      ///< reserved over allocated, less 1: rounding, fragmentation, per-stream pools
  double least_slack = 0.02;          ///< of that, what stays when memory runs out and cached blocks are given back
  Bytes context{0.6 * 1073741824.0};  ///< CUDA context and loaded modules
  Bytes cublas_workspace{};           ///< inside the allocator: PyTorch keeps one for each handle and stream
  Bytes te_workspace{};               ///< Transformer Engine's own, one for each GEMM stream
  Bytes per_channel_connection{};     ///< NCCL buffers of one channel of one connection
  double channels = 0;                ///< NCCL channels for each communicator
};

}  // namespace meshgauge
