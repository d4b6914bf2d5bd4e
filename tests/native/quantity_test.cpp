// Numbers as people write them (the table of units in the page's brief).
#include "native/cli/quantity.hpp"

#include "tests/support/catch.hpp"

using meshgauge::cli::parse_duration;
using meshgauge::cli::parse_quantity;
using meshgauge::cli::parse_share;
using meshgauge::cli::Scale;

TEST_CASE("Counts take k, M, B and T, exponents and digit groups") {
  const auto count = [](std::string_view text) { return parse_quantity(text, Scale::count); };
  CHECK(count("4096") == 4096);
  CHECK(count("1.4T") == 1.4e12);
  CHECK(count("1.4 t") == 1.4e12);
  CHECK(count("15e12") == 15e12);
  CHECK(count("8B") == 8e9);
  CHECK(count("70b") == 70e9);
  CHECK(count("3e21") == 3e21);
  CHECK(count("8k") == 8000);
  CHECK(count("1,000,000") == 1e6);
  CHECK(count("5_000") == 5000);
  CHECK(count("+3") == 3);
  CHECK(count("-3") == -3);
  CHECK(count("700亿") == 7e10);
  CHECK(count("1万亿") == 1e12);
}

TEST_CASE("Sequences count k as 1,024") {
  CHECK(parse_quantity("8k", Scale::sequence) == 8192);
  CHECK(parse_quantity("128K", Scale::sequence) == 131072);
  CHECK(parse_quantity("8192", Scale::sequence) == 8192);
  CHECK(parse_quantity("1M", Scale::sequence) == 1048576);
}

TEST_CASE("Durations take a unit or the flag's own") {
  CHECK(parse_duration("21", 86400) == 21 * 86400.0);
  CHECK(parse_duration("21d", 3600) == 21 * 86400.0);
  CHECK(parse_duration("70 h", 86400) == 70 * 3600.0);
  CHECK(parse_duration("3 weeks", 86400) == 3 * 604800.0);
  CHECK(parse_duration("90min", 86400) == 5400);
  CHECK(parse_duration("1e3 s", 86400) == 1000);
  CHECK_FALSE(parse_duration("3 moons", 86400));
  CHECK_FALSE(parse_duration("d", 86400));
  CHECK_FALSE(parse_duration("", 86400));
}

TEST_CASE("Shares are written with or without the percent sign") {
  CHECK(parse_share("46.2%") == Approx(0.462));
  CHECK(parse_share("46.2 %") == Approx(0.462));
  CHECK(parse_share("0.462") == Approx(0.462));
  CHECK_FALSE(parse_share("%"));
  CHECK_FALSE(parse_share("half"));
}

TEST_CASE("What is no number is none") {
  for (const char* text :
       {"", " ", "six", "8kk", "8 GB", "1.2.3", "--3", "NaN", "inf", "1e999", "0x10", "8k 9", "k", ",1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text, Scale::count));
  }
}
