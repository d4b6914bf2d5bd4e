// What measurements say of each GPU, architecture and network: one row each, with its source.
#pragma once

#include <array>
#include <string_view>

namespace meshgauge::hardware {

enum class TileSet { ampere, hopper, blackwell, volta };

/// Rates as shares of the dense datasheet peak, latencies in microseconds.
struct Architecture {
  std::string_view name;
  TileSet tiles;
  double rule;  ///< factor on the power rule for boards without a row of their own; 0: `half` is used
  double half;  ///< sustained 16-bit products, when the power rule cannot be used
  double flash_forward, flash_backward;
  double triton;                      ///< rate of Triton's flash attention over that
  double ring, in_switch, base, hop;  ///< collectives in a node
  double channels;                    ///< NCCL channels over the architecture's own links
  double context_gib;                 ///< driver context and loaded modules
  double workspace_mib;               ///< PyTorch's cuBLAS workspace
  double te_workspace_mib;            ///< Transformer Engine's
};

/// Flash attention in a step, head width 128: fitted by us on llm-foundry (512 to 65k tokens), NeMo (to 1M) and
/// SimuMax tables: A100 FlashAttention-2 .53/.45, H100 .42/.34 (FlashAttention-2 and cuDNN alike), B200 cuDNN .51/.37.
/// Elsewhere kernel benchmarks (aiconfigurator, HipKittens) times .8, the ratio seen on those three.
/// Triton's of 2023: fitted on llm-foundry's tables, A100 .43/.35, H100 .21/.16, where it uses Ampere's instructions;
/// elsewhere the ratio of the nearer of the two.
/// Links: fitted by us on nccl-tests, vTrain, aiconfigurator tables (Ampere 51, Hopper 37, Blackwell 50 series); others
/// take their mean. Channels: NVLink count times two (NCCL src/graph/search.cc); issue nccl #964: 544 MB for two A100.
/// Context: stas00/ml-engineering training/performance. Workspaces: PyTorch CUDABlas.cpp takes 32 MiB on sm90 and sm100
/// and 8.1 MiB elsewhere (:4096:2:16:8), Transformer Engine module/base.py 32 MiB on sm90 and later and 4 MiB before.
inline constexpr std::array architectures{
    Architecture{"Pascal", TileSet::volta, 0, .85, .25, .20, .80, .77, 0, 6.6, 1.1, 8, .35, 8.125, 0},
    Architecture{"Volta", TileSet::volta, 0, .80, .30, .25, .80, .77, 0, 6.6, 1.1, 12, .40, 8.125, 0},
    Architecture{"Turing", TileSet::volta, .7, .55, .30, .25, .80, .77, 0, 6.6, 1.1, 2, .35, 8.125, 0},
    Architecture{"Ampere", TileSet::ampere, .95, .76, .53, .45, .80, .72, 0, 8.5, 1.2, 24, .50, 8.125, 4},
    Architecture{"Ada", TileSet::ampere, .7, .51, .46, .38, .80, .72, 0, 8.5, 1.2, 2, .50, 8.125, 4},
    Architecture{"Hopper", TileSet::hopper, 1, .70, .42, .34, .48, .80, 1.12, 4.8, .92, 24, .60, 32, 32},
    Architecture{"Blackwell", TileSet::blackwell, 1, .55, .51, .37, .48, .785, .94, 6.9, 1.37, 24, .75, 32, 32},
    Architecture{"Blackwell Ultra", TileSet::blackwell, 1, .59, .51, .37, .48, .785, .94, 6.9, 1.37, 24, .75, 32, 32},
    Architecture{"Blackwell (GB202)", TileSet::ampere, .95, .75, .53, .42, .80, .72, 0, 8.5, 1.2, 4, .60, 8.125, 32},
    Architecture{"CDNA", TileSet::ampere, .82, .60, .25, .20, .80, .77, 0, 6.6, 1.1, 12, .80, 32, 0},
    Architecture{"CDNA2", TileSet::ampere, .82, .66, .30, .25, .80, .77, 0, 6.6, 1.1, 16, .80, 32, 0},
    Architecture{"CDNA3", TileSet::ampere, .82, .51, .35, .28, .80, .705, 0, 6.6, 1.1, 28, .90, 32, 0},
    Architecture{"CDNA4", TileSet::ampere, .95, .60, .42, .34, .80, .705, 0, 6.6, 1.1, 28, .90, 32, 0},
    Architecture{"Gaudi 2", TileSet::ampere, 0, .85, .45, .35, .80, .77, 0, 20, 2, 0, .50, 0, 0},
    Architecture{"Gaudi 3", TileSet::ampere, 0, .61, .40, .32, .80, .77, 0, 20, 2, 0, .50, 0, 0},
    Architecture{"Da Vinci", TileSet::ampere, 0, .60, .35, .30, .80, .70, 0, 20, 2, 0, .50, 0, 0},
    Architecture{"TPU", TileSet::ampere, 0, .70, .45, .35, .80, .85, 0, 2, 1, 0, .30, 0, 0},
};
inline constexpr Architecture unknown_architecture{
    "", TileSet::ampere, .85, .60, .35, .30, .80, .77, 0, 6.6, 1.1, 8, .60, 32, 0};

/// Sustained matrix products in a training step, as a share of the datasheet peak.
struct Board {
  std::string_view id;
  double half, eight;  ///< 16-bit, fp8; 0: half times .9 for fp8
};

/// "fit": one factor per GPU fitted on published training steps (time of llm-foundry, vTrain, BLOOM, MLPerf, NeMo,
/// DGX Cloud, SimuMax, torchtitan rows). "kernel": fitted on measured kernels with the power limit counted in.
inline constexpr std::array boards{
    Board{"v100-sxm2-16gb", .806, 0},  // DeepBench fp16 .90; BigScience V100 steps, medium-low quality
    Board{"v100-sxm2-32gb", .806, 0},
    Board{"a100-sxm-40gb", .826, 0},  // fit, 43 steps on 8 to 128 GPUs: 258 TFLOP/s
    Board{"a100-sxm-80gb", .826, 0},  // fit, 307 steps on 8 to 512 GPUs
    Board{"a800-sxm-80gb", .826, 0},  // the A100's chip
    Board{"a100-pcie-40gb", .76, 0},  // kernel, Transformer Engine loops at 300 W
    Board{"a100-pcie-80gb", .76, 0},
    Board{"a10", .57, 0},                 // power rule times .7: a 150 W board with GDDR6
    Board{"a40", .76, 0},                 // kernel, Vidur
    Board{"l40s", .51, .40},              // kernel, aiconfigurator
    Board{"h100-sxm-80gb", .747, .695},   // fit, 94 steps on 8 to 10,752 GPUs: 739 and 1375 TFLOP/s
    Board{"h100-sxm-96gb", .52, .46},     // fit, 8 steps of torchtitan: 500 W and HBM2e
    Board{"h800-sxm-80gb", .747, .695},   // the H100's chip
    Board{"h200-sxm-141gb", .747, .712},  // the H100's chip; fp8 matmul ceiling 1453 times .97
    Board{"gh200-96gb", .78, .74},        // ceiling 829 (stas00/ml-engineering) times .93
    Board{"gh200-144gb", .78, .74},
    Board{"b200-sxm-180gb", .512, .656},        // fit, 25 steps of SimuMax (bf16), MLPerf, NeMo (fp8)
    Board{"gb200-186gb", .554, .600},           // fit, 10 steps
    Board{"b300-sxm-270gb", .59, .60},          // kernel, aiconfigurator
    Board{"gb300-288gb", .592, .70},            // fit, 2 steps and 4 partly described ones
    Board{"rtx-pro-6000-blackwell", .78, .72},  // kernel
    Board{"mi210", .66, 0},                     // kernel, bf16
    Board{"mi300x", .51, .45},                  // hipBLASLt 2024
    Board{"mi325x", .58, .52},                  // sustained plateau, HipKittens
    Board{"mi355x", .62, .66},                  // sustained plateau, HipKittens
};

/// Collectives between nodes. Rates over the NIC rate, latencies in microseconds.
struct Network {
  std::string_view type;
  double hop, protocol_step, ring, peer, all_to_all;
};

/// Fitted by us on nccl-tests logs: InfiniBand 6 logs, RoCE 8, Slingshot 6, EFA 5, TCPX and TCPXO one each, sockets 3.
/// Omni-Path: BLOOM on Jean Zay moved a quarter of the nominal rate in its steps (BigScience chronicles). EFA of the
/// first generation (p4d, 4 x 100 Gb/s) is told apart by its rate.
inline constexpr std::array networks{
    Network{"IB", 8, 31, .95, 6, .83},           Network{"RoCE", 8, 28, .93, 8, .72},
    Network{"Slingshot", 9, 60, .93, 12.5, .40}, Network{"EFA", 28, 48, .94, 8, .72},
    Network{"EFA v1", 70, 42, .94, 8, .72},      Network{"TCPXO", 64, 33, .94, 8, .72},
    Network{"TCPX", 240, 40, .75, 8, .60},       Network{"OPA", 9, 40, .33, 8, .25},
    Network{"Ethernet", 30, 20, .60, 16, .40},
};
inline constexpr Network unknown_network{"", 9, 40, .93, 8, .72};

}  // namespace meshgauge::hardware
