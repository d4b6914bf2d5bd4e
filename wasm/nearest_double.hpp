// The double nearest to a decimal, ties to even, by whole numbers alone: the C library's strtod brings long double
// along, 4 KB compressed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace meshgauge::wasm {

/// A whole number of any size; words of 32 bits, the lowest first.
class Whole {
 public:
  void times_and_plus(std::uint32_t factor, std::uint32_t more) {
    std::uint64_t carry = more;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry > 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }
  void times_power_of_ten(int exponent) {
    for (; exponent >= 9; exponent -= 9) times_and_plus(1000000000, 0);
    for (; exponent > 0; --exponent) times_and_plus(10, 0);
  }
  void shift_left(int bits) {
    words_.insert(words_.begin(), static_cast<std::size_t>(bits / 32), 0U);
    times_and_plus(1U << static_cast<unsigned>(bits % 32), 0);
  }
  void halve() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = words_[i] >> 1U | (i + 1 < words_.size() ? words_[i + 1] << 31U : 0U);
    }
    trim();
  }
  [[nodiscard]] int bits() const {
    return words_.empty() ? 0 : static_cast<int>(32 * words_.size()) - std::countl_zero(words_.back());
  }
  [[nodiscard]] bool zero() const { return words_.empty(); }
  /// Takes `other` away if it is not larger.
  bool reduce_by(const Whole& other) {
    if (less_than(other)) return false;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t taken = borrow + (i < other.words_.size() ? other.words_[i] : 0U);
      borrow = words_[i] < taken ? 1 : 0;
      words_[i] = static_cast<std::uint32_t>(words_[i] - taken);
    }
    trim();
    return true;
  }

 private:
  [[nodiscard]] bool less_than(const Whole& other) const {
    if (words_.size() != other.words_.size()) return words_.size() < other.words_.size();
    return std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(), other.words_.rend());
  }
  void trim() {
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  std::vector<std::uint32_t> words_;  ///< the last is not 0
};

inline double double_of(std::uint64_t bits) {  // libc++ 14 has no std::bit_cast
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// quotient * 2^exponent, and something below it if `more`: rounded to 53 bits, fewer below 2^-1022.
inline double rounded(std::uint64_t quotient, int exponent, bool more) {
  const int width = 64 - std::countl_zero(quotient);
  const int kept = std::min(53, width + exponent + 1074);
  if (kept < 0) return 0;
  const int dropped = width - kept;  // 10 at least: the quotient has 63 bits
  const std::uint64_t half = std::uint64_t{1} << static_cast<unsigned>(dropped - 1);
  const std::uint64_t rest = dropped > 63 ? quotient : quotient & (2 * half - 1);
  std::uint64_t mantissa = dropped > 63 ? 0 : quotient >> static_cast<unsigned>(dropped);
  if (rest > half || (rest == half && (more || (mantissa & 1U) == 1))) ++mantissa;
  // A mantissa below 2^52 is subnormal, one that was rounded up to 2^53 runs over into the exponent as it should.
  const int power = exponent + dropped;
  if (mantissa < std::uint64_t{1} << 52U) return double_of(mantissa);
  const auto biased = static_cast<std::uint64_t>(power + 1074);
  if (power > 971) return double_of(std::uint64_t{2047} << 52U);
  return double_of((biased << 52U) + mantissa);
}

/// Reads [-]digits[.digits][e[+-]digits]; `end` is what follows.
inline double nearest_double(const char* text, const char** end) {
  const bool negative = *text == '-';
  if (negative) ++text;
  constexpr int most_digits = 780;  // no double's upper or lower half-way point has more (767)
  Whole numerator;
  std::uint64_t small = 0;
  int digits = 0, exponent = 0;
  bool point = false, rest = false;
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); ++text) {
    if (*text == '.') {
      point = true;
      continue;
    }
    const auto digit = static_cast<std::uint32_t>(*text - '0');
    if (point) --exponent;
    if (digits == 0 && digit == 0) continue;
    if (digits == most_digits) {
      rest |= digit != 0;
      ++exponent;
      continue;
    }
    ++digits;
    numerator.times_and_plus(10, digit);
    small = digits <= 15 ? 10 * small + digit : 0;
  }
  if (*text == 'e' || *text == 'E') {
    ++text;
    const bool down = *text == '-';
    if (*text == '-' || *text == '+') ++text;
    int written = 0;
    for (; *text >= '0' && *text <= '9'; ++text) written = std::min(100000, 10 * written + (*text - '0'));
    exponent += down ? -written : written;
  }
  if (end) *end = text;
  const double sign = negative ? -1 : 1;
  if (digits == 0 || digits + exponent < -330) return sign * 0.0;
  if (digits + exponent > 310) return sign * double_of(std::uint64_t{2047} << 52U);
  if (digits <= 15 && exponent >= -22 && exponent <= 22) {  // both are exact, so one operation rounds
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) power *= 10;
    return sign * (exponent < 0 ? static_cast<double>(small) / power : static_cast<double>(small) * power);
  }
  Whole denominator;
  denominator.times_and_plus(0, 1);
  (exponent < 0 ? denominator : numerator).times_power_of_ten(exponent < 0 ? -exponent : exponent);
  // Shifted so that the quotient has 63 or 64 bits.
  const int shift = 63 - (numerator.bits() - denominator.bits());
  if (shift > 0) {
    numerator.shift_left(shift);
  } else {
    denominator.shift_left(-shift);
  }
  denominator.shift_left(63);
  std::uint64_t quotient = 0;
  for (int bit = 0; bit < 64; ++bit) {
    quotient = quotient << 1U | (numerator.reduce_by(denominator) ? 1U : 0U);
    denominator.halve();
  }
  return sign * rounded(quotient, -shift, rest || !numerator.zero());
}

}  // namespace meshgauge::wasm
