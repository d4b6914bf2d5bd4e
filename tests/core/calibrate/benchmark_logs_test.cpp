// Benchmarks other than nccl-tests, one log each. Numbers are those of the logs.
#include <string>
#include <vector>

#include "core/io/import.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/logs.hpp"

using namespace meshgauge;
using namespace meshgauge::test;

namespace {

KnownPlace of_ranks(std::int64_t ranks) {
  KnownPlace known;
  known.place.ranks = ranks;
  return known;
}

}  // namespace

TEST_CASE("A collective of the OSU benchmarks is read through the launcher's prefix") {
  const Imported imported = import_text(log_text("osu-allreduce-cuda.txt"));
  REQUIRE(imported.tool == "osu");
  const auto rows = collectives_of(imported.runs.at(0));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].collective == Collective::all_reduce);
  CHECK(rows[1].bytes == 1048576);
  CHECK(rows[1].seconds.value == 310.75 / 1e6);
  CHECK_FALSE(rows[1].place.cpu);
  CHECK(imported.runs[0].questions == std::vector{Question::gpu, Question::ranks, Question::ranks_per_node});
}

TEST_CASE("OSU's old headers, its latencies, sizes per rank and tests that are not read") {
  const std::string text = log_text("osu-bandwidth-old.txt");
  const Imported open = import_text(text);
  REQUIRE(open.runs.size() == 3);
  const auto bandwidths = measured<MeasuredLink>(open.runs[0]);
  REQUIRE(bandwidths.size() == 2);
  CHECK(bandwidths[1].bandwidth.value == 11500.25 * 1e6);
  CHECK(bandwidths[1].kind == LinkKind::point_to_point);
  CHECK(bandwidths[1].place.cpu);
  const auto latencies = measured<MeasuredLink>(open.runs[1]);
  REQUIRE(latencies.size() == 2);
  CHECK(latencies[1].latency.value == 1.40 / 1e6);
  CHECK(open.runs[2].measurements.empty());
  CHECK(open.runs[2].questions == std::vector{Question::ranks});
  REQUIRE(open.unread.size() == 1);
  CHECK(open.unread[0].line == 17);

  const Imported answered = import_text(text, of_ranks(4));
  const auto gathers = collectives_of(answered.runs.at(2));
  REQUIRE(gathers.size() == 2);
  CHECK(gathers[0].bytes == 4096);  // what four ranks hold together
  CHECK(gathers[1].wrong == 1);
}

TEST_CASE("perftest gives bits or mebibytes a second, and half a round trip") {
  const Imported imported = import_text(log_text("perftest.txt"));
  CHECK(imported.tool == "perftest");
  CHECK(imported.unread.empty());
  REQUIRE(imported.runs.size() == 3);
  const auto both = measured<MeasuredLink>(imported.runs[0]).at(0);
  CHECK(both.both_directions);
  CHECK(both.bandwidth.value == 776.00 * 1e9 / 8);
  CHECK(both.bytes == 65536);
  CHECK(measured<MeasuredLink>(imported.runs[1]).at(0).bandwidth.value == 11000.0 * 1048576);
  CHECK(measured<MeasuredLink>(imported.runs[2]).at(0).latency.value == 1.80 / 1e6);
}

TEST_CASE("nvbandwidth's matrices become links, each in its direction") {
  const Imported imported = import_text(log_text("nvbandwidth.txt"));
  REQUIRE(imported.runs.size() == 1);
  CHECK(imported.runs[0].place.gpu == "NVIDIA H100 80GB HBM3");
  CHECK(imported.runs[0].place.gpus_per_node == 2);
  const auto links = measured<MeasuredLink>(imported.runs[0]);
  REQUIRE(links.size() == 6);
  CHECK(links[0].kind == LinkKind::host_to_device);
  CHECK(links[0].bandwidth.value == 55.25 * 1e9);
  CHECK(links[2].kind == LinkKind::peer);
  CHECK(links[3].bandwidth.value == 381.0 * 1e9);
  CHECK(links[4].latency.value == 720.0 / 1e9);
}

TEST_CASE("p2pBandwidthLatencyTest keeps what goes from GPU to GPU and counts the rest") {
  const Imported imported = import_text(log_text("p2p-bandwidth-latency.txt"));
  REQUIRE(imported.runs.size() == 1);
  CHECK(imported.runs[0].place.gpu == "NVIDIA A100-SXM4-40GB");
  const auto links = measured<MeasuredLink>(imported.runs[0]);
  REQUIRE(links.size() == 12);
  CHECK(links[0].kind == LinkKind::device_local);
  CHECK(links[1].kind == LinkKind::peer);
  CHECK(links[1].bandwidth.value == 275.0 * 1e9);
  CHECK(links[5].both_directions);
  CHECK(links[9].latency.value == 2.75 / 1e6);
  CHECK(imported.runs[0].notes.at(0).find("left out: 1.") != std::string::npos);
}

TEST_CASE("all_reduce_bench.py's bandwidths become times") {
  const Imported imported = import_text(log_text("all-reduce-bench.txt"));
  REQUIRE(imported.runs.size() == 1);
  CHECK(imported.runs[0].place.library == "NCCL 2.26.2");
  CHECK(imported.runs[0].place.gpu == "NVIDIA H200");
  CHECK(imported.runs[0].place.ranks == 8);
  const auto rows = collectives_of(imported.runs[0]);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].seconds.value == Approx(1048576 / 20e9));
}

TEST_CASE("A table that compares nodes by bus bandwidth asks for the GPUs of a node") {
  const std::string text = log_text("all-reduce-bench-nodes.txt");
  const Imported open = import_text(text);
  REQUIRE(open.runs.size() == 2);
  CHECK(open.runs[0].measurements.empty());
  CHECK(open.runs[0].questions == std::vector{Question::gpus_per_node});
  REQUIRE(open.unread.size() == 1);
  CHECK(open.unread[0].line == 4);
  KnownPlace known;
  known.place.gpus_per_node = 8;
  const Imported answered = import_text(text, known);
  const auto one = collectives_of(answered.runs.at(0)), four = collectives_of(answered.runs.at(1));
  REQUIRE(four.size() == 1);
  CHECK(one[0].place.ranks == 8);
  CHECK(four[0].place.ranks == 32);
  CHECK(one[0].seconds.value == Approx(1048576 * 1.75 / 35e9));
  CHECK(four[0].seconds.value == Approx(1048576 * 1.9375 / 7.75e9));
}
