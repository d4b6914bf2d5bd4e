// Physical amounts as types: bytes, seconds, FLOPs and their rates. GB is 1e9 bytes, GiB is 2^30.
#pragma once

#include <compare>

namespace meshgauge {

/// A double tagged with its unit. Sums need the same unit; a ratio of equal units is a plain number.
/// Doubles, because integers up to 2^53 (9 PB) are exact and cross to JavaScript unharmed.
template <class Unit>
struct Quantity {
  double value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;  // NOLINT(modernize-use-nullptr): the literal 0 of <=>
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return {k * a.value}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return {a.value * k}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return {a.value / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Bytes = Quantity<struct ByteUnit>;
using Seconds = Quantity<struct SecondUnit>;
using Flops = Quantity<struct FlopUnit>;
using BytesPerSecond = Quantity<struct ByteRateUnit>;
using FlopsPerSecond = Quantity<struct FlopRateUnit>;

constexpr Seconds operator/(Bytes n, BytesPerSecond r) { return {n.value / r.value}; }
constexpr Seconds operator/(Flops n, FlopsPerSecond r) { return {n.value / r.value}; }
constexpr Bytes operator*(BytesPerSecond r, Seconds t) { return {r.value * t.value}; }
constexpr Flops operator*(FlopsPerSecond r, Seconds t) { return {r.value * t.value}; }

inline constexpr double kilo = 1e3, mega = 1e6, giga = 1e9, tera = 1e12;
inline constexpr Bytes kibibyte{1024.0}, mebibyte{1048576.0}, gibibyte{1073741824.0};

template <class Unit>
constexpr Quantity<Unit> max(Quantity<Unit> a, Quantity<Unit> b) {
  return a.value < b.value ? b : a;
}
template <class Unit>
constexpr Quantity<Unit> min(Quantity<Unit> a, Quantity<Unit> b) {
  return b.value < a.value ? b : a;
}

}  // namespace meshgauge
