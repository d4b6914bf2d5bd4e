// Single kernels: the blocks of gemm.cpp at the clock of a cool chip, flash attention by rows of queries, passes over
// memory.
#include "core/price/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "core/price/kernel_table.hpp"
#include "core/price/profile.hpp"

namespace meshgauge {
namespace {

using hardware::AttentionTiming;
using hardware::ProductKernel;

constexpr double us = 1e-6;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

double peak_of(const Gpu& gpu, MatmulFormat format) {
  switch (format) {
    case MatmulFormat::fp32:
      return gpu.fp32.value;
    case MatmulFormat::tf32:
      return gpu.tf32.value;
    case MatmulFormat::bf16:
      return gpu.bf16.value;
    case MatmulFormat::fp16:
      return gpu.fp16.value;
    case MatmulFormat::fp8:
      return gpu.fp8.value;
    case MatmulFormat::fp4:
      return gpu.fp4.value;
  }
  return 0;
}

/// How fast a block is fed: its operands are read again for each of its neighbours. `reuse` is the number of operand
/// elements per result at which half of the rate is reached, `depth` what the pipeline of a block needs to fill. Fitted
/// with the rows of product_kernels; on those left out it takes 1.0 to 1.6 points off the error of each GPU.
struct Feeding {
  double reuse, depth;
};
Feeding feeding_of(std::string_view architecture) {
  if (architecture == "Hopper") return {5, 160};
  if (architecture == "Blackwell" || architecture == "Blackwell Ultra") return {8, 25};
  if (architecture == "Volta" || architecture == "Pascal") return {12, 180};
  if (architecture == "CDNA" || architecture == "CDNA2") return {12, 300};
  if (starts_with(architecture, "CDNA")) return {45, 300};
  return {45, 125};
}

/// Blocks that libraries choose from, each with its speed over that of 256 x 128.
std::array<Tile, 8> tiles_of(double reuse) {
  std::array<Tile, 8> tiles{{{256, 128, 1},
                             {128, 256, 1},
                             {128, 128, 1},
                             {128, 64, 1},
                             {64, 128, 1},
                             {256, 64, 1},
                             {64, 256, 1},
                             {64, 64, 1}}};
  const auto intensity = [](const Tile& t) { return 2 * t.m * t.n / (t.m + t.n); };
  const double best = intensity(tiles[0]);
  for (Tile& t : tiles) t.speed = intensity(t) / (intensity(t) + reuse) * (best + reuse) / best;
  return tiles;
}

const ProductKernel* row_of(std::string_view gpu, MatmulFormat format, bool block_scaled) {
  const MatmulFormat looked_for = format == MatmulFormat::fp16 ? MatmulFormat::bf16 : format;
  for (const ProductKernel& row : hardware::product_kernels) {
    if (starts_with(gpu, row.gpu) && row.format == looked_for && row.block_scaled == block_scaled) return &row;
  }
  return nullptr;
}

double step_rate(const Gpu& gpu, MatmulFormat format) {
  Cluster cluster;
  cluster.gpu = gpu;
  return matmul_rate(default_profile(cluster), format).value;
}

/// A GPU without measured kernels: 1.2 times what it sustains in a step, which follows from its power (profile.hpp). On
/// the boards of the table that rule alone is 6 to 11 % off (median), 27 % on L40S.
ProductKernel derived(const Gpu& gpu, MatmulFormat format) {
  constexpr double burst_over_step = 1.2, fp32_share = 0.8;
  const double peak = peak_of(gpu, format);
  const double step = step_rate(gpu, format);
  const double share = format == MatmulFormat::fp32 ? fp32_share
                       : peak > 0                   ? std::min(1.0, burst_over_step * step / peak)
                                                    : 1;
  return {gpu.id, format, false, share,
          3,      .7,     .2,    format == MatmulFormat::fp8 || format == MatmulFormat::fp4 ? 7.0 : 0.0};
}

struct Row {
  ProductKernel kernel;
  bool measured;
};

Row product_row(const Gpu& gpu, const KernelCall& call) {
  if (const ProductKernel* row = row_of(gpu.id, call.format, call.block_scaled)) return {*row, true};
  if (const ProductKernel* row = row_of(gpu.id, call.format, false)) return {*row, true};
  if (const ProductKernel* row =
          call.format == MatmulFormat::tf32 ? row_of(gpu.id, MatmulFormat::bf16, false) : nullptr) {
    return {*row, true};
  }
  return {derived(gpu, call.format), false};
}

KernelTime product(const Gpu& gpu, const KernelCall& call) {
  const Row row = product_row(gpu, call);
  const ProductKernel& k = row.kernel;
  const double peak = std::max(peak_of(gpu, call.format), gpu.fp32.value);
  const Feeding feeding = feeding_of(gpu.architecture);
  const std::array<Tile, 8> tiles = tiles_of(feeding.reuse);
  const double processors = gpu.multiprocessors > 0 ? static_cast<double>(gpu.multiprocessors) : 148;
  // Run until it is warm a product has the rate of training steps, which some boards' short tests do not come down to.
  const double burst = k.rate * peak, warm_rate = burst / (1 + k.throttle);
  const double rate = call.sustained ? std::min(warm_rate, step_rate(gpu, call.format)) : burst;
  const ProductSetting setting{.rate = {rate},
                               .memory = k.memory * gpu.hbm,
                               .depth = feeding.depth,
                               .multiprocessors = processors,
                               .misaligned = 1.1,
                               .in_bytes = operand_bytes(call.format),
                               .out_bytes = result_bytes(call.format),
                               .tiles = tiles};
  double seconds = 0;
  if (call.op == KernelOp::grouped_gemm) {
    seconds = grouped_time(setting, call.pass, call.m, call.n, call.k, call.groups).value;
  } else {
    seconds = product_time(setting, call.m, call.n, call.k, call.groups).value;
  }
  // Heat follows work: within some milliseconds the clock falls to what the board's power allows.
  constexpr double warm_up = 3e-3;
  if (!call.sustained) seconds *= 1 + k.throttle * seconds / (seconds + warm_up);
  seconds += k.start_us * us;
  if (call.quantises_input) seconds += k.cast * call.m * call.k / gpu.hbm.value;
  return row.measured ? KernelTime{{seconds}, 0.85, 1.18} : KernelTime{{seconds}, 0.75, 1.40};
}

/// The input's gradient m x k x n and the weight's n x k x m.
KernelTime both_products(const Gpu& gpu, KernelCall call) {
  call.op = KernelOp::gemm;
  const double m = call.m, n = call.n, k = call.k;
  call.n = k;
  call.k = n;
  KernelTime time = product(gpu, call);
  call.m = n;
  call.k = m;
  time.seconds += product(gpu, call).seconds;
  return time;
}

const AttentionTiming* attention_row(const Gpu& gpu, const KernelCall& call) {
  for (const AttentionTiming& row : hardware::attention_timings) {
    if (starts_with(gpu.id, row.gpu) && row.kernel == call.attention && row.paged == call.paged) return &row;
  }
  return nullptr;
}

/// The nearest kernel that was measured: the same GPU, else another GPU with the same kernel, else FlashAttention-2.
const AttentionTiming& nearest_attention(const Gpu& gpu, const KernelCall& call) {
  for (const AttentionTiming& row : hardware::attention_timings) {
    if (starts_with(gpu.id, row.gpu) && row.kernel == call.attention) return row;
  }
  for (const AttentionTiming& row : hardware::attention_timings) {
    if (starts_with(gpu.id, row.gpu) && row.paged == call.paged) return row;
  }
  for (const AttentionTiming& row : hardware::attention_timings) {
    if (row.kernel == call.attention && row.paged == call.paged) return row;
  }
  return hardware::attention_timings[0];
}

/// Straight lines in the logarithm of the width.
double at_width(const std::array<double, 4>& shares, double width) {
  double low = 32;
  for (std::size_t i = 0; i + 1 < shares.size(); ++i, low *= 2) {
    if (width <= 2 * low || i + 2 == shares.size()) {
      const double part = std::clamp((width - low) / low, 0.0, 1.0);
      return shares[i] + (shares[i + 1] - shares[i]) * part;
    }
  }
  return shares.back();
}

/// FlashAttention pads a head to a multiple of 32 and then reads past its end with care: .85 of the speed, .76 to .93
/// on 14 widths of A100.
constexpr double padded_speed = 0.85;

double attention_pass(const Gpu& gpu, const KernelCall& call, const AttentionTiming& row, bool forward) {
  constexpr double backward_over_forward = 0.85, backward_work = 2.5, query_rows = 128, memory_share = 0.8;
  const double width = std::ceil(call.head_width / 32) * 32;
  const double s = call.sequence;
  const double peak = gpu.bf16.value > 0 ? gpu.bf16.value : gpu.fp16.value;
  double share = forward               ? at_width(row.forward, width)
                 : row.backward[0] > 0 ? at_width(row.backward, width)
                                       : backward_over_forward * at_width(row.forward, width);
  if (width > call.head_width) share *= padded_speed;
  if (!forward && call.kv_heads < call.heads) share *= row.grouped;
  constexpr double without_pages = 140;  // what FlashAttention-2 costs on A100
  const double columns = (call.causal ? 0.5 * s : s) + (row.paged && !call.paged ? without_pages : row.columns);
  const double work = 4 * call.batch * call.heads * s * columns * width * (forward ? 1 : backward_work);
  // One block of queries on one multiprocessor is the least; the longest has twice the mean of a causal mask.
  const double processors = gpu.multiprocessors > 0 ? static_cast<double>(gpu.multiprocessors) : 148;
  const double block = work / (call.batch * call.heads * std::ceil(s / query_rows));
  const double longest = (call.causal ? 2 : 1) * block;
  const double compute = std::max(work / processors + block, longest) / (peak / processors * share);
  const double bytes =
      2 * call.batch * s * call.head_width * 2 * (call.heads + call.kv_heads) * (forward ? 1 : backward_work);
  return std::max(compute, bytes / (memory_share * gpu.hbm.value)) + row.start_us * us;
}

KernelTime attention(const Gpu& gpu, const KernelCall& call) {
  const AttentionTiming* measured = attention_row(gpu, call);
  const AttentionTiming& row = measured != nullptr ? *measured : nearest_attention(gpu, call);
  double seconds = 0;
  if (call.op != KernelOp::attention_backward) seconds += attention_pass(gpu, call, row, true);
  if (call.op != KernelOp::attention_forward) seconds += attention_pass(gpu, call, row, false);
  return measured != nullptr ? KernelTime{{seconds}, 0.80, 1.25} : KernelTime{{seconds}, 0.65, 1.60};
}

/// Shares of the datasheet bandwidth. Streaming .79 to .91 (BabelStream; NeuSight on A100, H100, V100, MI100, MI210;
/// Vidur on A40); norms of PyTorch .54 to .62,
/// backward .25. The optimizer: 33 bytes a parameter at .85 and its launches (NeoX
/// FusedAdam on A100, estimate-train-time).
KernelTime memory_bound(const Gpu& gpu, const KernelCall& call) {
  constexpr double streaming = 0.84, norms = 0.57, norms_backward = 0.25, adam_bytes = 33, adam_share = 0.85;
  const double hbm = gpu.hbm.value;
  switch (call.op) {
    case KernelOp::norm:
      return {{10 * us + call.bytes / ((call.pass == ProductPass::forward ? norms : norms_backward) * hbm)}, 0.65, 1.6};
    case KernelOp::optimizer:
      return {{4.4e-3 + call.m * adam_bytes / (adam_share * hbm)}, 0.85, 1.2};
    default:
      return {{3 * us + call.bytes / (streaming * hbm)}, 0.80, 1.3};
  }
}

}  // namespace

KernelTime kernel_time(const Gpu& gpu, const KernelCall& call) {
  switch (call.op) {
    case KernelOp::gemm:
    case KernelOp::grouped_gemm:
      return product(gpu, call);
    case KernelOp::gemm_backward:
      return both_products(gpu, call);
    case KernelOp::attention_forward:
    case KernelOp::attention_backward:
    case KernelOp::attention_both:
      return attention(gpu, call);
    case KernelOp::elementwise:
    case KernelOp::norm:
    case KernelOp::copy:
    case KernelOp::optimizer:
      return memory_bound(gpu, call);
  }
  return {};
}

}  // namespace meshgauge
