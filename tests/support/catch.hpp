// Catch2 2.13 and 3 behind one include, spelled as version 3 spells it.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#include <string>

namespace Catch::Matchers {
// NOLINTNEXTLINE(readability-identifier-naming): as version 3 names it
inline auto ContainsSubstring(const std::string& part) { return Contains(part); }
}  // namespace Catch::Matchers
#endif
