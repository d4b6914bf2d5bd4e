// A hardware profile: the only home of efficiencies, latencies and overheads, each with its source.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/count/overhead.hpp"
#include "core/price/measured.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/training.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// A block of the result that one multiprocessor computes, and its speed relative to the best block.
struct Tile {
  double m = 0, n = 0, speed = 0;
};

/// Smaller all-reduce groups behave like a ring even where a switch could add (open H100 and B200 tables).
inline constexpr std::int64_t switch_ranks = 6;

/// Collectives inside a node: time = latency + bytes / (bandwidth share) + what pipelining loses between the two.
struct LinkProfile {
  double ring = 0;       ///< ceiling of a ring's bus bandwidth over the link rate
  double in_switch = 0;  ///< ceiling of an all-reduce that the switch computes (NVLS); 0 if it cannot
  Seconds base{}, hop{};
  bool pcie = false;  ///< the curve of PCIe links, not of NVLink or its like
};

/// Collectives between nodes.
struct NetworkProfile {
  double ring = 0;             ///< ceiling over the NIC rate
  double all_to_all = 0;       ///< the same where each GPU uses its own NIC only
  double two_node_tree = 0;    ///< share of twice the NIC rate that a tree over two nodes reaches
  double tree_link_share = 0;  ///< ceiling of that tree over the rate inside the node; 0 if the node is no limit
  Seconds hop{};
  Seconds protocol_step{};  ///< added to each hop once messages leave the low-latency protocols
  Seconds peer{};           ///< all-to-all: for each peer in another node
};

/// Seconds that the host needs to launch one layer.
struct HostTime {
  Seconds forward{}, backward{};
};

struct Profile {
  std::string name = "datasheet";

  // Matrix products: sustained in a training step, for large shapes.
  FlopsPerSecond matmul_fp32{}, matmul_tf32{}, matmul_16bit{};  ///< 16 bit: bf16, or fp16 where it is all
  FlopsPerSecond matmul_fp8{}, matmul_fp4{};
  double fp16_speed = 1;       ///< fp16 over bf16 products: 2 on MI100, 0.25 on Gaudi 3, 1 on most
  double multiprocessors = 0;  ///< 0: whole waves are not modelled
  std::array<Tile, 4> tiles{};
  double gemm_depth = 0;           ///< K0: prologue and epilogue of a block, as extra depth
  double fp8_depth_factor = 1;     ///< K0 under fp8 over K0
  double misaligned_slowdown = 1;  ///< of products whose depth or columns are not a multiple of 8

  // Attention core, by executed FLOPs at head width 128.
  FlopsPerSecond flash_forward{}, flash_backward{};
  double flash1_speed = 1, triton_speed = 1;  ///< FlashAttention 1, Triton's: over that
  double flash_half_sequence = 0;             ///< sequence at which flash attention reaches half of its rate
  FlopsPerSecond unfused_attention{};
  double misaligned_heads = 1;  ///< share of the unfused rate when the head width is not a multiple of 8

  // Memory and host
  BytesPerSecond hbm{};                                     ///< sustained
  double pass_speed = 1, loss_speed = 1, update_speed = 1;  ///< over that: passes of layers, loss, optimizer
  double accumulation_bytes = 0;        ///< per weight and micro-batch: a gradient added in a pass of its own
  double fused_accumulation_bytes = 0;  ///< visible when the matrix product adds it
  double fp8_cast_forward = 0, fp8_cast_backward = 0;  ///< bytes per element of a product's input, of its gradient
  Seconds launch{};                                    ///< gap between kernels
  std::array<HostTime, 3> host{};                      ///< by Kernels
  HostTime graph_host{};                               ///< of a layer that is replayed as a CUDA graph
  HostTime moe_host{}, moe_graph_host{};               ///< added in a mixture layer, which waits for the routing
  Seconds collective_host{};  ///< added for each tensor-parallel collective under fused kernels

  // Communication
  LinkProfile intra;
  NetworkProfile inter;
  double network_share = 1;             ///< of the network ceiling that is reached while a step's other work runs
  double link_share = 1;                ///< speed of collectives inside a node beside that work, over that alone
  double overlap_cost = 0;              ///< share of hidden communication that is paid anyway (contention)
  double overlap_window = 1;            ///< share of the backward in which gradients can be reduced
  double tensor_hidden_all_reduce = 0;  ///< share of a backward all-reduce hidden behind weight gradients
  double tensor_hidden_sequence = 0;    ///< the same for sequence parallelism's backward collectives that can hide
  double tensor_hidden_forward = 0;     ///< with user buffers: of the forward's collectives
  double tensor_hidden_backward = 0;    ///< with user buffers: of the backward's
  double context_hidden = 0;            ///< share of the attention core behind which a ring message can hide
  Seconds context_step{};               ///< of each ring message, whatever hides it

  // Step
  Seconds fixed_per_step{};     ///< data, logging, optimizer launch
  Seconds fixed_with_graphs{};  ///< the same where layers are replayed as CUDA graphs

  // Memory outside the tensors
  OverheadConstants overhead;

  // Predicted ranges: nine of ten measured runs lie inside.
  double time_low = 0.88, time_high = 1.14;            ///< dense models
  double moe_time_low = 0.70, moe_time_high = 1.40;    ///< mixtures: software of one year differs by 1.5
  double host_time_low = 0.60, host_time_high = 1.60;  ///< steps that wait for the host

  // Relative spread of memory around the prediction; 0: that of published runs of the engine (memory_spread.hpp).
  double allocated_sigma = 0;
  double reserved_sigma = 0;
  double memory_sigma = 0;  ///< of device memory

  MeasuredTables measured;
};

/// Datasheet rates times documented efficiencies.
[[nodiscard]] Profile default_profile(const Cluster&);

}  // namespace meshgauge
