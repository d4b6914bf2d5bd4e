// Each value of an enumeration, so that tests of all of them try a new one too.
#pragma once

#include <cstddef>
#include <vector>

#include "core/scenario/names.hpp"

namespace meshgauge::test {

template <class Enum>
std::vector<Enum> every() {
  std::vector<Enum> values;
  for (std::size_t i = 0; i < all_names<Enum>().size(); ++i) values.push_back(static_cast<Enum>(i));
  return values;
}

}  // namespace meshgauge::test
