// Words of messages.
#include "core/scenario/words.hpp"

#include <array>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace meshgauge;

TEST_CASE("Quoted input is cut to forty characters and holds no control characters") {
  CHECK(in_quotes("bf16") == "\"bf16\"");
  CHECK(in_quotes(std::string(40, 'x')) == '"' + std::string(40, 'x') + '"');
  CHECK(in_quotes(std::string(41, 'x')) == '"' + std::string(40, 'x') + "...\"");
  CHECK(shortened("a\nb\tc\x1b[0m") == "a\\nb\\tc\\u001b[0m");
  CHECK(shortened("\xff\xfe") == "\\xff\\xfe");
  CHECK(shortened("\xe4\xb8\xad\xe6\x96\x87") == "\xe4\xb8\xad\xe6\x96\x87");
  CHECK(shortened("\xe2\x80\xae") == "\\u202e");  // turns the text round
  CHECK(shortened("\xc2\x9b") == "\\u009b");      // a terminal's control sequence introducer
  CHECK(shortened(std::string(1, '\0')) == "\\u0000");
}

TEST_CASE("UTF-8 is checked as Unicode's table 3-7 has it") {
  CHECK(utf8_character("a") == 1);
  CHECK(utf8_character("\xc3\xa9") == 2);
  CHECK(utf8_character("\xe4\xb8\xad") == 3);
  CHECK(utf8_character("\xf0\x9f\x98\x80") == 4);
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe4\xb8", "\xff"}) {
    CHECK(utf8_character(bad) == 0);
  }
}

TEST_CASE("Numbers are grouped in threes, and very large or small ones have an exponent") {
  CHECK(number_text(std::int64_t{131072}) == "131,072");
  CHECK(number_text(std::int64_t{-1000000}) == "-1,000,000");
  CHECK(number_text(std::int64_t{999}) == "999");
  CHECK(number_text(8.5) == "8.5");
  CHECK(number_text(-0.05) == "-0.05");
  CHECK(number_text(1234567.0) == "1,234,567");
  CHECK(number_text(1234567.8) == "1,234,570");
  CHECK(number_text(1.4e15) == "1.4e+15");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(3e-7) == "3e-7");
  CHECK(number_text(0.0) == "0");
}

TEST_CASE("Long lists are cut") {
  const std::vector<std::int64_t> few{1, 2, 4};
  CHECK(list_text(few) == "1, 2, 4");
  const std::vector<std::int64_t> many(13, 7);
  CHECK(list_text(many) == "7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 and more");
}

TEST_CASE("The nearest word is suggested if one is near") {
  constexpr std::array<std::string_view, 4> known{"tensor_parallel_size", "precision", "fp32", "bf16"};
  CHECK(nearest("tensor_paralel_size", known) == "tensor_parallel_size");
  CHECK(nearest("tensor_parallel", known) == "tensor_parallel_size");
  CHECK(nearest("PRECISION", known) == "precision");
  CHECK(nearest("bf-16", known) == "bf16");
  CHECK(nearest("gpus", known).empty());
  CHECK(nearest("", known).empty());
  CHECK(nearest(std::string(100000, 'a'), known).empty());
  CHECK(did_you_mean("fp31", known) == " Did you mean \"fp32\"?");
}
