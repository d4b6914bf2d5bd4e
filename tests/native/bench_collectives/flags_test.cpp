// Flags of nccl-tests and ours: sizes, sweeps, and what is refused.
#include "native/collectives/flags.hpp"

#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;
using Catch::Matchers::ContainsSubstring;

namespace {

CollectiveFlags read(std::vector<std::string> arguments, Operation op = Operation::all_reduce) {
  CollectiveFlags flags;
  REQUIRE_FALSE(read_collective_flags(op, arguments, flags).has_value());
  return flags;
}

std::string refused(const std::vector<std::string>& arguments, Operation op = Operation::all_reduce) {
  CollectiveFlags flags;
  try {
    (void)read_collective_flags(op, arguments, flags);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Sizes are numbers with K, M or G") {
  CHECK(size_of_text("8") == 8);
  CHECK(size_of_text("64K") == 65536);
  CHECK(size_of_text("1g") == std::size_t{1} << 30U);
  CHECK(size_of_text("38.3M") == 40160460);  // 38.3 * 2^20, rounded down
  for (const char* text : {"", "M", "-1", "8X", "8 M", "1e99", "nan", "8MB"})
    CHECK_FALSE(size_of_text(text).has_value());
}

TEST_CASE("Defaults are those of nccl-tests") {
  const CollectiveFlags f = read({});
  CHECK(f.least == 32U << 20U);
  CHECK(f.most == 32U << 20U);
  CHECK((f.step == 1U << 20U && f.factor == 1 && f.iterations == 20 && f.warm_up == 1 && f.aggregated == 1));
  CHECK((f.cycles == 1 && f.checks == 1 && f.root == 0 && f.average == Average::mean && f.blocking == Blocking::none));
  CHECK(f.types == std::vector{ElementType::float32});
  CHECK(f.ops == std::vector{ReduceOp::sum});
}

TEST_CASE("Sweeps by step and by factor end") {
  CHECK(sizes_of(read({"-b", "8", "-e", "128", "-f", "4"})) == std::vector<std::size_t>{8, 32, 128});
  CHECK(sizes_of(read({"-b", "1K", "-e", "4K", "-i", "1K"})) == std::vector<std::size_t>{1024, 2048, 3072, 4096});
  CHECK(sizes_of(read({"-b", "0", "-e", "8", "-f", "2"})) == std::vector<std::size_t>{0});
  CHECK(sizes_of(read({"--minbytes=8", "--maxbytes=8"})) == std::vector<std::size_t>{8});
}

TEST_CASE("What cannot be is refused with flag, value and what is allowed") {
  CHECK_THAT(refused({"-b", "2M", "-e", "1M"}), ContainsSubstring("-b 2M is more than -e 1M"));
  CHECK_THAT(refused({"-b", "1", "-e", "2", "-i", "0"}), ContainsSubstring("-i 0"));
  CHECK_THAT(refused({"-d", "floot"}), ContainsSubstring("Did you mean \"float\"?"));
  CHECK_THAT(refused({"-o", "mulsum"}), ContainsSubstring("mulsum"));
  CHECK_THAT(refused({"-D", "1"}), ContainsSubstring("-D 1"));
  CHECK_THAT(refused({"-K", "2"}), ContainsSubstring("-I 1"));
  CHECK_THAT(refused({"-G", "2", "-z", "1"}), ContainsSubstring("-G"));
  CHECK_THAT(refused({"--samples", "auto", "-I", "1"}), ContainsSubstring("--samples auto"));
  CHECK_THAT(refused({"-r", "-2"}, Operation::reduce), ContainsSubstring("-r -2"));
}

TEST_CASE("Flags without effect are noted, not swallowed") {
  const CollectiveFlags f = read({"-y", "1", "-p", "1", "-o", "max"}, Operation::all_gather);
  CHECK(f.notes.size() == 3);
}

TEST_CASE("Threads times GPUs are the ranks of a start without launcher") {
  CHECK(read({"-t", "2", "-g", "4"}).common.ranks == 8);
  CHECK(read({"-g", "4", "--ranks", "2"}).common.ranks == 2);
}
