// What logs of NCCL say, and what is wrong by them. Formats are those of NVIDIA/nccl 2.4 to 2.30 and of PyTorch.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "core/diagnose/nccl/advice.hpp"
#include "core/diagnose/nccl/finding.hpp"
#include "core/diagnose/nccl/line.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge;

namespace {

const std::vector<std::string> names = {"rdma",     "sockets", "peer-module", "host-memory", "rdma-timeout",
                                        "watchdog", "hang",    "round-robin", "exception"};

std::string text_of(const std::string& name) {
  std::ifstream file(MESHGAUGE_TEST_DATA "/nccl/" + name + ".txt");
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

NcclLog log_of(const std::string& name) { return read_nccl_log(text_of(name)); }

std::vector<std::string> ids(const NcclLog& log) {
  std::vector<std::string> out;
  for (const NcclFinding& finding : nccl_findings(log)) out.push_back(finding.id);
  return out;
}

NcclFinding only(const NcclLog& log, const std::string& id) {
  for (const NcclFinding& finding : nccl_findings(log)) {
    if (finding.id == id) return finding;
  }
  FAIL(id);
  return {};
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

NcclLog warned(const std::string& words) { return read_nccl_log("host:1:2 [0] file.cc:9 NCCL WARN " + words + '\n'); }

}  // namespace

TEST_CASE("A line of NCCL gives host, process, device and words behind any prefix") {
  for (const std::string head :
       {"", "[1,0]<stdout>:", "3: ", "[2026-02-03 04:05:06] ", "2026-02-03T04:05:06Z pod/worker-0 ", "[7] "}) {
    const std::string text = head + "n0.rack:12:34 [5] NCCL INFO Connected all rings";
    INFO(text);
    const auto line = nccl_line_in(text);
    REQUIRE(line);
    CHECK(line->host == "n0.rack");
    CHECK(line->process == 12);
    CHECK(line->device == 5);
    CHECK(line->text == "Connected all rings");
    CHECK(line->level == NcclLevel::info);
  }
  const auto warning = nccl_line_in("n1:5:6 [2] init.cc:1043 (initTransportsRank) NCCL WARN Mismatched");
  REQUIRE(warning);
  CHECK(warning->level == NcclLevel::warn);
  CHECK(warning->where == "init.cc:1043");
  CHECK(warning->host == "n1");
  CHECK(nccl_line_in("n1:5:6 [2] recvSetup, 263 NCCL INFO Channel 00")->device == 2);
  CHECK(nccl_line_in("NCCL version 2.18.3+cuda12.1")->level == NcclLevel::version);
  CHECK(nccl_line_in("NCCL INFO Trees [0]")->host.empty());
  for (const std::string other : {"", "NCCL", "CCL INFO x", "we use NCCL here", "INFO NCCL"}) {
    INFO(other);
    CHECK(!nccl_line_in(other));
  }
}

TEST_CASE("A healthy log shows nodes, ranks, links and choices, and no fault") {
  const NcclLog log = log_of("rdma");
  REQUIRE(log.versions.size() == 1);
  CHECK(log.versions[0].text == "NCCL 2.28.9+cuda13.0");
  REQUIRE(log.hosts.size() == 2);
  CHECK(log.hosts[1].name == "node-b");
  CHECK(log.hosts[0].adapters == std::vector<std::string>{"mlx5_0:1/IB", "mlx5_1:1/IB"});
  CHECK(log.hosts[0].interfaces == std::vector<std::string>{"eth0"});
  REQUIRE(log.groups.size() == 1);
  CHECK(log.groups[0].ranks == 4);
  CHECK(log.groups[0].nodes == 2);
  CHECK(log.groups[0].ranks_per_node == 2);
  REQUIRE(log.groups[0].members.size() == 4);
  CHECK(log.groups[0].members[3].host == 1);
  CHECK(log.groups[0].members[3].device == 1);
  CHECK(log.groups[0].members[3].bus == "2a000");
  CHECK(log.channels == 4);
  CHECK(log.nvls_channels == 4);
  CHECK(log.trees == true);
  REQUIRE(log.rings.size() == 2);
  CHECK(log.rings[0].order == std::vector<std::int64_t>{0, 1, 2, 3});
  REQUIRE(log.paths.size() == 2);
  CHECK(log.paths[0].name == "P2P/CUMEM");
  CHECK(log.paths[0].connections == 2);
  CHECK(log.paths[1].name == "NET/IB");
  CHECK(log.paths[1].gpu_direct);
  CHECK(log.paths[1].connections == 3);
  CHECK(log.paths[1].adapters == std::set<std::int64_t>{0, 1});
  REQUIRE(log.choices.size() == 2);
  CHECK(log.choices[0].algorithm == "RING");
  CHECK(log.choices[0].most == 131072);
  CHECK(log.choices[1].algorithm == "NVLS");
  CHECK(log.choices[1].protocol == "SIMPLE");
  CHECK(ids(log).empty());
  REQUIRE(nccl_steps(log, {}).size() == 1);
}

TEST_CASE("Sockets between nodes are found with their reason") {
  const NcclFinding finding = only(log_of("sockets"), "socket_network");
  CHECK(finding.severity == NcclSeverity::slow);
  CHECK(says(finding.message, "sees no RDMA adapter"));
  CHECK(finding.evidence == "NET/IB : No device found.");
  CHECK(finding.line == 3);
  CHECK(finding.times == 2);
  CHECK(finding.checks.at(0).command == "ibv_devices");
  const std::string head = "a:1:1 [0] NCCL INFO ";
  const NcclLog asked = read_nccl_log(head + "NCCL_IB_DISABLE set by environment to 1.\n" + head +
                                      "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0\n");
  CHECK(says(only(asked, "socket_network").message, "A variable asks for it"));
  CHECK(only(asked, "environment").settings.at(0) ==
        NcclSetting{"NCCL_IB_DISABLE", "", "unless it is there on purpose"});
  const NcclLog unknown = read_nccl_log(head + "Using network Socket\n");
  CHECK(only(unknown, "socket_network").severity == NcclSeverity::note);
}

TEST_CASE("GPUDirect that is not used is found, with the module that old versions look for") {
  const NcclLog log = log_of("peer-module");
  const NcclFinding finding = only(log, "no_gpu_direct");
  CHECK(says(finding.message, "GPUDirect RDMA is not used"));
  CHECK(says(finding.message, "before 2.23"));  // NVIDIA/nccl issue 1676
  CHECK(finding.line == 2);
  CHECK(says(only(log, "environment").message, "mlx5_1 is mlx5_10 as well."));
  CHECK(only(log, "environment").settings.at(0).value == "=mlx5_0,mlx5_1");
  const NcclLog far = read_nccl_log(
      "a:1:1 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 1000 / HCA 0 (distance 5 > 4)\n"
      "a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"
      "a:1:1 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA\n");
  const NcclFinding half = only(far, "no_gpu_direct");
  CHECK(says(half.message, "1 of 2 connections"));
  CHECK(half.settings.at(0).variable == "NCCL_NET_GDR_LEVEL");
}

TEST_CASE("Host memory and network inside a node are found") {
  const NcclLog log = log_of("host-memory");
  CHECK(ids(log) == std::vector<std::string>{"host_memory_inside_node", "environment"});
  CHECK(says(only(log, "environment").message, "NCCL_P2P_DISABLE=1"));
  std::string text = text_of("host-memory");
  for (std::size_t at = text.find("SHM/direct/direct"); at != std::string::npos; at = text.find("SHM/direct/direct")) {
    text.replace(at, 17, "NET/IB/0/GDRDMA");
  }
  CHECK(only(read_nccl_log(text), "network_inside_node").severity == NcclSeverity::slow);
}

TEST_CASE("Causes stand before consequences, and unknown warnings are shown") {
  const NcclLog log = log_of("rdma-timeout");
  CHECK(ids(log) == std::vector<std::string>{"rdma_timeout", "rdma_flushed", "peer_gone", "warning"});
  const NcclFinding cause = only(log, "rdma_timeout");
  CHECK(cause.times == 2);
  CHECK(cause.hosts == std::vector<std::string>{"n7"});
  CHECK(cause.line == 1);
  CHECK(cause.settings.at(0).variable == "NCCL_IB_TIMEOUT");
  CHECK(only(log, "warning").evidence == "The flux capacitor is at 88");
  const std::vector<NcclCheck> steps = nccl_steps(log, nccl_findings(log));
  CHECK(says(steps.at(0).command, "ib_write_bw"));
}

TEST_CASE("Warnings of all versions are understood") {
  const auto is = [](const std::string& words, const std::string& id) {
    INFO(words);
    CHECK(ids(warned(words)) == std::vector<std::string>{id});
    CHECK(nccl::advice_on(id) != nullptr);
  };
  is("Mismatched NCCL version detected : rank 1 version 22606 rank 0 version 22703", "version_mismatch");
  is("Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000", "duplicate_gpu");
  is("Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable", "duplicate_gpu");
  is("Bootstrap : no socket interface found", "no_interface");
  is("NET/Socket : No usable listening interface found", "no_interface");
  is("Call to ibv_reg_mr failed with error Cannot allocate memory", "rdma_memory");
  is("Call to ibv_create_qp failed", "rdma_memory");
  is("Call to ibv_modify_qp failed with error Connection timed out errno 110", "rdma_connect");
  is("NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129", "rdma_timeout");
  is("NET/IB: Got completion from peer a<1> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=SEND(0) vendor_err=129",
     "rdma_timeout");
  is("NET/IB : Got completion from peer a<1> with error 4, opcode 32611, len 32611, vendor err 81 (Send)",
     "rdma_protection");
  is("NET/IB : Got completion from peer a<1> with error 10, opcode 1, len 0, vendor err 136", "rdma_error");
  is("NET/IB : mlx5_0:1 Got async event : port error", "adapter_event");
  is("Error: failed to extend /dev/shm/nccl-03v824 to 4194660 bytes", "shared_memory");
  is("Message truncated : received 1024 bytes instead of 256", "truncated");
  is("NET/Socket : peer 192.0.2.3<59210> message truncated : receiving 1048576 bytes instead of 65536", "truncated");
  is("Cuda failure 2 'out of memory'", "gpu_memory");
  is("Cuda failure 'out of memory'", "gpu_memory");
  is("Cuda failure 802 'system not yet initialized'", "fabric_manager");
  is("Cuda failure 719 'unspecified launch failure'", "cuda_failure");
  is("MNNVL (cliqueSize 4) is available but not working on this system. Check the IMEX channel", "multi_node_nvlink");
  is("Net : Connection closed by remote peer", "peer_gone");
  is("socketStartConnect: Connect to 192.0.2.1<40000> failed : Software caused connection abort", "connect");
  is("NET/OFI Couldn't open a fabric provider. RC: -12, ERROR: Cannot allocate memory", "libfabric");
  is("Detected mixed local Net device counts across ranks (min 7, max 8). Set NCCL_IGNORE_NET_MISMATCH=1",
     "mixed_adapters");
}

TEST_CASE("A collective that is given up names who waited and who did not come") {
  const NcclLog log = log_of("watchdog");
  CHECK(log.timeouts.size() == 3);
  const NcclFinding finding = only(log, "collective_timeout");
  CHECK(says(finding.message, "Ranks 0, 1, 3 waited 600 s for ALLREDUCE of 466,119,168 elements (work 1,580)"));
  CHECK(says(finding.message, "rank 2: look there first"));
  std::string text = text_of("watchdog");
  const std::size_t last = text.find("[Rank 3]");
  text.replace(text.find("ALLREDUCE", last), 9, "ALLGATHER");
  CHECK(only(read_nccl_log(text), "collective_mismatch").severity == NcclSeverity::failure);
}

TEST_CASE("Trees that are switched off are told") {
  const NcclLog log = read_nccl_log("a:1:2 [0] NCCL INFO Using 256 threads, Min Comp Cap 7, Trees disabled\n");
  CHECK(log.trees == false);
}

TEST_CASE("Ranks that hang while they meet are named, and those that never came") {
  const NcclLog log = log_of("hang");
  CHECK(says(only(log, "init_incomplete").message, "ranks 0-2 waited. The log shows nothing of rank 3"));
  CHECK(says(only(log, "local_interface").message, "docker0"));
}

TEST_CASE("Ranks that go round the nodes are found, and rings that cross too often") {
  const NcclLog log = log_of("round-robin");
  CHECK(says(only(log, "rank_order").message, "rank 0 on left, rank 1 on right"));
  CHECK(says(only(log, "ring_crossings").message, "4 times, where 2 would do"));
}

TEST_CASE("An exception alone gives its last error") {
  const NcclLog log = log_of("exception");
  CHECK(ids(log) == std::vector<std::string>{"connect"});
  CHECK(only(log, "connect").line == 5);
  CHECK(log.versions.at(0).text == "NCCL 2.19.3");
  const NcclLog bare = read_nccl_log("ncclInternalError: Internal check failed.\n");
  CHECK(only(bare, "unexplained").settings.at(0) ==
        NcclSetting{"NCCL_DEBUG", "INFO", "NCCL then says what it does, and what fails"});
}

TEST_CASE("Prefixes, colours, carriage returns and other output between change nothing that is found") {
  for (const std::string& name : names) {
    const std::string text = text_of(name);
    std::string changed;
    std::size_t line = 0;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      changed += "[1,0]<stdout>:\x1b[32m" + text.substr(start, end - start) + "\x1b[0m\r\n";
      if (++line % 3 == 0 && name != "exception") changed += "step 12: loss 3.14, learning rate 1e-4\n";
      start = end + 1;
    }
    INFO(name << '\n' << changed);
    const NcclLog plain = read_nccl_log(text), prefixed = read_nccl_log(changed);
    CHECK(ids(plain) == ids(prefixed));
    CHECK(plain.hosts.size() == prefixed.hosts.size());
  }
}

TEST_CASE("Any cut of a log of NCCL is read") {
  for (const std::string& name : names) {
    const std::string text = text_of(name);
    for (std::size_t size = 0; size < text.size(); size += 7) {
      const NcclLog log = read_nccl_log(std::string_view(text).substr(0, size));
      CHECK(nccl_steps(log, nccl_findings(log)).size() < 30);
    }
  }
}

TEST_CASE("Every failure that is told by its words has advice") {
  for (const char* id :
       {"no_peer_access", "iommu", "numa_balancing", "plugin", "open_files", "nvls_memory", "imex_channels",
        "illegal_access", "shared_memory_removed", "mixed_link_layers", "rdma_call"}) {
    INFO(id);
    const nccl::Advice* const advice = nccl::advice_on(id);
    REQUIRE(advice != nullptr);
    CHECK(!advice->source.empty());
  }
}
