// How the time of a piece of work grows with its size: a ratio of processor time within one run, which a busy machine
// leaves as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>

namespace meshgauge::testing {

/// Of this process, the least of three tries.
template <class Work>
[[nodiscard]] double processor_seconds(const Work& work) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/// Time of `read(make(size))` over sixteen times that of a sixteenth: 1 where it grows in proportion, 16 where it grows
/// with the square.
template <class Make, class Read>
[[nodiscard]] double growth(std::size_t size, const Make& make, const Read& read) {
  constexpr int factor = 16;
  const std::string small = make(size / factor), large = make(size);
  const double base = processor_seconds([&] { read(small); });
  return processor_seconds([&] { read(large); }) / factor / std::max(base, 1.0 / CLOCKS_PER_SEC);
}

inline constexpr double in_proportion =
    4;  ///< a growth of this says that caches were missed, not that work was squared

}  // namespace meshgauge::testing
