#include "native/kernels/operands.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "native/harness/half.hpp"

namespace meshgauge::harness {
namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

void append(std::vector<std::byte>& bytes, MatmulFormat format, float x, std::uint32_t bits) {
  switch (format) {
    case MatmulFormat::bf16:
      return append(bytes, to_bfloat16(x).bits);
    case MatmulFormat::fp16:
      return append(bytes, to_half(x).bits);
    case MatmulFormat::fp8:
    case MatmulFormat::fp4: {
      constexpr std::uint32_t one = 0x38;  // in e4m3: 4 bits of exponent with bias 7, 3 of mantissa
      return append(bytes, static_cast<std::uint8_t>(bits % (one + 1) | (bits >> 24U & 0x80U)));
    }
    case MatmulFormat::fp32:
    case MatmulFormat::tf32:
      return append(bytes, x);
  }
}

}  // namespace

Buffer random_operands(Device& device, MatmulFormat format, std::size_t bytes, unsigned seed) {
  Buffer buffer(device, bytes);
  constexpr std::size_t block = std::size_t{1} << 20U;
  std::vector<std::byte> host;
  std::mt19937 random(seed);
  while (host.size() < std::min(bytes, block)) {
    const auto bits = static_cast<std::uint32_t>(random());
    append(host, format, static_cast<float>(bits) * 0x1p-31F - 1, bits);
  }
  for (std::size_t done = 0; done < bytes; done += host.size()) {
    device.copy_in(static_cast<std::byte*>(buffer.data()) + done, host.data(), std::min(host.size(), bytes - done));
  }
  return buffer;
}

}  // namespace meshgauge::harness
