// Sub-groups: tensor parallelism among neighbours, data parallelism across, and nccl-tests' environment.
#include "native/collectives/groups.hpp"

#include <cstdlib>

#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Groups of neighbours and of ranks far apart") {
  const Grouping tp = grouping_of("tp=4", 8), dp = grouping_of("dp=4", 8);
  CHECK((tp.colour(3) == 0 && tp.colour(4) == 1 && tp.size == 4));
  CHECK((dp.colour(0) == 0 && dp.colour(2) == 0 && dp.colour(3) == 1 && dp.stride == 2));
  CHECK(grouping_of("", 8).size == 8);
}

TEST_CASE("A split that does not divide the ranks names those that do") {
  CHECK_THROWS_WITH(grouping_of("tp=3", 8), ContainsSubstring("Allowed: 1, 2, 4, 8."));
  for (const char* split : {"tp", "tp=", "tp=0", "tp=2x", "pp=2", "=2", "tp=-2"}) {
    CHECK_THROWS_AS(grouping_of(split, 8), BadInput);
  }
}

TEST_CASE("NCCL_TESTS_SPLIT joins rank and number") {
  const auto colour = [](const char* value, int rank) {
    struct Unset {
      ~Unset() { unsetenv("NCCL_TESTS_SPLIT"); }
    } const after;
    setenv("NCCL_TESTS_SPLIT", value, 1);
    return colour_of_environment(rank);
  };
  CHECK(colour("MOD 4", 6) == 2);
  CHECK(colour("%4", 6) == 2);
  CHECK(colour("DIV 4", 6) == 1);
  CHECK(colour("/ 0x2", 6) == 3);
  CHECK(colour("and 0b11", 6) == 2);
  CHECK(colour("OR 1", 6) == 7);
  CHECK_THROWS_AS(colour("MOD 0", 6), BadInput);
  CHECK_THROWS_AS(colour("XOR 1", 6), BadInput);
  CHECK_FALSE(colour_of_environment(6).has_value());
}

TEST_CASE("The route of a group says how many of it share a node") {
  CHECK(route_of({0, 0, 1, 1}) == Route{4, 2});
  CHECK(route_of({0, 1}) == Route{2, 1});
  CHECK(route_of({3, 3, 3}) == Route{3, 3});
}
