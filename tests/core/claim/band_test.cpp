// Which bus bandwidth is normal. Figures of published logs and of what NCCL's maintainers answered, cited beside them.
#include <algorithm>
#include <string>

#include "core/catalog/bus_bandwidth.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

using namespace meshgauge;
using meshgauge::testing::ask;
using meshgauge::testing::json;

namespace {

constexpr double GiB = 1073741824.0;

json judge(const std::string& system, const std::string& collective, double bytes, int ranks, double gbs,
           json more = json::object()) {
  more.update({{"command", "band"},
               {"collective", collective},
               {"bytes", bytes},
               {"ranks", ranks},
               {"bus_bytes_per_second", gbs * 1e9}});
  if (!more.contains("cluster")) more["cluster"] = {{"system", system}};
  const json answer = ask(more);
  INFO(answer.dump());
  REQUIRE(answer.at("ok") == true);
  REQUIRE(answer.at("groups").size() == 1);
  return answer.at("groups")[0];
}

bool names_cause(const json& group, const std::string& id) {
  const json& causes = group.at("causes");
  return std::any_of(causes.begin(), causes.end(), [&](const json& cause) { return cause.at("id") == id; });
}

}  // namespace

TEST_CASE("370 GB/s on eight H100 are normal for a ring and low with NVLS") {
  // NVIDIA/nccl-tests#212: 370 GB/s with NCCL_ALGO=Ring, about 480 with NVLS, 256 MB too small to get there.
  const json group = judge("dgx-h100", "all_reduce", 1e9, 8, 370);
  CHECK(group.at("verdict") == "depends");
  REQUIRE(group.at("bands").size() == 2);
  CHECK(group.at("bands")[0].at("algorithm") == "nvls");
  CHECK(group.at("bands")[0].at("verdict") == "low");
  CHECK(group.at("bands")[1].at("algorithm") == "ring");
  CHECK(group.at("bands")[1].at("verdict") == "normal");
  CHECK(group.at("causes").at(0).at("id") == "no_nvls");
  CHECK(judge("dgx-h100", "all_reduce", 1e9, 8, 370, {{"in_switch", false}}).at("verdict") == "normal");
  CHECK(judge("dgx-h100", "all_reduce", 1e9, 8, 370, {{"in_switch", true}}).at("verdict") == "low");
  CHECK(judge("dgx-h100", "all_reduce", 16 * GiB, 8, 480, {{"in_switch", true}}).at("verdict") == "normal");
  CHECK(judge("dgx-h100", "all_reduce", 16 * GiB, 8, 480).at("verdict") == "normal");  // no ring reaches it
  // NVIDIA/nccl#1374: 480 is the figure with NVLS on eight H100; a ring cannot.
  CHECK(judge("dgx-h100", "all_reduce", 16 * GiB, 8, 480, {{"in_switch", false}}).at("verdict") == "high");
}

TEST_CASE("Published figures of other machines are judged as their sources do") {
  // NVIDIA/nccl-tests#149: about 230 GB/s is normal on eight A100.
  CHECK(judge("dgx-a100-80gb", "all_reduce", 8 * GiB, 8, 230).at("verdict") == "normal");
  CHECK(judge("dgx-a100-80gb", "all_reduce", 8 * GiB, 8, 110).at("verdict") == "low");
  // Two nodes of eight H200, InfiniBand: 479 GB/s (nebius/ml-cookbook).
  CHECK(judge("dgx-h200", "all_reduce", 16 * GiB, 16, 479).at("verdict") == "normal");
  // B200 x 8: 839 GB/s at 8 GiB (stas00/ml-engineering).
  CHECK(judge("dgx-b200", "all_reduce", 8 * GiB, 8, 839, {{"in_switch", true}}).at("verdict") == "normal");
  // NVIDIA/nccl#1454: 14 GB/s on 300 nodes of eight H100 was a fault.
  const json large = judge(
      "", "all_reduce", 4 * GiB, 2400, 14,
      {{"cluster",
        {{"gpu", "h100-sxm-80gb"}, {"gpus_per_node", 8}, {"network", "IB"}, {"inter_node_bytes_per_second", 25e9}}}});
  CHECK(large.at("verdict") == "low");
  CHECK(large.at("bands")[0].at("published").empty());
  CHECK(names_cause(large, "no_gpu_direct"));
}

TEST_CASE("A machine that fell back to sockets is told from the published log of one") {
  // Azure/aks-rdma-infiniband: 3.2 GB/s over IPoIB where RDMA gives 187.
  const json group = judge("azure-nd96asr-a100-v4", "all_reduce", 8 * GiB, 16, 3.2);
  CHECK(group.at("verdict") == "low");
  CHECK(group.at("causes").at(0).at("id") == "like_a_known_fault");
  CHECK(group.at("causes").at(1).at("id") == "sockets");
  CHECK(judge("azure-nd96asr-a100-v4", "all_reduce", 8 * GiB, 16, 187).at("verdict") == "normal");
}

TEST_CASE("Without published figures the model's range decides, and it is said") {
  const json group = judge("dgx-1-v100", "all_to_all", GiB, 8, 20);
  REQUIRE(group.at("bands").size() == 1);
  const json& band = group.at("bands")[0];
  CHECK(band.at("published").empty());
  CHECK(band.at("published_low").is_null());
  CHECK(band.at("low") == band.at("model_low"));
  CHECK(band.at("high") == band.at("model_high"));
  const double model = band.at("model").get<double>();
  CHECK(judge("dgx-1-v100", "all_to_all", GiB, 8, model / 1e9).at("verdict") == "normal");
  CHECK(judge("dgx-1-v100", "all_to_all", GiB, 8, model / 3e9).at("verdict") == "low");
  CHECK(judge("dgx-1-v100", "all_to_all", GiB, 8, model / 3e8).at("verdict") == "high");
}

TEST_CASE("A published curve is read between its sizes by time") {
  PublishedCurve curve;
  curve.points = {{1e6, {1e9}}, {4e6, {2e9}}};  // 1 ms, 2 ms
  CHECK(bus_bandwidth_at(curve, 1e6)->value == Approx(1e9));
  CHECK(bus_bandwidth_at(curve, 2.5e6)->value == Approx(2.5e6 / 1.5e-3));
  CHECK(bus_bandwidth_at(curve, 4e6)->value == Approx(2e9));
  CHECK(bus_bandwidth_at(curve, 32e6)->value == Approx(2e9));
  CHECK(!bus_bandwidth_at(curve, 33e6));
  CHECK(!bus_bandwidth_at(curve, 9e5));
}

TEST_CASE("Every published curve is of a known GPU, rises in size and has a source") {
  std::size_t curves = 0;
  for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                      Collective::all_to_all, Collective::broadcast, Collective::send_recv}) {
    for (const std::int64_t ranks : {2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 72, 512, 2160}) {
      for (const std::int64_t share : {1, 2, 3, 4, 5, 6, 7, 8, 72}) {
        for (const PublishedCurve& curve : published_curves(collective, ranks, share)) {
          INFO(curve.id);
          ++curves;
          CHECK(ask({{"command", "catalog"}, {"kind", "gpus"}, {"id", curve.gpu}}).at("ok") == true);
          CHECK(!curve.source.empty());
          CHECK((curve.peak.value > 0) == curve.points.empty());
          for (std::size_t i = 1; i < curve.points.size(); ++i)
            CHECK(curve.points[i - 1].bytes < curve.points[i].bytes);
        }
      }
    }
  }
  CHECK(curves > 80);
}

TEST_CASE("Logs are judged by size, and those that say too little are named") {
  const std::string log =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "
      "validation: 1 graph: 0\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "   134217728      33554432     float     sum      -1   1084.0  123.82  232.16      0   1085.0  123.70  231.94   "
      "   0\n"
      "  8589934592    2147483648     float     sum      -1  65536.0  131.07  245.76      0  65536.0  131.07  245.76   "
      "   0\n"
      "# Out of bounds values : 0 OK\n";
  json request = {{"command", "band"},
                  {"files", json::array({{{"name", "a.log"}, {"text", log}}})},
                  {"cluster", {{"system", "dgx-a100-80gb"}}},
                  {"place", {{"ranks", 16}, {"ranks_per_node", 8}}}};
  const json answer = ask(request);
  INFO(answer.dump());
  const json& group = answer.at("groups").at(0);
  CHECK(group.at("name") == "a.log");
  CHECK(group.at("rows").size() == 2);
  CHECK(group.at("bytes") == 8589934592);
  CHECK(group.at("bus_bytes_per_second").get<double>() == Approx(245.76e9).epsilon(1e-4));
  CHECK(group.at("verdict") == "high");  // published: 187 to 190 GB/s
  CHECK(names_cause(group, "other_group"));
  request.erase("cluster");
  CHECK(ask(request).at("skipped").at(0).at("reason") == "It does not say which GPU: name it, or the system.");
  request["files"] = json::array({{{"text", "nothing"}}});
  CHECK(ask(request).at("skipped").at(0).at("reason") == "No tool's output is recognised.");
}

TEST_CASE("Lines of NCCL in a log say whether the switches added up") {
  const std::string table =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "  1073741824     268435456     float     sum      -1   5078.0  211.45  370.04      0   5078.0  211.45  370.04   "
      "   0\n";
  const auto verdict = [&](const std::string& words) {
    const json answer = ask({{"command", "band"},
                             {"files", json::array({{{"text", "a:1:1 [0] NCCL INFO " + words + '\n' + table}}})},
                             {"cluster", {{"system", "dgx-h100"}}},
                             {"place", {{"ranks", 8}, {"ranks_per_node", 8}}}});
    INFO(answer.dump());
    return answer.at("groups").at(0).at("verdict").get<std::string>();
  };
  CHECK(verdict("NCCL_ALGO set by environment to RING") == "normal");
  CHECK(verdict("16 coll channels, 0 collnet channels, 16 nvls channels, 16 p2p channels") == "low");
  CHECK(verdict("Connected all rings") == "depends");
}

TEST_CASE("band names every problem of a request") {
  const json answer = ask({{"command", "band"}, {"bytes", -1}, {"ranks", 1}, {"colective", "x"}});
  CHECK(answer.at("ok") == false);
  CHECK(answer.at("issues").size() >= 5);
  CHECK(ask({{"command", "band"}, {"files", json::array()}}).at("ok") == false);
  CHECK(ask({{"command", "band"}, {"files", json::array({{{"text", "x"}}})}, {"ranks", 8}}).at("ok") == false);
  CHECK(ask({{"command", "band"}, {"place", json::object()}}).at("ok") == false);
}
