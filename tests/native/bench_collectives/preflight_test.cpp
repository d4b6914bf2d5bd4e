// Interfaces and adapters as /sys shows them, and the environment that follows.
#include "native/harness/preflight.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"

using namespace meshgauge::harness;
namespace files = std::filesystem;

namespace {

struct Tree {
  files::path root = files::temp_directory_path() / ("meshgauge-sys-" + std::to_string(getpid()));
  ~Tree() { files::remove_all(root); }
  void file(const std::string& path, const std::string& text) const {
    files::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << '\n';
  }
};

}  // namespace

TEST_CASE("A node with two fast adapters, a slow one and bridges of containers") {
  const Tree tree;
  tree.file("class/net/lo/type", "772");
  tree.file("class/net/lo/operstate", "unknown");
  tree.file("class/net/eth0/type", "1");
  tree.file("class/net/eth0/operstate", "up");
  tree.file("class/net/eth0/speed", "25000");
  tree.file("class/net/eth0/device/vendor", "0x15b3");
  tree.file("class/net/docker0/type", "1");
  tree.file("class/net/docker0/operstate", "up");
  for (const auto& [port, rate, state] : {std::array{"mlx5_0/ports/1", "400 Gb/sec (4X NDR)", "4: ACTIVE"},
                                          {"mlx5_1/ports/1", "400 Gb/sec (4X NDR)", "4: ACTIVE"},
                                          {"mlx5_2/ports/1", "100 Gb/sec (4X EDR)", "4: ACTIVE"},
                                          {"mlx5_3/ports/1", "400 Gb/sec (4X NDR)", "1: DOWN"}}) {
    tree.file(std::string("class/infiniband/") + port + "/rate", rate);
    tree.file(std::string("class/infiniband/") + port + "/state", state);
    tree.file(std::string("class/infiniband/") + port + "/link_layer", "InfiniBand");
  }
  const auto interfaces = interfaces_below(tree.root.string());
  REQUIRE(interfaces.size() == 3);
  CHECK((interfaces[0].name == "docker0" && interfaces[0].kind == "virtual"));
  CHECK((interfaces[1].name == "eth0" && interfaces[1].up && interfaces[1].bits_per_second == 25e9));
  CHECK(interfaces[2].kind == "loopback");
  const auto ports = ports_below(tree.root.string());
  REQUIRE(ports.size() == 4);
  CHECK((ports[0].name == "mlx5_0:1" && ports[0].bits_per_second == 400e9 && ports[0].up));
  CHECK_FALSE(ports[3].up);
  const auto lines = advice(interfaces, ports);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].rfind("export NCCL_SOCKET_IFNAME=eth0 ", 0) == 0);
  CHECK(lines[1].rfind("export OMPI_MCA_btl_tcp_if_include=eth0 ", 0) == 0);
  CHECK(lines[2].rfind("export NCCL_IB_HCA==mlx5_0:1,mlx5_1:1 ", 0) == 0);
}

TEST_CASE("No adapter, no tree") {
  CHECK(interfaces_below("/no/such/tree").empty());
  const auto lines = advice({}, {});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].rfind("export NCCL_IB_DISABLE=1", 0) == 0);
}
