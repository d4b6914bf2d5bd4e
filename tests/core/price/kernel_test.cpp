// Single kernels against published timings, and what sets them apart from those of a step.
#include "core/price/kernel.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Gpu b200() {
  Gpu g = h100();
  g.id = "b200-sxm-180gb";
  g.architecture = "Blackwell";
  g.fp16 = g.bf16 = {2250e12};
  g.fp8 = {4500e12};
  g.fp4 = {9000e12};
  g.hbm = {7700e9};
  g.multiprocessors = 148;
  g.power_watts = 1000;
  return g;
}

KernelCall gemm(MatmulFormat format, double m, double n, double k) {
  KernelCall call;
  call.format = format;
  call.m = m;
  call.n = n;
  call.k = k;
  return call;
}

KernelCall attention(KernelOp op, AttentionKernel kernel, double batch, double heads, double width, double sequence,
                     bool causal) {
  KernelCall call;
  call.op = op;
  call.attention = kernel;
  call.batch = batch;
  call.heads = call.kv_heads = heads;
  call.head_width = width;
  call.sequence = sequence;
  call.causal = causal;
  return call;
}

double seconds(const Gpu& gpu, const KernelCall& call) { return kernel_time(gpu, call).seconds.value; }

constexpr auto forward = KernelOp::attention_forward;
constexpr auto backward = KernelOp::attention_backward;
constexpr auto flash2 = AttentionKernel::flash2;

}  // namespace

TEST_CASE("Products alone take the published time") {
  // ai-dynamo/aiconfigurator @095f58a5, gemm tables of SGLang.
  struct Row {
    Gpu gpu;
    double m, n, k, seconds;
  };
  const std::vector<Row> rows{{a100(), 4096, 4096, 16384, 2.18153e-3}, {a100(), 8192, 6144, 3584, 1.49587e-3},
                              {a100(), 8192, 12288, 65536, 53.869e-3}, {h100(), 4096, 10240, 3584, 0.421968e-3},
                              {h100(), 16384, 6144, 7168, 2.02774e-3}, {h100(), 4096, 51200, 6144, 3.56258e-3},
                              {h100(), 8192, 10240, 7168, 1.67891e-3}};
  double sum = 0;
  for (const Row& row : rows) {
    const double error = seconds(row.gpu, gemm(MatmulFormat::bf16, row.m, row.n, row.k)) / row.seconds - 1;
    INFO(row.m << " x " << row.n << " x " << row.k << ": " << error);
    CHECK(std::fabs(error) < 0.12);
    sum += std::fabs(error);
  }
  CHECK(sum / static_cast<double>(rows.size()) < 0.06);
}

TEST_CASE("A warm chip is slower than a cool one, by what steps show") {
  // Azure/AI-benchmarking-guide: 228 TFLOP/s sustained at 4096 cubed on A100; SimuMax on B200: 1085 at plateau.
  KernelCall warm = gemm(MatmulFormat::bf16, 4096, 4096, 4096);
  const double cool = seconds(a100(), warm);
  warm.sustained = true;
  CHECK(seconds(a100(), warm) > cool);
  CHECK(2 * std::pow(4096.0, 3) / seconds(a100(), warm) == Approx(228e12).epsilon(0.06));
  warm = gemm(MatmulFormat::bf16, 16384, 16384, 16384);
  warm.sustained = true;
  CHECK(2 * std::pow(16384.0, 3) / seconds(b200(), warm) == Approx(1085e12).epsilon(0.08));
}

TEST_CASE("fp8 and fp4 pay for their casts and are still faster") {
  const double half = seconds(b200(), gemm(MatmulFormat::bf16, 8192, 8192, 8192));
  KernelCall eight = gemm(MatmulFormat::fp8, 8192, 8192, 8192), four = gemm(MatmulFormat::fp4, 8192, 8192, 8192);
  CHECK(seconds(b200(), eight) < half);
  CHECK(seconds(b200(), four) < seconds(b200(), eight));
  const double bare = seconds(b200(), eight);
  eight.quantises_input = true;
  CHECK(seconds(b200(), eight) - bare == Approx(6.6 * 8192 * 8192 / 7700e9));
}

TEST_CASE("Experts with few rows are slow") {
  // SimuMax @4dcaae51, Transformer Engine on B200: 256 groups of 128 rows, 7168 x 4096 forward: 4.19 ms.
  KernelCall call = gemm(MatmulFormat::bf16, 128, 4096, 7168);
  call.op = KernelOp::grouped_gemm;
  call.groups = 256;
  call.sustained = true;
  CHECK(seconds(b200(), call) == Approx(4.19005e-3).epsilon(0.15));
  double before = seconds(b200(), call);
  for (const ProductPass pass : {ProductPass::input_gradient, ProductPass::weight_gradient}) {
    call.pass = pass;
    CHECK(seconds(b200(), call) > before);
    before = seconds(b200(), call);
  }
  KernelCall one = call;
  one.m = 128.0 * 256;
  one.groups = 1;
  CHECK(seconds(b200(), call) > 2 * seconds(b200(), one));
}

TEST_CASE("Attention alone takes the time of the charts") {
  // Dao-AILab/flash-attention @0251105a: A100 forward and backward in TFLOP/s, 16k tokens, hidden size 2048.
  const auto rate = [](double width, double s, bool causal) {
    const double batch = 16384 / s, heads = 2048 / width;
    const double flops = 3.5 * 4 * batch * heads * s * s * width * (causal ? 0.5 : 1);
    return flops / seconds(a100(), attention(KernelOp::attention_both, flash2, batch, heads, width, s, causal)) / 1e12;
  };
  CHECK(rate(64, 2048, false) == Approx(162).epsilon(0.12));
  CHECK(rate(64, 16384, true) == Approx(171).epsilon(0.12));
  CHECK(rate(128, 1024, true) == Approx(133).epsilon(0.15));
  CHECK(rate(128, 8192, false) == Approx(201).epsilon(0.12));
  // arXiv:2407.08608: FlashAttention-3 on H100, forward, width 128, 16k: 648 TFLOP/s causal.
  const double causal = 4 * 16.0 * 16384 * 16384 * 128 / 2;
  CHECK(causal / seconds(h100(), attention(forward, AttentionKernel::flash3, 1, 16, 128, 16384, true)) ==
        Approx(648e12).epsilon(0.12));
}

TEST_CASE("Padded heads, few heads and the backward cost more") {
  const double whole = seconds(a100(), attention(forward, flash2, 4, 32, 96, 4096, true));
  CHECK(seconds(a100(), attention(forward, flash2, 4, 32, 80, 4096, true)) > whole);
  const double many = seconds(a100(), attention(forward, flash2, 8, 32, 128, 4096, true)) / 256;
  CHECK(seconds(a100(), attention(forward, flash2, 1, 1, 128, 4096, true)) > 5 * many);
  CHECK(seconds(a100(), attention(backward, flash2, 4, 32, 128, 4096, true)) >
        2.5 * seconds(a100(), attention(forward, flash2, 4, 32, 128, 4096, true)));
}

TEST_CASE("Kernels bound by memory take their bytes") {
  // NeuSight on A100 PCIe: 1.69 TB/s of 1.94 for an addition of 5 GB; BabelStream on A100 SXM: 1.61 for a copy.
  KernelCall call;
  call.op = KernelOp::elementwise;
  call.bytes = 4.29e9;
  CHECK(call.bytes / seconds(a100(), call) == Approx(1.66e12).epsilon(0.06));
  call.op = KernelOp::norm;
  const double norm = seconds(a100(), call);
  call.pass = ProductPass::input_gradient;
  CHECK(seconds(a100(), call) > 2 * norm);
}

TEST_CASE("GPUs without a row follow from the datasheet, with a wider range") {
  Gpu unknown = h100();
  unknown.id = "no-such-board";
  const KernelTime derived = kernel_time(unknown, gemm(MatmulFormat::bf16, 8192, 8192, 8192));
  const KernelTime measured = kernel_time(h100(), gemm(MatmulFormat::bf16, 8192, 8192, 8192));
  // The rule is 6.6 % off on H100 itself (median).
  CHECK(derived.seconds.value == Approx(measured.seconds.value).epsilon(0.15));
  CHECK(derived.low < measured.low);
  CHECK(derived.high > measured.high);
  for (const MatmulFormat format :
       {MatmulFormat::fp32, MatmulFormat::tf32, MatmulFormat::fp16, MatmulFormat::fp8, MatmulFormat::fp4}) {
    const double time = seconds(unknown, gemm(format, 4096, 4096, 4096));
    CHECK(time > 0);
    CHECK(time < 1);
  }
  const KernelTime core = kernel_time(unknown, attention(forward, flash2, 4, 32, 128, 4096, true));
  CHECK(core.seconds.value > 0);
  CHECK(core.high > 1.5);
}

}  // namespace meshgauge
