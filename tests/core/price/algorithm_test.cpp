// What NCCL chooses, against its own logs and the documented rules of its tuner.
#include "core/price/algorithm.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr auto all_reduce = Collective::all_reduce;
constexpr auto all_gather = Collective::all_gather;

Choice choose(const Cluster& c, Collective op, double bytes, Route route) {
  const std::optional<Choice> choice = choose_algorithm(default_profile(c), c, op, bytes, route);
  REQUIRE(choice);
  return *choice;
}

std::string words(const Choice& c) {
  return std::string(name_of(c.algorithm)) + ' ' + std::string(name_of(c.protocol));
}

/// AWS p4d: 8 A100 and four NICs of 100 Gb/s.
Cluster p4d() {
  Cluster c = nodes_of_eight(a100(), 16, 6.25e9);
  c.inter_type = "EFA";
  return c;
}

}  // namespace

TEST_CASE("Two p4d nodes choose what NCCL's log says") {
  // aws-samples/aws-efa-eks README, NCCL_DEBUG=INFO with NCCL 2.9.9: "65536 Bytes -> Algo 0 proto 0" (tree, LL),
  // "8 coll channels". Its LL128 begins at 128 KiB, that of 2.28 at 256 KiB.
  CHECK(words(choose(p4d(), all_reduce, 64 * kib, {16, 8})) == "tree LL");
  CHECK(words(choose(p4d(), all_reduce, 256 * kib, {16, 8})) == "tree LL128");
  CHECK(choose(p4d(), all_reduce, gib, {16, 8}).channels == 8);
}

TEST_CASE("One node goes from LL over LL128 to Simple, or into the switch") {
  // NCCL 2.28 src/graph/tuning.cc: with 240 GB/s of ring on eight A100, LL is cheapest to 4 MiB, LL128 to 32 MiB.
  CHECK(words(choose(dgx_a100(8), all_reduce, 2 * mib, {8, 8})) == "ring LL");
  CHECK(words(choose(dgx_a100(8), all_reduce, 8 * mib, {8, 8})) == "ring LL128");
  CHECK(words(choose(dgx_a100(8), all_reduce, 64 * mib, {8, 8})) == "ring Simple");
  CHECK(choose(dgx_a100(8), all_reduce, gib, {8, 8}).channels == 24);
  // NVLS runs on 16 channels of Hopper (src/transport/nvls.cc) and starts at 2 MiB.
  CHECK(words(choose(dgx_h100(8), all_reduce, mib, {8, 8})) == "ring LL");
  CHECK(words(choose(dgx_h100(8), all_reduce, 4 * mib, {8, 8})) == "nvls Simple");
  CHECK(choose(dgx_h100(8), all_reduce, gib, {8, 8}).channels == 16);
  CHECK(words(choose(dgx_h100(8), all_gather, gib, {8, 8})) == "ring Simple");
}

TEST_CASE("Two A100 nodes leave the tree where their ring is as fast") {
  CHECK(words(choose(dgx_a100(16), all_reduce, 128 * kib, {16, 8})) == "tree LL");
  CHECK(words(choose(dgx_a100(16), all_reduce, mib, {16, 8})) == "tree LL128");
  CHECK(words(choose(dgx_a100(16), all_reduce, 64 * mib, {16, 8})) == "ring LL128");
  CHECK(words(choose(dgx_a100(16), all_reduce, gib, {16, 8})) == "ring Simple");
  CHECK(choose(dgx_a100(16), all_reduce, gib, {16, 8}).channels == 16);
  CHECK(words(choose(dgx_h100(16), all_reduce, gib, {16, 8})) == "nvls_tree Simple");
}

TEST_CASE("Gathers over one GPU a node use PAT, others never") {
  // NCCL 2.23 release notes: PAT for all-gather and reduce-scatter with one GPU a node.
  CHECK(words(choose(dgx_h100(512), all_gather, 4 * mib, {64, 1})) == "pat Simple");
  CHECK(words(choose(dgx_h100(256), all_gather, 4 * mib, {256, 8})) != "pat Simple");
  CHECK(words(choose(dgx_h100(256), all_reduce, 4 * mib, {32, 1})) != "pat Simple");
}

TEST_CASE("CollNet and NVLS over nodes need switches that add up") {
  Cluster sharp = dgx_h100(64);
  for (double bytes = kib; bytes < 8 * gib; bytes *= 4) {
    const Algorithm plain = choose(sharp, all_reduce, bytes, {64, 8}).algorithm;
    CHECK(plain != Algorithm::collnet_direct);
    CHECK(plain != Algorithm::collnet_chain);
    CHECK(plain != Algorithm::nvls);
  }
  sharp.in_network_reduction = true;
  CHECK(choose(sharp, all_reduce, 16 * mib, {64, 8}).algorithm == Algorithm::nvls);
}

TEST_CASE("LL128 needs NVLink, and point-to-point has two protocols") {
  Cluster pcie = nodes_of_eight(a100(), 8, 25e9);
  pcie.intra_topology = "pcie-switch";
  pcie.intra.bandwidth = {31.5e9};
  for (double bytes = kib; bytes < gib; bytes *= 2) {
    CHECK(choose(pcie, all_reduce, bytes, {8, 8}).protocol != Protocol::ll128);
  }
  // src/enqueue.cc: NCCL_P2P_LL_THRESHOLD is 16 KiB a message.
  CHECK(words(choose(dgx_h100(8), Collective::all_to_all, 8 * 16 * kib, {8, 8})) == "point_to_point LL");
  CHECK(words(choose(dgx_h100(8), Collective::all_to_all, 9 * 16 * kib, {8, 8})) == "point_to_point Simple");
}

TEST_CASE("Channels grow with the message and nobody else's library is guessed") {
  std::int64_t before = 0;
  for (double bytes = 64; bytes < 16 * mib; bytes *= 2) {  // of one protocol
    const Choice c = choose(dgx_a100(8), Collective::broadcast, bytes, {8, 8});
    if (c.protocol != Protocol::ll) break;
    CHECK(c.channels >= before);
    before = c.channels;
  }
  CHECK(before > 1);
  Cluster amd = dgx_h100(8);
  amd.gpu.vendor = "AMD";
  CHECK_FALSE(choose_algorithm(default_profile(amd), amd, all_reduce, gib, {8, 8}));
  CHECK_FALSE(choose_algorithm(default_profile(p4d()), p4d(), all_reduce, gib, {1, 1}));
}

}  // namespace meshgauge
