// A check finds what is wrong, counts it and says where.
#include "native/collectives/check.hpp"

#include <array>
#include <cstring>

#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;

namespace {

/// An all-gather's receive buffer as it should be.
std::vector<std::byte> gathered(const Request& request, int ranks, int round) {
  std::vector<std::byte> data(request.layout.receive * bytes_of(request.layout.type));
  const std::size_t part = request.layout.count * bytes_of(request.layout.type);
  for (int r = 0; r < ranks; ++r) {
    moved_pattern(request.layout.type, r, round)
        .fill(&data[part * static_cast<std::size_t>(r)], 0, request.layout.count);
  }
  return data;
}

}  // namespace

TEST_CASE("A right buffer has nothing wrong, one bit is found and named") {
  const auto device = cpu_device();
  const Request request{
      Operation::all_gather, layout_of(Operation::all_gather, 120'000, ElementType::half, 3), ReduceOp::sum, 0, {}};
  std::vector<std::byte> data = gathered(request, 3, 7);
  const auto segments = expected_segments(request, 1, 3, false, {}, {});
  CHECK(compare(*device, data.data(), request, 3, segments, 7).count == 0);
  CHECK(compare(*device, data.data(), request, 3, segments, 8).count > 50'000);  // data of another round

  data[2 * 30'001] ^= std::byte{1};
  data[2 * 41'000 + 1] ^= std::byte{0x80};
  const Wrong wrong = compare(*device, data.data(), request, 3, segments, 7);
  CHECK(wrong.count == 2);
  CHECK_THAT(wrong.first, Catch::Matchers::ContainsSubstring("element 30001 (byte 60002)"));
}

TEST_CASE("Parts that changed places are wrong") {
  const auto device = cpu_device();
  const Request request{Operation::all_gather,
                        layout_of(Operation::all_gather, 1U << 20U, ElementType::float32, 2),
                        ReduceOp::sum,
                        0,
                        {}};
  std::vector<std::byte> data = gathered(request, 2, 1);
  std::swap_ranges(data.begin(), data.begin() + (1U << 19U), data.begin() + (1U << 19U));
  CHECK(compare(*device, data.data(), request, 2, expected_segments(request, 0, 2, false, {}, {}), 1).count > 260'000);
}

TEST_CASE("A reduction that leaves a rank out is wrong in every type") {
  const auto device = cpu_device();
  for (const ElementType type :
       {ElementType::int8, ElementType::uint8, ElementType::half, ElementType::bfloat16, ElementType::float32,
        ElementType::float64, ElementType::f8e4m3, ElementType::f8e5m2}) {
    const Request request{Operation::all_reduce, layout_of(Operation::all_reduce, 8192, type, 4), ReduceOp::sum, 0, {}};
    std::vector<std::byte> data(request.layout.bytes());
    const auto segments = expected_segments(request, 0, 4, false, {}, {});
    result_pattern(type, ReduceOp::sum, 4, 3).fill(data.data(), 0, request.layout.count);
    INFO(name_of(type));
    CHECK(compare(*device, data.data(), request, 4, segments, 3).count == 0);
    for (std::size_t i = 0; i < request.layout.count; ++i) {  // without rank 2
      double sum = 0;
      for (const int rank : {0, 1, 3})
        sum += value_of(type, reduced_pattern(type, ReduceOp::sum, rank, 4, 3).bits(i % 100));
      const std::uint64_t bits = bits_of(type, sum);
      if (i < 100) std::memcpy(&data[i * bytes_of(type)], &bits, bytes_of(type));
      if (i >= 100) break;
    }
    CHECK(compare(*device, data.data(), request, 4, segments, 3).count > 30);
  }
}
