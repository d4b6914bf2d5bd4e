// Rates and shapes of products that were made with known ones.
#include "core/calibrate/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "core/price/gemm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/noise.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

std::vector<ImportedRun> sweep(const Profile& truth, MatmulFormat format, double scatter, double slower = 1) {
  testing::Noise noise(9);
  ImportedRun run;
  const auto add = [&](double m, double n, double k) {
    MeasuredKernel kernel;
    kernel.call.op = KernelOp::gemm;
    kernel.call.format = format;
    kernel.call.m = m;
    kernel.call.n = n;
    kernel.call.k = k;
    kernel.seconds = slower * (1 + scatter * noise.normal()) * gemm_time(truth, format, m, n, k);
    run.measurements.push_back({0, std::move(kernel)});
  };
  for (double side = 64; side <= 2048; side *= 2) add(side, side, side);
  for (const double hidden : {256, 512, 1024}) {
    add(512, 4 * hidden, hidden);
    add(512, hidden, 4 * hidden);
    add(4 * hidden, hidden, 512);
  }
  return {run};
}

MeasuredKernel stream(double bytes, double rate) {
  MeasuredKernel kernel;
  kernel.call.op = KernelOp::copy;
  kernel.call.bytes = bytes;
  kernel.seconds = {bytes / rate};
  return kernel;
}

}  // namespace

TEST_CASE("A processor's rate and lost depth are found within their stated uncertainty") {
  const Cluster cluster = cpu_ranks();
  Profile truth = default_profile(cluster);
  truth.matmul_fp32 = {42e9};
  truth.gemm_depth = 50;
  const KernelFit fit = fit_kernels(default_profile(cluster), cluster, sweep(truth, MatmulFormat::fp32, 0.02));
  REQUIRE(fit.parameters.size() == 2);
  CHECK(std::fabs(std::log(fit.parameters[0].after / 42e9)) < 3 * fit.parameters[0].sigma);
  CHECK(std::fabs(std::log(fit.parameters[1].after / 50)) < 3 * fit.parameters[1].sigma);
  CHECK(fit.error_before.median > 0.3);
  CHECK(fit.error_after.median < 0.01);
  CHECK(fit.held_out.median < 0.05);
}

TEST_CASE("A GPU's sweep teaches shapes, not the rate of a cool chip") {
  const Cluster cluster = dgx_a100(8);
  const Profile base = default_profile(cluster);
  const KernelFit fit = fit_kernels(base, cluster, sweep(base, MatmulFormat::bf16, 0, 0.8));
  CHECK(fit.profile.matmul_16bit == base.matmul_16bit);
  CHECK(gemm_time(fit.profile, MatmulFormat::bf16, 512, 4096, 1024).value ==
        Approx(gemm_time(base, MatmulFormat::bf16, 512, 4096, 1024).value).epsilon(1e-6));
}

TEST_CASE("Three products are too few, and the largest copies give the bandwidth of memory") {
  const Cluster cluster = cpu_ranks();
  const Profile base = default_profile(cluster);
  std::vector<ImportedRun> runs = sweep(base, MatmulFormat::fp32, 0, 2);
  runs[0].measurements.resize(3);
  CHECK(fit_kernels(base, cluster, runs).profile.measured.products.empty());
  runs[0].measurements = {{0, stream(2e6, 40e9)}, {0, stream(256e6, 9e9)}, {0, stream(256e6, 12e9)}};
  CHECK(fit_kernels(base, cluster, runs).profile.hbm.value == Approx(12e9));
}

}  // namespace meshgauge
