#include "native/collectives/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "native/harness/half.hpp"

namespace meshgauge::harness {
namespace {

struct Format {
  bool floating = true;
  int exact_bits = 0;     ///< integers up to 2^exact_bits are exact
  int largest_power = 0;  ///< 2^largest_power is the largest power of two that is used in products
};

constexpr Format format_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return {false, 6, 6};
    case ElementType::uint8:
      return {false, 7, 7};
    case ElementType::int32:
      return {false, 30, 30};
    case ElementType::uint32:
      return {false, 31, 31};
    case ElementType::int64:
    case ElementType::uint64:
      return {false, 53, 53};  // as far as a double tells them apart
    case ElementType::half:
      return {true, 11, 15};
    case ElementType::bfloat16:
      return {true, 8, 100};
    case ElementType::float32:
      return {true, 24, 100};
    case ElementType::float64:
      return {true, 53, 100};
    case ElementType::f8e4m3:
      return {true, 4, 8};
    case ElementType::f8e5m2:
      return {true, 3, 15};
  }
  return {};
}

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t scrambled(int a, int b, std::size_t c) {
  return scrambled((static_cast<std::uint64_t>(a) << 40U) ^ (static_cast<std::uint64_t>(b) << 20U) ^ c);
}

/// An 8-bit format with `mantissa` bits and this bias; 0 or a normal number.
std::uint64_t byte_float_bits(double x, int mantissa, int bias) {
  if (x == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);  // 0.5 to 1
  const auto digits = static_cast<std::uint64_t>((fraction * 2 - 1) * (1 << mantissa));
  return (x < 0 ? 0x80U : 0U) | (static_cast<std::uint64_t>(exponent - 1 + bias) << static_cast<unsigned>(mantissa)) |
         digits;
}

double byte_float_value(std::uint64_t bits, int mantissa, int bias) {
  const auto exponent = static_cast<int>((bits & 0x7fU) >> static_cast<unsigned>(mantissa));
  const double digits = static_cast<double>(bits & ((1U << static_cast<unsigned>(mantissa)) - 1U)) / (1 << mantissa);
  const double size = exponent == 0 ? std::ldexp(digits, 1 - bias) : std::ldexp(1 + digits, exponent - bias);
  return (bits & 0x80U) != 0 ? -size : size;
}

/// What a rank adds at a place. The sum of all stays within the integers that the type has, in any order.
double summand(const Format& format, int rank, int ranks, int round, std::size_t place) {
  const double most = std::ldexp(1.0, format.exact_bits);
  const auto turn = static_cast<std::uint64_t>(rank) + scrambled(round, 0, place);
  if (ranks > most) return turn % static_cast<std::uint64_t>(ranks) < static_cast<std::uint64_t>(most) ? 1 : 0;
  const auto each = static_cast<std::uint64_t>(std::min(most / ranks, 100.0));
  return static_cast<double>(scrambled(rank, round, place) % (each + 1));
}

/// 2 or 1: the product of all is a power of two that the type has.
double factor(const Format& format, int rank, int ranks, int round, std::size_t place) {
  const auto turn = static_cast<std::uint64_t>(rank) + scrambled(round, 0, place);
  const bool may = turn % static_cast<std::uint64_t>(ranks) < static_cast<std::uint64_t>(format.largest_power);
  return may && (scrambled(rank, round, place) & 1U) != 0 ? 2 : 1;
}

/// A common number, one more or one less: the mean is the common one.
double around(const Format& format, int rank, int ranks, int round, std::size_t place) {
  const double most = std::ldexp(1.0, format.exact_bits) / ranks - 1;
  const auto middle = 1 + scrambled(round, 0, place) % static_cast<std::uint64_t>(std::clamp(most, 1.0, 50.0));
  const bool up = (scrambled(round, 1, place) & 1U) == static_cast<unsigned>(rank & 1);
  const bool paired = rank < ranks / 2 * 2;
  return static_cast<double>(middle) + (!paired ? 0 : up ? 1 : -1);
}

double operand(ElementType type, ReduceOp op, int rank, int ranks, int round, std::size_t place) {
  const Format format = format_of(type);
  switch (op) {
    case ReduceOp::sum:
      return summand(format, rank, ranks, round, place);
    case ReduceOp::prod:
      return factor(format, rank, ranks, round, place);
    case ReduceOp::avg:
      return around(format, rank, ranks, round, place);
    case ReduceOp::min:
    case ReduceOp::max:
      return static_cast<double>(scrambled(rank, round, place) % (std::min(1ULL << format.exact_bits, 100ULL) + 1));
  }
  return 0;
}

}  // namespace

std::uint64_t bits_of(ElementType type, double x) {
  switch (type) {
    case ElementType::int8:
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(x));
    case ElementType::uint8:
      return static_cast<std::uint8_t>(x);
    case ElementType::int32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(x));
    case ElementType::uint32:
      return static_cast<std::uint32_t>(x);
    case ElementType::int64:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    case ElementType::uint64:
      return static_cast<std::uint64_t>(x);
    case ElementType::half:
      return to_half(static_cast<float>(x)).bits;
    case ElementType::bfloat16:
      return to_bfloat16(static_cast<float>(x)).bits;
    case ElementType::float32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    case ElementType::float64:
      return std::bit_cast<std::uint64_t>(x);
    case ElementType::f8e4m3:
      return byte_float_bits(x, 3, 7);
    case ElementType::f8e5m2:
      return byte_float_bits(x, 2, 15);
  }
  return 0;
}

double value_of(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::int8:
      return static_cast<std::int8_t>(bits);
    case ElementType::uint8:
      return static_cast<std::uint8_t>(bits);
    case ElementType::int32:
      return static_cast<std::int32_t>(bits);
    case ElementType::uint32:
      return static_cast<std::uint32_t>(bits);
    case ElementType::int64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case ElementType::uint64:
      return static_cast<double>(bits);
    case ElementType::half:
      return to_float(Half{static_cast<std::uint16_t>(bits)});
    case ElementType::bfloat16:
      return to_float(Bfloat16{static_cast<std::uint16_t>(bits)});
    case ElementType::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::float64:
      return std::bit_cast<double>(bits);
    case ElementType::f8e4m3:
      return byte_float_value(bits, 3, 7);
    case ElementType::f8e5m2:
      return byte_float_value(bits, 2, 15);
  }
  return 0;
}

Pattern::Pattern(ElementType type, const std::vector<std::uint64_t>& bits)
    : type_(type), table_(bits.size() * bytes_of(type)) {
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&table_[i * bytes_of(type)], &bits[i], bytes_of(type));
}

void Pattern::fill(std::byte* out, std::size_t first, std::size_t count) const {
  const std::size_t size = bytes_of(type_);
  while (count > 0) {
    const std::size_t at = first % period;
    const std::size_t run = std::min(count, period - at);
    std::memcpy(out, &table_[at * size], run * size);
    out += run * size;
    first += run;
    count -= run;
  }
}

std::uint64_t Pattern::bits(std::size_t index) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &table_[index % period * bytes_of(type_)], bytes_of(type_));
  return bits;
}

Pattern moved_pattern(ElementType type, int rank, int round) {
  std::vector<std::uint64_t> bits(Pattern::period);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = scrambled(rank, round, i);
  return {type, bits};
}

Pattern reduced_pattern(ElementType type, ReduceOp op, int rank, int ranks, int round) {
  std::vector<std::uint64_t> bits(Pattern::period);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bits_of(type, operand(type, op, rank, ranks, round, i));
  return {type, bits};
}

Pattern result_pattern(ElementType type, ReduceOp op, int ranks, int round) {
  std::vector<std::uint64_t> bits(Pattern::period);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    double result = operand(type, op, 0, ranks, round, i);
    for (int rank = 1; rank < ranks; ++rank) {
      const double x = operand(type, op, rank, ranks, round, i);
      if (op == ReduceOp::sum || op == ReduceOp::avg) result += x;
      if (op == ReduceOp::prod) result *= x;
      if (op == ReduceOp::min) result = std::min(result, x);
      if (op == ReduceOp::max) result = std::max(result, x);
    }
    bits[i] = bits_of(type, op == ReduceOp::avg ? result / ranks : result);
  }
  return {type, bits};
}

double tolerance_of(ElementType type, ReduceOp op, int ranks) {
  const Format format = format_of(type);
  if (op != ReduceOp::avg || !format.floating) return 0;
  const bool exact =
      std::has_single_bit(static_cast<unsigned>(ranks)) && ranks * 2 <= std::ldexp(1.0, format.exact_bits);
  return exact ? 0 : ranks * std::ldexp(1.0, -format.exact_bits);
}

}  // namespace meshgauge::harness
