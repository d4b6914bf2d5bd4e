// Results of products are looked at: right ones pass in each format, a wrong element and swapped operands do not.
#include <cstdint>
#include <cstring>
#include <vector>

#include "native/harness/half.hpp"
#include "native/kernels/operands.hpp"
#include "native/kernels/product.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge;
using namespace meshgauge::harness;

namespace {

float read(const Buffer& buffer, std::size_t i, MatmulFormat format) {
  const auto* bytes = static_cast<const std::byte*>(buffer.data());
  if (format == MatmulFormat::fp8) {
    // E4M3, numbers up to 1: exponents 0 to 7 with bias 7, so 2^(e-7) (1 + m/8), or m/8 2^-6 below.
    const auto bits = static_cast<std::uint8_t>(bytes[i]);
    const int e = bits >> 3U & 15U, m = bits & 7U;
    const float size =
        e == 0 ? static_cast<float>(m) / 512 : static_cast<float>(8 + m) / 8 / static_cast<float>(1 << (7 - e));
    return (bits & 0x80U) != 0 ? -size : size;
  }
  if (format == MatmulFormat::fp32) {
    float x = 0;
    std::memcpy(&x, bytes + 4 * i, 4);
    return x;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes + 2 * i, 2);
  return format == MatmulFormat::fp16 ? to_float(Half{bits}) : to_float(Bfloat16{bits});
}

void write(const Buffer& buffer, std::size_t i, MatmulFormat format, float x) {
  auto* bytes = static_cast<std::byte*>(buffer.data());
  if (format == MatmulFormat::fp32) {
    std::memcpy(bytes + 4 * i, &x, 4);
  } else {
    const std::uint16_t bits = format == MatmulFormat::fp16 ? to_half(x).bits : to_bfloat16(x).bits;
    std::memcpy(bytes + 2 * i, &bits, 2);
  }
}

}  // namespace

TEST_CASE("Right products pass and wrong ones do not, in every format") {
  const std::unique_ptr<Device> device = cpu_device();
  const ProductShape shape{.m = 24, .n = 24, .k = 40, .groups = 3, .of = ""};
  for (const MatmulFormat format : {MatmulFormat::fp32, MatmulFormat::bf16, MatmulFormat::fp16, MatmulFormat::fp8}) {
    const auto in = static_cast<std::size_t>(operand_bytes(format)),
               out = static_cast<std::size_t>(result_bytes(format));
    const Buffer a = random_operands(*device, format, shape.groups * shape.m * shape.k * in, 1);
    const Buffer b = random_operands(*device, format, shape.groups * shape.n * shape.k * in, 2);
    const Buffer c(*device, shape.groups * shape.m * shape.n * out);
    for (std::size_t g = 0; g < shape.groups; ++g) {
      for (std::size_t i = 0; i < shape.m; ++i) {
        for (std::size_t j = 0; j < shape.n; ++j) {
          float sum = 0;
          for (std::size_t p = 0; p < shape.k; ++p) {
            sum += read(a, (g * shape.m + i) * shape.k + p, format) * read(b, (g * shape.n + j) * shape.k + p, format);
          }
          write(c, (g * shape.m + i) * shape.n + j, format, sum);
        }
      }
    }
    CAPTURE(name_of(format));
    CHECK(wrong_elements(*device, shape, format, {a.data(), b.data(), c.data()}) == 0);
    CHECK(wrong_elements(*device, shape, format, {b.data(), a.data(), c.data()}) > 8);
    write(c, shape.groups * shape.m * shape.n - 1, format, 99);
    CHECK(wrong_elements(*device, shape, format, {a.data(), b.data(), c.data()}) == 1);
  }
}
