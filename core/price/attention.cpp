// The attention core. In fp32 there is no flash attention: its tiles then run at the matrix rate of that format.
#include "core/price/attention.hpp"

#include <algorithm>
#include <cmath>

#include "core/price/gemm.hpp"

namespace meshgauge {
namespace {

/// Rate over that at head width 128, fitted in steps (96: .85, 64: .82, 80: .78); kernels pad widths between, and
/// narrower heads leave the tensor cores idle in proportion.
double width_factor(double width) {
  if (width >= 128) return 1;
  if (width >= 96) return 0.85;
  if (width > 64) return 0.78;
  return 0.82 * std::min(1.0, width / 64);
}

double kernel_speed(const Profile& profile, Attention kernel) {
  switch (kernel) {
    case Attention::flash1:
      return profile.flash1_speed;
    case Attention::triton:
      return profile.triton_speed;
    default:
      return 1;
  }
}

}  // namespace

Seconds attention_time(const Profile& profile, const Training& training, const Op& op, AttentionPass pass) {
  const bool forward = pass == AttentionPass::forward;
  const Flops flops{forward ? op.flops : op.backward_flops};
  const Bytes bytes{forward ? op.bytes : op.backward_bytes};
  const bool wide = activation_bytes(training.precision) > 2;
  const FlopsPerSecond products = matmul_rate(profile, matmul_format(training.precision, false));
  const double half_speed = training.precision == Precision::fp16 ? profile.fp16_speed : 1;
  if (training.attention == Attention::unfused) {
    FlopsPerSecond rate = wide ? 0.63 * products : half_speed * profile.unfused_attention;
    rate = rate * std::sqrt(std::min(1.0, op.k / 128));
    if (std::floor(op.k / 8) * 8 != op.k) rate = rate * profile.misaligned_heads;
    return flops / rate + bytes / profile.hbm;
  }
  const auto s = static_cast<double>(training.sequence_length);
  const double fill = s / (s + profile.flash_half_sequence);
  const FlopsPerSecond half = half_speed * kernel_speed(profile, training.attention) *
                              (forward ? profile.flash_forward : profile.flash_backward);
  const FlopsPerSecond peak = wide ? min(half, 0.5 * products) : half;
  return flops / (peak * fill * width_factor(op.k));
}

}  // namespace meshgauge
