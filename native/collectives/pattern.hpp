// Data whose results every type holds exactly, so that a check needs no tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "native/harness/element.hpp"

namespace meshgauge::harness {

/// The bits of a number in a type, rounded towards zero; and back.
[[nodiscard]] std::uint64_t bits_of(ElementType, double);
[[nodiscard]] double value_of(ElementType, std::uint64_t bits);

/// An endless row of elements that repeats after a prime number, so that no part of a buffer looks like its neighbour.
class Pattern {
 public:
  static constexpr std::size_t period = 4093;

  Pattern(ElementType type, const std::vector<std::uint64_t>& bits);
  [[nodiscard]] ElementType type() const { return type_; }
  /// Elements first, first + 1, ... of the row.
  void fill(std::byte* out, std::size_t first, std::size_t count) const;
  [[nodiscard]] std::uint64_t bits(std::size_t index) const;

 private:
  ElementType type_;
  std::vector<std::byte> table_;
};

/// What a rank sends where nothing is reduced: any bits. `round` gives each check new data.
[[nodiscard]] Pattern moved_pattern(ElementType, int rank, int round);
/// What a rank puts into a reduction: small numbers, of which every sum, product or mean along the way is exact.
[[nodiscard]] Pattern reduced_pattern(ElementType, ReduceOp, int rank, int ranks, int round);
/// What comes out.
[[nodiscard]] Pattern result_pattern(ElementType, ReduceOp, int ranks, int round);

/// Largest relative error of a right result: 0 but for means of floating point numbers over a number of ranks that is
/// no power of two, which NCCL takes by multiplying with the rounded 1/n first.
[[nodiscard]] double tolerance_of(ElementType, ReduceOp, int ranks);

}  // namespace meshgauge::harness
