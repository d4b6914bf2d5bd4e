// Collectives against published nccl-tests logs, and properties that any group must have.
#include "core/price/collective.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/every.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

constexpr double gib = 1073741824.0, mib = 1048576.0;

/// nccl-tests run alone: nothing else competes for the network.
Profile alone(const Cluster& cluster) {
  Profile p = default_profile(cluster);
  p.network_share = 1;
  return p;
}

double seconds(const Cluster& c, Collective op, double bytes, Route route) {
  return collective_time(alone(c), c, op, bytes, route).value;
}

/// Bus bandwidth in GB/s as nccl-tests prints it.
double bus(const Cluster& c, Collective op, double bytes, Route route) {
  return bytes * wire_factor(op, route.size) / seconds(c, op, bytes, route) / 1e9;
}

constexpr auto all_reduce = Collective::all_reduce;
constexpr auto all_gather = Collective::all_gather;
constexpr auto all_to_all = Collective::all_to_all;

}  // namespace

TEST_CASE("Large messages reach the bus bandwidth of published logs") {
  // nccl-tests logs in NVIDIA/nccl and NVIDIA/nccl-tests issues, and cloud vendors' guides; largest size of each.
  CHECK(bus(dgx_a100(8), all_reduce, 8 * gib, {8, 8}) == Approx(232).epsilon(0.08));    // 230 to 235
  CHECK(bus(dgx_a100(8), all_gather, 8 * gib, {8, 8}) == Approx(226).epsilon(0.09));    // 223 to 230
  CHECK(bus(dgx_h100(8), all_reduce, 8 * gib, {8, 8}) == Approx(481).epsilon(0.05));    // 480 to 483, NVLS
  CHECK(bus(dgx_a100(16), all_reduce, 8 * gib, {16, 8}) == Approx(187).epsilon(0.05));  // 183 to 190, two nodes
  CHECK(bus(dgx_a100(16), all_gather, 8 * gib, {16, 8}) == Approx(176).epsilon(0.05));
  CHECK(bus(dgx_a100(16), all_to_all, 8 * gib, {16, 8}) == Approx(39.9).epsilon(0.05));
  CHECK(bus(dgx_h100(16), all_reduce, 8 * gib, {16, 8}) == Approx(470).epsilon(0.06));  // 468 to 471
  CHECK(bus(dgx_h100(64), all_reduce, 8 * gib, {64, 8}) == Approx(387).epsilon(0.09));  // eight nodes
}

TEST_CASE("Small messages take the latency of published logs") {
  CHECK(seconds(dgx_a100(8), all_reduce, 1024, {8, 8}) == Approx(26e-6).epsilon(0.15));
  CHECK(seconds(dgx_h100(8), all_reduce, 1024, {8, 8}) == Approx(17.5e-6).epsilon(0.15));
  CHECK(seconds(dgx_h100(16), all_reduce, 4096, {16, 8}) == Approx(33e-6).epsilon(0.15));  // 31 to 36
  CHECK(seconds(dgx_a100(16), all_to_all, 4096, {16, 8}) == Approx(59e-6).epsilon(0.15));
}

TEST_CASE("Half of the bandwidth is reached at some tens of MiB, not at once") {
  // H100 x 8 all-reduce: half of its ceiling at about 22 MiB.
  const double half = bus(dgx_h100(8), all_reduce, 22 * mib, {8, 8});
  const double full = bus(dgx_h100(8), all_reduce, 64 * gib, {8, 8});
  CHECK(half / full == Approx(0.5).margin(0.06));
}

TEST_CASE("A group with one member a node drives one NIC") {
  // Data parallelism under tensor parallelism of eight.
  const double one = bus(dgx_a100(64), all_gather, 4 * gib, {8, 1});
  CHECK(one < 25);
  CHECK(one > 0.8 * 25);
  const double eight = bus(dgx_a100(64), all_gather, 4 * gib, {64, 8});
  CHECK(eight > 6 * one);
}

TEST_CASE("Expert exchange between nodes is bound by each GPU's own NIC") {
  // NVIDIA maintainers, nccl-tests issue 267: all-to-all shows one NIC, times N / (N - 1).
  const double two = bus(dgx_h100(16), all_to_all, 4 * gib, {16, 8});
  const double many = bus(dgx_h100(256), all_to_all, 4 * gib, {256, 8});
  CHECK(two < 2 * 50);
  CHECK(many < 50);
}

TEST_CASE("Directly wired GPUs use only the links to their partners") {
  Cluster mesh = dgx_a100(8);
  mesh.intra_topology = "xgmi-mesh";
  const double pair = bus(mesh, all_gather, 4 * gib, {2, 2});
  const double all = bus(mesh, all_gather, 4 * gib, {8, 8});
  CHECK(pair < all / 3);
}

TEST_CASE("Bridged pairs are faster than the bus between pairs") {
  Cluster bridged = dgx_a100(4);
  bridged.intra_topology = "nvlink-bridge";
  bridged.intra.bandwidth = {31.5e9};
  CHECK(bus(bridged, all_gather, 4 * gib, {2, 2}) > 4 * bus(bridged, all_gather, 4 * gib, {4, 4}));
}

TEST_CASE("More bytes, more ranks and slower links never take less time") {
  for (const Collective op : test::every<Collective>()) {
    double before = 0;
    for (double bytes = 1; bytes < 64 * gib; bytes *= 3) {
      const double now = seconds(dgx_h100(64), op, bytes, {64, 8});
      CHECK(now > before);
      before = now;
    }
    double previous = 0;
    for (const double nic : {100e9, 50e9, 25e9, 12.5e9, 1e9, 1e8}) {
      const double now = seconds(nodes_of_eight(h100(), 64, nic), op, gib, {64, 8});
      CHECK(now >= previous);
      previous = now;
    }
    for (const double link : {900e9, 450e9, 200e9, 50e9, 10e9}) {
      Cluster slower = dgx_h100(8);
      slower.intra.bandwidth = {link};
      Cluster faster = slower;
      faster.intra.bandwidth = {1.5 * link};
      CHECK(seconds(faster, op, gib, {8, 8}) <= seconds(slower, op, gib, {8, 8}));
    }
  }
}

TEST_CASE("An oversubscribed spine slows what crosses it") {
  // Meta's Llama 3 cluster, arXiv:2407.21783 section 3.3.1: pods of 3,072 GPUs, 1:7 between them.
  Cluster pods = dgx_h100(6144);
  pods.oversubscription = 7;
  pods.nodes_per_block = 384;
  const Cluster flat = dgx_h100(6144);
  // Of an all-to-all over two pods half of the bytes cross, at a seventh of the rate.
  const double crossing = seconds(pods, all_to_all, 64 * gib, {6144, 8, 3072});
  const double inside = seconds(flat, all_to_all, 64 * gib, {6144, 8, 3072});
  CHECK(crossing / inside == Approx(3.5).epsilon(0.05));
  // A ring with one member in each pod crosses with all of its bytes, one with eight there hides behind its NICs.
  CHECK(seconds(pods, all_gather, gib, {2, 1, 1}) > 5 * seconds(flat, all_gather, gib, {2, 1, 1}));
  CHECK(seconds(pods, all_gather, gib, {128, 8, 64}) < 1.1 * seconds(flat, all_gather, gib, {128, 8, 64}));
  CHECK(seconds(pods, all_gather, gib, {64, 8, 64}) == seconds(flat, all_gather, gib, {64, 8, 64}));
  CHECK(price_collective(alone(pods), pods, all_to_all, 64 * gib, {6144, 8, 3072}).bound == Bound::spine);
}

TEST_CASE("A price says what it is made of and what bounds it") {
  const auto price = [](const Cluster& c, Collective op, double bytes, Route route) {
    return price_collective(alone(c), c, op, bytes, route);
  };
  const CollectivePrice large = price(dgx_h100(8), all_reduce, 4 * gib, {8, 8});
  CHECK(large.bound == Bound::in_switch);
  CHECK(large.seconds > large.latency + large.transfer);
  CHECK(large.seconds.value == seconds(dgx_h100(8), all_reduce, 4 * gib, {8, 8}));
  CHECK(price(dgx_h100(8), all_gather, 4 * gib, {8, 8}).bound == Bound::link);
  CHECK(price(dgx_h100(8), all_gather, 1024, {8, 8}).bound == Bound::latency);
  CHECK(price(dgx_a100(64), all_gather, 4 * gib, {64, 8}).bound == Bound::nic);
  Cluster pcie = dgx_h100(8);
  pcie.intra_topology = "pcie-switch";
  pcie.intra.bandwidth = {63e9};
  CHECK(price(pcie, all_gather, 4 * gib, {8, 8}).bound == Bound::host_path);
  const CollectivePrice empty = price(dgx_h100(8), all_gather, 0, {8, 8});
  CHECK(empty.seconds == empty.latency);
}

TEST_CASE("A domain of 72 GPUs is one node to its groups") {
  // coreweave/nccl-tests README: 847 GB/s of all-reduce on GB200 NVL72, 512 MB to 8 GB.
  Gpu gb200 = h100();
  gb200.id = "gb200-186gb";
  gb200.architecture = "Blackwell";
  gb200.nvlink = {900e9};
  Cluster domain = nodes_of_eight(gb200, 144, 50e9);
  domain.gpus_per_node = 72;
  CHECK(bus(domain, all_reduce, 8 * gib, {72, 72}) == Approx(847).epsilon(0.07));
  CHECK(bus(domain, all_reduce, 8 * gib, {72, 72}) >
        2 * bus(nodes_of_eight(gb200, 72, 50e9), all_reduce, 8 * gib, {72, 8}));
}

TEST_CASE("One rank needs no time, and missing link rates still give finite times") {
  CHECK(seconds(dgx_h100(8), all_reduce, gib, {1, 1}) == 0);
  Cluster bare = dgx_h100(16);
  bare.intra.bandwidth = {0};
  bare.inter.bandwidth = {0};
  CHECK(seconds(bare, all_reduce, gib, {16, 8}) < 60);
  CHECK(seconds(bare, all_reduce, gib, {16, 8}) > 0);
}

TEST_CASE("The logarithm is exact at powers of two and rises between") {
  CHECK(log2_of(1) == 0);
  CHECK(log2_of(2) == 1);
  CHECK(log2_of(1024) == 10);
  CHECK(log2_of(3) == Approx(1.585).margin(0.09));
  CHECK(log2_of(1000000) == Approx(19.93).margin(0.09));
}

}  // namespace meshgauge
