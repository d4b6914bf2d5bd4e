// Data of checks: every partial result is exact, in whatever order ranks are joined.
#include "native/collectives/pattern.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;

TEST_CASE("Numbers in 8-bit formats are those of the OCP specification") {
  // OCP 8-bit Floating Point Specification, table 2: e4m3 1.0 = 0111.000 at bias 7, 448 = 1111.110; e5m2 at bias 15.
  CHECK(bits_of(ElementType::f8e4m3, 1) == 0x38);
  CHECK(bits_of(ElementType::f8e4m3, 448) == 0x7e);
  CHECK(bits_of(ElementType::f8e4m3, -15) == 0xd7);
  CHECK(bits_of(ElementType::f8e5m2, 1) == 0x3c);
  CHECK(bits_of(ElementType::f8e5m2, 57344) == 0x7b);
  CHECK(value_of(ElementType::f8e4m3, 0x01) == std::ldexp(1.0, -9));  // least subnormal
  for (int i = 0; i <= 8; ++i) CHECK(value_of(ElementType::f8e5m2, bits_of(ElementType::f8e5m2, i)) == i);
}

TEST_CASE("Sums, products and means of the operands are exact at every step") {
  for (std::size_t t = 0; t < all_names<ElementType>().size(); ++t) {
    const auto type = static_cast<ElementType>(t);
    for (const int ranks : {2, 3, 8, 61}) {
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max, ReduceOp::avg}) {
        std::vector<Pattern> sent;
        for (int rank = 0; rank < ranks; ++rank) sent.push_back(reduced_pattern(type, op, rank, ranks, 5));
        const Pattern result = result_pattern(type, op, ranks, 5);
        std::size_t inexact = 0, unlike = 0;
        for (std::size_t i = 0; i < Pattern::period; i += 37) {
          double x = value_of(type, sent[0].bits(i));
          for (std::size_t r = 1; r < sent.size(); ++r) {
            const double y = value_of(type, sent[r].bits(i));
            if (op == ReduceOp::sum || op == ReduceOp::avg) x += y;
            if (op == ReduceOp::prod) x *= y;
            if (op == ReduceOp::min) x = std::min(x, y);
            if (op == ReduceOp::max) x = std::max(x, y);
            // A mean is not asked to be exact on the way where it has a tolerance.
            if (tolerance_of(type, op, ranks) == 0) inexact += value_of(type, bits_of(type, x)) != x ? 1 : 0;
          }
          const double wanted = op == ReduceOp::avg ? x / ranks : x;
          unlike += value_of(type, result.bits(i)) != wanted ? 1 : 0;
        }
        INFO(name_of(type) << ' ' << name_of(op) << " over " << ranks);
        CHECK(inexact == 0);
        CHECK(unlike == 0);
      }
    }
  }
}

TEST_CASE("A pattern starts anywhere and repeats after a prime number of elements") {
  const Pattern pattern = moved_pattern(ElementType::int32, 1, 2);
  std::vector<std::byte> whole(4 * 10'000), part(4 * 300);
  pattern.fill(whole.data(), 0, 10'000);
  pattern.fill(part.data(), 4000, 300);  // over the seam
  CHECK(std::equal(part.begin(), part.end(), whole.begin() + 4 * 4000));
  CHECK(std::equal(whole.begin(), whole.begin() + 400, whole.begin() + 4 * Pattern::period));
}
