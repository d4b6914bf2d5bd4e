// Matrix products against published kernel timings, and the effects of shape.
#include "core/price/gemm.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

const Profile& a100_profile() {
  static const Profile p = default_profile(dgx_a100(8));
  return p;
}
const Profile& h100_profile() {
  static const Profile p = default_profile(dgx_h100(8));
  return p;
}

double rate(const Profile& p, MatmulFormat format, double m, double n, double k) {
  return 2 * m * n * k / gemm_time(p, format, m, n, k).value;
}

}  // namespace

TEST_CASE("Products of training size take the published time") {
  // ai-dynamo/aiconfigurator @095f58a5, gemm_perf tables of SGLang; microsoft/vidur @7d475133, compute profiles.
  struct Row {
    const Profile& profile;
    double m, n, k, seconds;
  };
  const std::vector<Row> rows{
      {a100_profile(), 4096, 4096, 16384, 2.18153e-3},  {a100_profile(), 8192, 6144, 3584, 1.49587e-3},
      {a100_profile(), 8192, 12288, 65536, 53.869e-3},  {a100_profile(), 16384, 12288, 16384, 26.0611e-3},
      {a100_profile(), 4096, 51200, 10240, 17.285e-3},  {a100_profile(), 4096, 12288, 8192, 3.5385e-3},
      {h100_profile(), 4096, 10240, 3584, 0.421968e-3}, {h100_profile(), 8192, 5120, 51200, 5.7857e-3},
      {h100_profile(), 16384, 6144, 7168, 2.02774e-3},  {h100_profile(), 4096, 51200, 6144, 3.56258e-3},
      {h100_profile(), 8192, 10240, 7168, 1.67891e-3},  {h100_profile(), 4096, 10240, 8192, 0.9815e-3}};
  double sum = 0;
  for (const Row& r : rows) {
    const double error = gemm_time(r.profile, MatmulFormat::bf16, r.m, r.n, r.k).value / r.seconds - 1;
    INFO(r.m << " x " << r.n << " x " << r.k << ": " << error);
    CHECK(error > -0.10);
    CHECK(error < 0.16);
    sum += error > 0 ? error : -error;
  }
  CHECK(sum / static_cast<double>(rows.size()) < 0.07);
}

TEST_CASE("One tile more than a wave costs another wave") {
  // 108 multiprocessors, tiles of 256 x 128, depth too small to split: 12 x 9 tiles fill one wave exactly.
  const double full = gemm_time(a100_profile(), MatmulFormat::bf16, 12 * 256, 9 * 128, 512).value;
  const double more = gemm_time(a100_profile(), MatmulFormat::bf16, 12 * 256 + 1, 9 * 128, 512).value;
  CHECK(more > 1.15 * full);
}

TEST_CASE("Deep products come closer to the sustained rate") {
  const double shallow = rate(h100_profile(), MatmulFormat::bf16, 8192, 8448, 512);
  const double deep = rate(h100_profile(), MatmulFormat::bf16, 8192, 8448, 16384);
  CHECK(deep > 1.3 * shallow);
  CHECK(deep < h100_profile().matmul_16bit.value);
}

TEST_CASE("A narrow product is bound by its bytes") {
  const double n = 16384, k = 16384;
  const double bytes = 2 * (k + k * n + n);
  CHECK(gemm_time(h100_profile(), MatmulFormat::bf16, 1, n, k).value >= bytes / h100_profile().hbm.value);
}

TEST_CASE("fp8 doubles large products at most and misaligned ones are slower") {
  const double half = gemm_time(h100_profile(), MatmulFormat::bf16, 8192, 8192, 8192).value;
  const double eight = gemm_time(h100_profile(), MatmulFormat::fp8, 8192, 8192, 8192).value;
  CHECK(eight < half);
  CHECK(eight > half / 2);
  CHECK(gemm_time(h100_profile(), MatmulFormat::bf16, 8192, 8190, 8192).value > half);
}

TEST_CASE("Grouped products share their waves but not their tiles") {
  const double one = gemm_time(h100_profile(), MatmulFormat::bf16, 4096, 4096, 4096).value;
  const double groups = gemm_time(h100_profile(), MatmulFormat::bf16, 512, 4096, 4096, 8).value;
  CHECK(groups >= one);  // same work, no better packing
  const double tiny = gemm_time(h100_profile(), MatmulFormat::bf16, 16, 4096, 4096, 256).value;
  CHECK(tiny > 2 * one);  // 16 of 64 rows of each tile are used
  CHECK(gemm_time(h100_profile(), MatmulFormat::bf16, 0, 4096, 4096).value == 0);
}

TEST_CASE("The recipe's format reaches layers only") {
  CHECK(matmul_format(Precision::fp8, true) == MatmulFormat::fp8);
  CHECK(matmul_format(Precision::fp8, false) == MatmulFormat::bf16);
  CHECK(matmul_format(Precision::tf32, true) == MatmulFormat::tf32);
  CHECK(matmul_format(Precision::fp32, true) == MatmulFormat::fp32);
  CHECK(matmul_format(Precision::pure_bf16, true) == MatmulFormat::bf16);
}

TEST_CASE("Without a known number of multiprocessors there are no waves") {
  Profile p = h100_profile();
  p.multiprocessors = 0;
  p.hbm = {1e18};  // nothing bound by bytes
  const double one = gemm_time(p, MatmulFormat::bf16, 256, 128, 4096).value;
  CHECK(gemm_time(p, MatmulFormat::bf16, 256 * 131, 128, 4096).value == Approx(131 * one));
}

}  // namespace meshgauge
