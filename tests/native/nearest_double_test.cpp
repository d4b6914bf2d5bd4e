// The WASM module's reading of decimals: the same double as the C library's.
#include "wasm/nearest_double.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "tests/support/catch.hpp"

namespace {

void same(const std::string& text) {
  char* end = nullptr;
  const double expected = std::strtod(text.c_str(), &end);
  const char* rest = nullptr;
  const double value = meshgauge::wasm::nearest_double(text.c_str(), &rest);
  INFO(text);
  CHECK(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected));
  CHECK(rest == end);
}

}  // namespace

TEST_CASE("Decimals are read to the nearest double in the WASM module too") {
  for (const char* text : {"0",
                           "-0",
                           "0.0",
                           "1",
                           "-1.5",
                           "0.1",
                           "1e22",
                           "1e23",
                           "123456789012345678901234567890",
                           "1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e400",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "4.9406564584124654e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1e-324",
                           "1e-400",
                           "9007199254740993",
                           "9007199254740992.999",
                           "9007199254740993.0000000000000000000000000001",
                           "0e5",
                           "1E+5",
                           "1e-99999999999",
                           "1.e",
                           "5.",
                           "0.000000000000000000000000000000000000000000000000000001e60"}) {
    if (std::strcmp(text, "1.e") != 0) same(text);  // no number of JSON
  }
}

TEST_CASE("Random doubles, half-way points and long decimals read alike") {
  std::mt19937_64 random(405);
  for (int i = 0; i < 4000; ++i) {
    const auto value = std::bit_cast<double>(random() & 0x7fefffffffffffffU);
    char text[900];
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 25), value);
    same(text);
    if (i % 8 == 0) {  // exactly between two doubles, and a hair above
      const double next = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + 1);
      if (next > 1e-300 && next < 1e300) {
        std::snprintf(text, sizeof text, "%.780Le", (static_cast<long double>(value) + next) / 2);
        same(text);
        const std::string with_more = text;
        same(with_more.substr(0, with_more.find('e')) + std::string(40, '0') + "1" +
             with_more.substr(with_more.find('e')));
      }
    }
  }
}
