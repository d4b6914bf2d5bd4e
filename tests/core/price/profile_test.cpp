// The default profile of known, related and unknown hardware.
#include "core/price/profile.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Gpu board(const char* id, const char* architecture, double peak, double watts) {
  Gpu g;
  g.id = id;
  g.architecture = architecture;
  g.bf16 = g.fp16 = {peak};
  g.fp32 = {peak / 8};
  g.hbm = {1e12};
  g.power_watts = watts;
  return g;
}

double sustained_share(const Gpu& gpu) {
  return default_profile(nodes_of_eight(gpu, 8, 50e9)).matmul_16bit.value / gpu.bf16.value;
}

}  // namespace

TEST_CASE("Boards with published training steps sustain what those show") {
  // 258 TFLOP/s on A100, 739 and 1375 (fp8) on H100: fits over 350 and 94 published steps. Both stay below the largest
  // product that stas00/ml-engineering measured (271.2, 794.5, 1402.6) and above the best published in-step MFU.
  const Profile a = default_profile(dgx_a100(8));
  CHECK(a.matmul_16bit.value == Approx(258e12).epsilon(0.005));
  CHECK(a.matmul_16bit.value < 271.2e12);
  const Profile h = default_profile(dgx_h100(8));
  CHECK(h.matmul_16bit.value == Approx(739e12).epsilon(0.005));
  CHECK(h.matmul_fp8.value == Approx(1375e12).epsilon(0.005));
  CHECK(h.matmul_16bit.value < 794.5e12);
}

TEST_CASE("Boards without a row follow the power rule") {
  // 0.76 (W / TFLOP/s)^(1/3): H100 PCIe (756 TFLOP/s at 350 W) 0.588; MI325X and L40S have rows of their own.
  CHECK(sustained_share(board("h100-pcie-80gb", "Hopper", 756e12, 350)) == Approx(0.588).margin(0.001));
  // A board with power to spare is limited by its pipelines, not by its clock.
  CHECK(sustained_share(board("some-hopper", "Hopper", 100e12, 700)) == Approx(0.86));
  Gpu measured = board("other-hopper", "Hopper", 1000e12, 700);
  measured.measured_bf16 = {800e12};  // a measured ceiling is better than the rule
  CHECK(sustained_share(measured) == Approx(0.744));
}

TEST_CASE("Unknown hardware has a wider range than measured hardware") {
  const Profile known = default_profile(dgx_a100(8));
  for (const char* architecture : {"Hopper", "Ada", "CDNA3", "Gaudi 3", "TPU", "Da Vinci", "something new"}) {
    const Profile p = default_profile(nodes_of_eight(board("no-such-board", architecture, 400e12, 400), 8, 50e9));
    INFO(architecture);
    CHECK(p.matmul_16bit.value > 0);
    CHECK(p.matmul_16bit.value < 400e12);
    CHECK(p.flash_forward.value > p.flash_backward.value);
    CHECK(p.time_low < known.time_low);
    CHECK(p.time_high > known.time_high);
  }
}

TEST_CASE("Formats that a part lacks run at the next wider one") {
  const Profile a = default_profile(dgx_a100(8));
  CHECK(a.matmul_fp8.value == a.matmul_16bit.value);
  Gpu old = board("old", "Pascal", 0, 300);
  old.fp32 = {10e12};
  const Profile p = default_profile(nodes_of_eight(old, 8, 1e9));
  CHECK(p.matmul_16bit.value == p.matmul_fp32.value);
}

TEST_CASE("Links are those of the topology") {
  CHECK(default_profile(dgx_h100(8)).intra.in_switch > 1);
  CHECK(default_profile(dgx_a100(8)).intra.in_switch == 0);
  Cluster pcie = dgx_h100(8);
  pcie.intra_topology = "pcie-switch";
  CHECK(default_profile(pcie).intra.pcie);
  CHECK(default_profile(pcie).intra.in_switch == 0);
  CHECK(default_profile(pcie).overhead.channels < default_profile(dgx_h100(8)).overhead.channels);
}

TEST_CASE("Latencies given with the cluster replace the table's") {
  Cluster c = dgx_h100(16);
  c.intra.latency = {3e-6};
  c.inter.latency = {20e-6};
  CHECK(default_profile(c).intra.hop.value == 3e-6);
  CHECK(default_profile(c).inter.hop.value == 20e-6);
}

TEST_CASE("Memory outside the tensors follows the sources") {
  const OverheadConstants& o = default_profile(dgx_a100(8)).overhead;
  // Reserved over allocated 1.03 to 1.10; context 0.5 to 0.9 GiB with lazy loading (stas00/ml-engineering).
  CHECK(o.allocator_slack >= 0.03);
  CHECK(o.allocator_slack <= 0.10);
  CHECK(o.context / gibibyte >= 0.5);
  CHECK(o.context / gibibyte <= 0.9);
  // NCCL issue 964: 544 MB for a communicator of two A100, two connections a channel.
  const double communicator = 2 * o.channels * o.per_channel_connection.value;
  CHECK(communicator == Approx(544e6).epsilon(0.15));
}

}  // namespace meshgauge
