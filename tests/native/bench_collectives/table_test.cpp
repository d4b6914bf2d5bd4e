// The layout of nccl-tests' table, held against rows that were published.
#include "native/collectives/table.hpp"

#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;

TEST_CASE("Numbers keep two decimals as long as they fit") {
  CHECK(fitted(0, 7) == "0.00");
  CHECK(fitted(85.471, 7) == "85.47");
  CHECK(fitted(10887.43, 7) == "10887.4");  // a row of nccl-tests 2.17.9
  CHECK(fitted(1234567.8, 7) == "1234568");
  CHECK(fitted(12345678.9, 7) == "1.2e+07");
  CHECK(fitted(1715.44, 6) == "1715.4");
  CHECK(fitted(5.7e6, 6) == "6e+06");
}

TEST_CASE("A row is that of nccl-tests 2.17.9, character by character") {
  // Oracle's table of two nodes of 8 A100, 2026: 1 GiB all-reduce.
  const Request request{Operation::all_reduce,
                        layout_of(Operation::all_reduce, 1U << 30U, ElementType::float32, 16),
                        ReduceOp::sum,
                        0,
                        {}};
  const CollectiveFlags flags;
  Measured out, in;
  out.seconds = 10887.4e-6;
  in.seconds = 10867.5e-6;
  const auto half = [&](const Measured& m) {
    const double algbw = static_cast<double>(request.layout.bytes()) / m.seconds;
    return row_half(m, flags, algbw, algbw * bus_factor(Operation::all_reduce, 16), 0);
  };
  CHECK(row_start(Operation::all_reduce, request) + half(out) + half(in) ==
        "  1073741824     268435456     float     sum      -1"
        "  10887.4   98.62  184.92       0  10867.5   98.80  185.26       0");
}

TEST_CASE("What is not checked says N/A, and a root is shown where there is one") {
  const Request request{
      Operation::broadcast, layout_of(Operation::broadcast, 64, ElementType::half, 4), ReduceOp::sum, 3, {}};
  CHECK(row_start(Operation::broadcast, request) == "          64            32      half    none       3");
  Measured m;
  m.seconds = 1e-6;
  CHECK(row_half(m, {}, 64e6, 64e6, std::nullopt) == "     1.00    0.06    0.06     N/A");
}

TEST_CASE("The list of ranks and the end") {
  CHECK(line_of({0, 0, 1000, "node-0", 0, "0000:0f:00", "NVIDIA A100-SXM4-40GB"}) ==
        "#  Rank  0 Group  0 Pid   1000 on     node-0 device  0 [0000:0f:00] NVIDIA A100-SXM4-40GB\n");
  CHECK(foot(Operation::all_reduce, 0, 467.089e9, std::nullopt) ==
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 467.089 \n#\n"
        "# Collective test concluded: all_reduce_perf\n");
  CHECK(too_slow(89e9, 100.0));
  CHECK_FALSE(too_slow(90e9, 100.0));
}
