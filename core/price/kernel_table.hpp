// What benchmarks of single kernels say of each GPU: one row each, with its source.
#pragma once

#include <array>
#include <string_view>

#include "core/price/kernel.hpp"

namespace meshgauge::hardware {

/// Matrix products alone. Fitted by us on kernel tables with whole families of shapes left out (3 to 6 % median error
/// on those for 16 bits, 8 to 13 % for fp8 and fp4): ai-dynamo/aiconfigurator @095f58a5, microsoft/vidur @7d475133,
/// MooreThreads/SimuMax @4dcaae51, baidu-research/DeepBench @da81ba78, ROCm/hipBLASLt @7d9fb683,
/// HazyResearch/HipKittens
/// @f09e9685, Azure/AI-benchmarking-guide @8fd0c6e1. Ranges over the GPUs stand in brackets.
struct ProductKernel {
  std::string_view gpu;
  MatmulFormat format;  ///< bf16 stands for fp16 too
  bool block_scaled;
  double rate;      ///< of a cool chip over the datasheet peak [.39, 1.05]
  double start_us;  ///< fixed [.7, 36]
  double memory;    ///< over the datasheet bandwidth [.31, 1]
  double throttle;  ///< slower by this once kernels are long: the power limit [0, .6]
  double cast;      ///< bytes per element of a 16-bit operand that the call quantises [2.6, 12]
};

inline constexpr auto half = MatmulFormat::bf16;
inline constexpr auto eight = MatmulFormat::fp8;
inline constexpr auto four = MatmulFormat::fp4;
inline constexpr std::array product_kernels{
    ProductKernel{"v100-sxm2", half, false, .919, 15.9, .74, .017, 0},
    ProductKernel{"v100", MatmulFormat::fp32, false, 1.0, 5, .70, .03, 0},
    ProductKernel{"a100", MatmulFormat::fp32, false, 1.0, 5, .70, .03, 0},
    ProductKernel{"a100-sxm", half, false, .885, 4.0, .64, .087, 0},
    ProductKernel{"a800-sxm", half, false, .885, 4.0, .64, .087, 0},
    ProductKernel{"a100-pcie", half, false, .791, 7.6, .70, .046, 0},
    ProductKernel{"a40", half, false, .874, 2.4, .71, .144, 0},
    ProductKernel{"l40s", half, false, .697, .7, .85, .355, 0},
    ProductKernel{"l40s", eight, false, .644, 5.3, .98, .60, 4.3},
    ProductKernel{"h100-sxm", half, false, .856, 2.7, .76, .194, 0},
    ProductKernel{"h100-sxm", eight, false, .793, 9.0, .65, .271, 7.4},
    ProductKernel{"h100-sxm", eight, true, .788, 7.6, .69, .243, 9.6},
    ProductKernel{"h800-sxm", half, false, .856, 2.7, .76, .194, 0},
    ProductKernel{"h800-sxm", eight, false, .793, 9.0, .65, .271, 7.4},
    ProductKernel{"h800-sxm", eight, true, .788, 7.6, .69, .243, 9.6},
    ProductKernel{"gh200", half, false, .856, 2.7, .76, .194, 0},  // the H100's chip: 6.9 % on rows left out
    ProductKernel{"gh200", eight, false, .793, 9.0, .65, .271, 7.4},
    ProductKernel{"h200-sxm", half, false, .861, 2.7, .68, .269, 0},
    ProductKernel{"h200-sxm", eight, false, .781, 11, .57, .194, 7.9},
    ProductKernel{"h200-sxm", eight, true, .777, 6.8, .88, .246, 11.7},
    ProductKernel{"b200-sxm", half, false, .711, 2.2, .61, .175, 0},
    ProductKernel{"b200-sxm", eight, false, .643, 12, .43, .265, 6.6},
    ProductKernel{"b200-sxm", eight, true, .764, 14, .36, .60, 11.1},
    ProductKernel{"b200-sxm", four, false, .541, 9, .68, .277, 5.2},
    ProductKernel{"b300-sxm", half, false, .783, 2.1, .69, .328, 0},
    ProductKernel{"b300-sxm", eight, false, .684, 14, .82, .179, 6.4},
    ProductKernel{"b300-sxm", eight, true, .826, 15, .44, .587, 11.8},
    ProductKernel{"b300-sxm", four, false, .392, 9, .31, .10, 4.8},
    ProductKernel{"gb200", half, false, .705, 2.4, .71, .295, 0},
    ProductKernel{"gb200", eight, false, .612, 14, .66, .048, 6.9},
    ProductKernel{"gb200", eight, true, .665, 16, .39, .229, 10.9},
    ProductKernel{"gb200", four, false, .525, 7, .43, .156, 5.0},
    ProductKernel{"gb300", half, false, .783, 2.1, .69, .328, 0},  // the B300's chip
    ProductKernel{"gb300", eight, false, .684, 14, .82, .179, 6.4},
    ProductKernel{"gb300", eight, true, .826, 15, .44, .587, 11.8},
    ProductKernel{"gb300", four, false, .392, 9, .31, .10, 4.8},
    ProductKernel{"rtx-pro-6000", half, false, .859, 1.4, .80, .098, 0},
    ProductKernel{"rtx-pro-6000", eight, false, .872, 10, .90, .213, 4.6},
    ProductKernel{"rtx-pro-6000", four, false, .707, 4, .75, .006, 2.6},
    ProductKernel{"mi210", half, false, .842, 30, .70, .17, 0},
    ProductKernel{"mi210", MatmulFormat::fp32, false, 1.6, 30, .70, .06, 0},  // matrix cores: twice the vector peak
    ProductKernel{"mi300x", half, false, .51, 10, .60, 0, 0},
    ProductKernel{"mi325x", half, false, .58, 15, .60, 0, 0},
    ProductKernel{"mi355x", half, false, .62, 15, .60, 0, 0},
    ProductKernel{"mi355x", eight, false, .66, 15, .60, 0, 0},
};

/// Flash attention alone, by executed FLOPs over the 16-bit peak, at head widths 32, 64, 128 and 256.
struct AttentionTiming {
  std::string_view gpu;
  AttentionKernel kernel;
  bool paged;
  std::array<double, 4> forward, backward;
  double columns;      ///< that each row of queries costs beside its own: prologue, epilogue, the diagonal's waste
  double start_us;     ///< fixed
  double grouped = 1;  ///< speed of the backward of grouped queries over that of one head each
};

/// A100: widths 32 to 256 of DebarghaG/estimate-train-time @1ac4d5e4 and the charts of Dao-AILab/flash-attention
/// @0251105a; H100: the same charts and arXiv:2407.08608; B200 and A100 PCIe with cuDNN: SimuMax; paged prefill:
/// aiconfigurator; MI355X: HipKittens. Where only the forward was measured, the backward reaches .85 of it (.80 to .90
/// on A100, H100 and B200).
inline constexpr std::array attention_timings{
    AttentionTiming{"a100-sxm", AttentionKernel::flash2, false, {.45, .62, .68, .63}, {.41, .53, .61, .43}, 140, 10},
    AttentionTiming{"a100-sxm", AttentionKernel::flash2, true, {.45, .60, .635, .60}, {}, 195, 23},
    AttentionTiming{"a100-sxm", AttentionKernel::trtllm, true, {.35, .45, .50, .50}, {}, 283, 0},
    AttentionTiming{"a100-pcie", AttentionKernel::cudnn, false, {.35, .50, .66, .60}, {.30, .42, .50, .45}, 20, 40},
    AttentionTiming{"h100", AttentionKernel::flash2, false, {.24, .33, .39, .37}, {.21, .29, .34, .31}, 170, 17},
    AttentionTiming{"h100", AttentionKernel::flash3, false, {.35, .51, .72, .87}, {.30, .43, .58, .60}, 219, 37},
    AttentionTiming{"h100", AttentionKernel::cudnn, false, {.30, .42, .64, .65}, {.25, .36, .53, .54}, 170, 14},
    AttentionTiming{"h100", AttentionKernel::flash3, true, {.40, .57, .72, .88}, {}, 590, 9},
    AttentionTiming{"h100", AttentionKernel::trtllm, true, {.32, .46, .60, .63}, {}, 582, 15},
    AttentionTiming{"h200", AttentionKernel::flash3, true, {.37, .52, .66, .79}, {}, 486, 18},
    AttentionTiming{"h200", AttentionKernel::trtllm, true, {.34, .48, .62, .65}, {}, 683, 11},
    AttentionTiming{"b200", AttentionKernel::cudnn, false, {.30, .40, .55, .55}, {.25, .34, .46, .46}, 0, 20},
    AttentionTiming{"b200", AttentionKernel::trtllm, true, {.25, .36, .56, .63}, {}, 950, 12},
    AttentionTiming{"gb200", AttentionKernel::trtllm, true, {.24, .35, .53, .61}, {}, 950, 12},
    AttentionTiming{"b300", AttentionKernel::trtllm, true, {.34, .48, .68, .72}, {}, 1090, 11},
    AttentionTiming{"b300", AttentionKernel::flashinfer, true, {.35, .50, .73, .77}, {}, 606, 11},
    AttentionTiming{"l40s", AttentionKernel::flash2, true, {.34, .48, .58, .57}, {}, 303, 0},
    AttentionTiming{"rtx-pro-6000", AttentionKernel::flash2, true, {.41, .58, .66, .72}, {}, 388, 0},
    AttentionTiming{"mi355x", AttentionKernel::aiter, false, {.20, .28, .52, .52}, {.18, .25, .48, .48}, 323, 27, .31},
};

}  // namespace meshgauge::hardware
