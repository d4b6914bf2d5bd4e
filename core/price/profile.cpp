// The default profile: datasheet rates times what measurements of the GPU, or of its kin, say is reached.
#include "core/price/profile.hpp"

#include <algorithm>

#include "core/price/hardware_table.hpp"

namespace meshgauge {
namespace {

using hardware::Architecture;
using hardware::Board;
using hardware::Network;
using hardware::TileSet;

/// Shapes and relative speeds of matrix-product blocks, fitted with the steps of hardware::boards; priors from CUTLASS.
std::array<Tile, 4> tiles_of(TileSet set) {
  switch (set) {
    case TileSet::ampere:
      return {{{256, 128, 1}, {128, 128, 0.95}, {128, 64, 0.78}, {64, 64, 0.55}}};
    case TileSet::hopper:
      return {{{256, 128, 1}, {128, 128, 0.92}, {128, 64, 0.70}, {64, 64, 0.42}}};
    case TileSet::blackwell:
      return {{{256, 256, 1}, {256, 128, 0.97}, {128, 128, 0.88}, {128, 64, 0.60}}};
    case TileSet::volta:
      return {{{256, 128, 1}, {128, 128, 0.93}, {128, 64, 0.75}, {64, 64, 0.50}}};
  }
  return {};
}

const Architecture& architecture_of(const Gpu& gpu) {
  for (const Architecture& a : hardware::architectures) {
    if (a.name == gpu.architecture) return a;
  }
  return hardware::unknown_architecture;
}

const Board* board_of(const Gpu& gpu) {
  for (const Board& b : hardware::boards) {
    if (b.id == gpu.id) return &b;
  }
  return nullptr;
}

const Network& network_of(const Cluster& cluster) {
  std::string_view type = cluster.inter_type;
  constexpr double first_efa_node = 60e9;  // 4 x 100 Gb/s; the second generation starts at 32 x 100 Gb/s
  const double node = cluster.inter.bandwidth.value * static_cast<double>(cluster.gpus_per_node);
  if (type == "EFA" && node < first_efa_node) type = "EFA v1";
  for (const Network& n : hardware::networks) {
    if (n.type == type) return n;
  }
  return hardware::unknown_network;
}

/// Newton's iteration, since libraries differ in the last bit of cbrt. For values between 1e-3 and 1e3.
double cube_root(double x) {
  double y = 1;
  for (int i = 0; i < 40; ++i) y = (2 * y + x / (y * y)) / 3;
  return y;
}

/// Dynamic power grows with the cube of the clock, so a board holds about the cube root of its watts for each peak
/// TFLOP/s. Fitted on eight boards from A100 to RTX PRO 6000: 7 % median error of bf16 kernels.
double power_rule(const Gpu& gpu, double peak) {
  return std::min(0.86, 0.76 * cube_root(gpu.power_watts / (peak / tera)));
}

struct MatmulShares {
  double half, eight;
  bool measured;
};

MatmulShares matmul_shares(const Gpu& gpu, const Architecture& architecture, double peak) {
  constexpr double fp8_over_half = 0.9;
  if (const Board* board = board_of(gpu)) {
    return {board->half, board->eight > 0 ? board->eight : fp8_over_half * board->half, true};
  }
  // A third party's largest product is 5 to 7 % above what A100 and H100 sustain in a step.
  constexpr double step_over_ceiling = 0.93;
  double half = architecture.half;
  if (gpu.measured_bf16.value > 0 && peak > 0) {
    half = step_over_ceiling * gpu.measured_bf16.value / peak;
  } else if (architecture.rule > 0 && gpu.power_watts > 0 && peak > 0) {
    half = architecture.rule * power_rule(gpu, peak);
  }
  double eight = fp8_over_half * half;
  if (gpu.measured_fp8.value > 0 && gpu.fp8.value > 0) {
    eight = step_over_ceiling * gpu.measured_fp8.value / gpu.fp8.value;
  }
  return {half, eight, false};
}

/// Matrix products run at the board's limit, so a lower one slows them by the same rule. Attention and passes over
/// memory draw less (aiconfigurator's power-logged runs: within 3 %).
double capped_speed(const Cluster& cluster) {
  const double cap = cluster.power_cap_watts, full = cluster.gpu.power_watts;
  return cap > 0 && full > 0 && cap < full ? cube_root(cap / full) : 1;
}

void set_compute(const Cluster& cluster, const Architecture& architecture, Profile& p) {
  const Gpu& gpu = cluster.gpu;
  const bool has_both = gpu.bf16.value > 0 && gpu.fp16.value > 0;
  const double peak = gpu.bf16.value > 0 ? gpu.bf16.value : gpu.fp16.value;
  p.fp16_speed = has_both ? gpu.fp16.value / gpu.bf16.value : 1;
  const MatmulShares shares = matmul_shares(gpu, architecture, peak);
  const double fp32 = 0.9 * gpu.fp32.value;  // V100 .98, A100 and H100 without TF32 .8 to 1 (NeuSight)
  const double speed = capped_speed(cluster);
  p.matmul_fp32 = {fp32};
  p.matmul_tf32 = {std::max(shares.half * gpu.tf32.value, fp32)};
  p.matmul_16bit = {peak > 0 ? speed * shares.half * peak : fp32};
  p.matmul_fp8 = {gpu.fp8.value > 0 ? speed * shares.eight * gpu.fp8.value : p.matmul_16bit.value};
  // 0.7 to 0.8 of the 16-bit share (kernels of B200, B300, GB200 and RTX PRO 6000 in aiconfigurator's tables).
  constexpr double fp4_over_half = 0.75;
  p.matmul_fp4 = {gpu.fp4.value > 0 ? speed * fp4_over_half * shares.half * gpu.fp4.value : p.matmul_fp8.value};
  p.multiprocessors = static_cast<double>(gpu.multiprocessors);
  p.tiles = tiles_of(architecture.tiles);
  p.gemm_depth = 260;         // fitted; pipelines are four to eight stages of 32 to 64 deep
  p.fp8_depth_factor = 1.65;  // fitted
  p.misaligned_slowdown = 1.1;

  // A part with little compute for its bandwidth (H20) feeds attention as well as the A100 does.
  const bool starved = gpu.hbm.value > 0 && peak / gpu.hbm.value < 60;
  const double forward = starved ? std::max(architecture.flash_forward, 0.60) : architecture.flash_forward;
  const double backward = starved ? std::max(architecture.flash_backward, 0.50) : architecture.flash_backward;
  const double attention_peak = peak > 0 ? peak : gpu.fp32.value;
  p.flash_forward = {forward * attention_peak};
  p.flash_backward = {backward * attention_peak};
  p.flash1_speed = 0.55;  // Dao 2023, arXiv:2307.08691 figure 4, causal, width 128, 2k to 16k: 1.7 to 1.9 times slower
  p.triton_speed = architecture.triton;
  p.flash_half_sequence = 850;                          // fitted
  p.unfused_attention = {0.63 * p.matmul_16bit.value};  // batched products of s x s x d; fitted on A100 GPT rows
  p.misaligned_heads = 0.06;  // about 10 TFLOP/s on A100: BLOOM trials with heads of 450, 150, 108

  p.hbm = 0.81 * gpu.hbm;            // fitted; STREAM-like kernels reach 0.79 to 0.89 (NeuSight, BabelStream)
  p.accumulation_bytes = 8;          // write 2, read 4 and write 2 to add: torch autograd
  p.fused_accumulation_bytes = 1.6;  // fitted; Megatron gradient accumulation fusion
  p.fp8_cast_forward = 2.4;          // 0.6 of read 2, write two copies of 1: Transformer Engine
  p.fp8_cast_backward = 3.36;
  if (!shares.measured) {
    p.time_low = 0.75;
    p.time_high = 1.35;
  }
}

/// Host time of a layer: about 10 us for each PyTorch call (40 to 80 in an eager layer), Transformer Engine's Python
/// modules 100 to 200 us each. A mixture layer waits for its routing to reach the host (Moonlight on H100: 17 ms).
void set_host(Profile& p) {
  constexpr double ms = 1e-3;
  p.launch = {2.5e-6};
  p.host[static_cast<std::size_t>(Kernels::fused)] = {{1.2 * ms}, {1.9 * ms}};
  p.host[static_cast<std::size_t>(Kernels::eager)] = {{0.4 * ms}, {0.7 * ms}};
  p.host[static_cast<std::size_t>(Kernels::compiled)] = {{0.15 * ms}, {0.25 * ms}};
  p.moe_host = {{4 * ms}, {7 * ms}};
  p.graph_host = {{0.15 * ms}, {0.25 * ms}};
  p.moe_graph_host = {{1.5 * ms}, {3 * ms}};
  p.collective_host = {150e-6};
}

bool is_pcie(const Cluster& cluster) {
  const std::string_view topology = cluster.intra_topology;
  return topology.substr(0, 4) == "pcie" || (topology.empty() && cluster.gpu.nvlink.value == 0);
}

void set_links(const Cluster& cluster, const Architecture& architecture, Profile& p) {
  constexpr double us = 1e-6;
  p.intra = {.ring = architecture.ring,
             .in_switch = cluster.intra_topology == "nvswitch" ? architecture.in_switch : 0,
             .base = {architecture.base * us},
             .hop = {architecture.hop * us}};
  if (is_pcie(cluster)) {
    // With peer-to-peer (2 to 4 L40S) and through host memory (2 x 2080 Ti), one log each.
    const bool host_path = cluster.intra_topology == "pcie-host-bridge";
    p.intra = {.ring = host_path ? 0.26 : 0.64, .base = {(host_path ? 10 : 5) * us}, .hop = {0.67 * us}, .pcie = true};
  }
  if (cluster.intra.latency.value > 0) p.intra.hop = cluster.intra.latency;

  const Network& network = network_of(cluster);
  const bool newer = architecture.in_switch > 0;
  p.inter = {.ring = network.ring,
             .all_to_all = network.all_to_all,
             .two_node_tree = newer ? 0.95 : 0.87,
             .tree_link_share = newer ? 0.0 : 0.60,
             .hop = {network.hop * us},
             .protocol_step = {network.protocol_step * us},
             .peer = {network.peer * us}};
  if (cluster.inter.latency.value > 0) p.inter.hop = cluster.inter.latency;
  p.network_share = 0.79;  // fitted: steps reach 0.75 of line rate where nccl-tests alone reach 0.95
}

/// Fitted on published steps: llm-foundry on H100 pins the cost of overlap to 0.4 to 0.6; NeMo and Megatron rows the
/// hidden shares; InternEvo and NeMo long-context rows the ring.
void set_overlap(Profile& p) {
  p.overlap_cost = 0.5;
  p.overlap_window = 0.8;
  p.tensor_hidden_all_reduce = 0.5;
  p.tensor_hidden_sequence = 0.63;
  p.tensor_hidden_forward = 0.64;
  p.tensor_hidden_backward = 0.70;
  p.context_hidden = 0.9;
  p.context_step = {20e-6};
}

void set_overhead(const Cluster& cluster, const Architecture& architecture, Profile& p) {
  // Reserved over allocated: 1.03 to 1.10 in steady runs; SimuMax divides by 0.94.
  p.overhead.allocator_slack = 0.06;
  // Before it gives up, PyTorch frees all cached blocks and tries again: runs of fms-acceleration reach 96 % of the
  // card.
  p.overhead.least_slack = 0.02;
  p.overhead.context = architecture.context_gib * gibibyte;
  p.overhead.cublas_workspace = architecture.workspace_mib * mebibyte;
  p.overhead.te_workspace = architecture.te_workspace_mib * mebibyte;
  // LL 0.5, LL128 4.69 and Simple 4 MiB (NCCL src/init.cc), in pages of 2 MiB.
  p.overhead.per_channel_connection = 10.0 * mebibyte;
  p.overhead.channels = is_pcie(cluster) ? 2 : architecture.channels;
}

/// Ranks on processors: a product is its FLOPs, the host is the device, and MPI moves messages only in its own calls,
/// so nothing hides. All rates are to be measured.
void set_cpu(Profile& p) {
  p.tiles.fill({1, 1, 1});
  p.multiprocessors = 0;
  p.gemm_depth = 16;
  p.misaligned_slowdown = 1;
  p.flash_forward = p.flash_backward = {0.3 * p.matmul_fp32.value};
  p.flash_half_sequence = 0;
  p.accumulation_bytes = p.fused_accumulation_bytes = 0;  // the product adds to what is there
  p.launch = {1e-6};
  p.host = {};
  p.graph_host = p.moe_host = p.moe_graph_host = {};
  p.collective_host = {};
  p.network_share = 1;
  p.overlap_cost = 1;
  p.overlap_window = 0;
  p.tensor_hidden_all_reduce = p.tensor_hidden_sequence = p.tensor_hidden_forward = p.tensor_hidden_backward = 0;
  p.context_hidden = 0;
  p.fixed_per_step = p.fixed_with_graphs = {100e-6};
  p.overhead = {};
}

}  // namespace

Profile default_profile(const Cluster& cluster) {
  Profile p;
  const Architecture& architecture = architecture_of(cluster.gpu);
  set_compute(cluster, architecture, p);
  set_host(p);
  set_links(cluster, architecture, p);
  set_overlap(p);
  set_overhead(cluster, architecture, p);
  // A loop in Python: data, logging, optimizer launch. Several GPUs also wait for each other.
  p.fixed_per_step = {cluster.gpus > 1 ? 20e-3 : 5e-3};
  p.fixed_with_graphs = {5e-3};  // MLPerf submissions
  if (cluster.gpu.is_cpu()) set_cpu(p);
  return p;
}

}  // namespace meshgauge
