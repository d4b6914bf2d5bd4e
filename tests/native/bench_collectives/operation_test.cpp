// Sizes and factors of nccl-tests: its doc/PERFORMANCE.md, and rows of published logs.
#include "native/collectives/operation.hpp"

#include "native/collectives/uneven.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;

TEST_CASE("Parts are rounded down to 16 bytes, as published tables show") {
  struct Row {
    Operation op;
    int ranks;
    std::size_t asked, bytes, count;
  };
  // all_gather -b 8 over 2 B200: 0, 0, 32; -b 4 over 8 A100: five empty rows, then 128; over 16 A100: six, then 256.
  for (const Row& row : {Row{Operation::all_gather, 2, 8, 0, 0}, Row{Operation::all_gather, 2, 16, 0, 0},
                         Row{Operation::all_gather, 2, 32, 32, 4}, Row{Operation::all_gather, 8, 64, 0, 0},
                         Row{Operation::all_gather, 8, 128, 128, 4}, Row{Operation::all_gather, 16, 128, 0, 0},
                         Row{Operation::all_gather, 16, 256, 256, 4}, Row{Operation::reduce_scatter, 8, 128, 128, 4},
                         Row{Operation::all_reduce, 16, 8, 8, 2}, Row{Operation::alltoall, 3, 100, 96, 8},
                         Row{Operation::gather, 3, 5 << 20, 5242848, 436904}}) {
    const Layout layout = layout_of(row.op, row.asked, ElementType::float32, row.ranks);
    INFO(name_of(row.op) << " of " << row.asked);
    CHECK(layout.bytes() == row.bytes);
    CHECK(layout.count == row.count);
  }
  CHECK(layout_of(Operation::all_gather, 64, ElementType::float64, 2).count == 4);
}

TEST_CASE("The bus bandwidth follows from the algorithm bandwidth") {
  CHECK(bus_factor(Operation::all_reduce, 16) == Approx(1.875));  // a published row: 238.19 GB/s is 446.60
  CHECK(446.60 / 238.19 == Approx(bus_factor(Operation::all_reduce, 16)).epsilon(1e-4));
  CHECK(bus_factor(Operation::all_gather, 8) == 0.875);
  CHECK(bus_factor(Operation::gather, 4) == 0.75);
  CHECK(bus_factor(Operation::broadcast, 8) == 1);
  CHECK(bus_factor(Operation::hypercube, 8) == 1);
  const Layout layout = layout_of(Operation::hypercube, 1024, ElementType::float32, 8);
  CHECK(counted_bytes(Operation::hypercube, layout, 8) == 128 * 7);
}

TEST_CASE("Uneven parts: by distance as nccl-tests', or one busy rank of a mixture of experts") {
  // nccl-tests src/alltoallv.cu: at spread 1 the parts of 4 ranks are as 0, 1, 2, 3 of 6.
  const Traffic far = traffic_of(96 * 1024, ElementType::uint8, 4, {.spread = 1});
  CHECK(far[0] == std::vector<std::size_t>{0, 16384, 32768, 49152});
  CHECK(far[1] == std::vector<std::size_t>{49152, 0, 16384, 32768});
  const Traffic even = traffic_of(96 * 1024, ElementType::uint8, 4, {.spread = 0});
  CHECK(even[3] == std::vector<std::size_t>(4, 24576));
  const Traffic experts = traffic_of(96 * 1024, ElementType::uint8, 4, {.imbalance = 2});
  CHECK(experts[2] == std::vector<std::size_t>{49152, 16384, 16384, 16384});
  const Layout layout = layout_of(experts, ElementType::uint8, 96 * 1024);
  CHECK(layout.send == 96 * 1024);
  CHECK(layout.receive == 2 * 96 * 1024);
}

TEST_CASE("A matrix of bytes says what each rank sends to each, as nccl-tests reads it") {
  // nccl-tests src/alltoallv.cu, its example of 3 ranks; each number is rounded down to 16 bytes.
  const Traffic bytes = bytes_of_matrix("100  200  150\n50   100  75\n\n300  150  200\n", "traffic.txt", 1);
  CHECK(bytes == Traffic{{96, 192, 144}, {48, 96, 64}, {288, 144, 192}});
  CHECK(bytes_of_matrix("1.5e3", "traffic.txt", 2) == Traffic{{2992}});
  CHECK(traffic_of(bytes, ElementType::float32, 2) == Traffic{{24, 48}, {12, 24}});  // more than there are ranks
  const Layout layout = layout_of(traffic_of(bytes, ElementType::uint8, 3), ElementType::uint8, 0);
  CHECK(layout.send == 288 + 144 + 192);
  CHECK(layout.receive == 96 + 48 + 288);
}

TEST_CASE("What is wrong with a matrix is said with its row") {
  struct Wrong {
    const char *text, *said;
  };
  for (const Wrong& wrong : {Wrong{"1 2\n3 4 5\n", "row 2 has 3 numbers, and there are 2 rows"},
                             {"1 2 3\n", "row 1 has 3 numbers"},
                             {"16 16\n16 x\n", "\"x\" in row 2"},
                             {"16 -1\n16 16\n", "\"-1\" in row 1"},
                             {"16 nan\n16 16\n", "\"nan\" in row 1"},
                             {"16 1e300\n16 16\n", "\"1e300\" in row 1"},
                             {" \n\n", "there is nothing in it"}}) {
    CHECK_THROWS_WITH(bytes_of_matrix(wrong.text, "traffic.txt", 1), Catch::Matchers::ContainsSubstring(wrong.said));
  }
}
