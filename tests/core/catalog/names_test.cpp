// Spellings of names and the distance between them.
#include "core/catalog/names.hpp"

#include <array>

#include "tests/support/catch.hpp"

namespace meshgauge {

TEST_CASE("A name is looked up as written, without its owner, and without noise") {
  constexpr auto noise = std::to_array<std::string_view>({"instruct", "####"});
  CHECK(spellings("Org/Model_A 7B-Instruct-2407", noise) ==
        std::vector<std::string>{"org/model-a-7b-instruct-2407", "model-a-7b-instruct-2407", "model-a-7b"});
  CHECK(spellings("instruct", noise) == std::vector<std::string>{"instruct", "instruct", ""});
}

TEST_CASE("Four digits are noise only where the noise words say so") {
  constexpr auto noise = std::to_array<std::string_view>({"nvidia"});
  CHECK(spellings("NVIDIA RTX 4090", noise).back() == "rtx-4090");
}

TEST_CASE("Names compare without regard to case and separator") {
  CHECK(same_name("vit-bigg-14", "vit-bigG-14"));
  CHECK(same_name("a_b", "a-b"));
  CHECK_FALSE(same_name("a-b", "ab"));
  CHECK_FALSE(same_name("a-b", "a-bc"));
}

TEST_CASE("The words of a name are its runs of letters and of digits") {
  CHECK(letters_and_digits("LLaMA-3 8B") == "llama38b");
  CHECK(place_of_words("llama3", "llama-3.1-8b") == WordPlace::start);
  CHECK(place_of_words("llama3", "llama-33b") == WordPlace::none);
  CHECK(place_of_words("H100", "dgx-h100") == WordPlace::inside);
  CHECK(place_of_words("h10", "dgx-h100") == WordPlace::none);
  CHECK(place_of_words("", "dgx-h100") == WordPlace::none);
}

TEST_CASE("The distance of names is Levenshtein's over letters and digits") {
  CHECK(name_distance("kitten", "sitting", 9) == 3);  // Levenshtein 1966, the usual example
  CHECK(name_distance("llama3-8b", "llama-3-8B", 9) == 0);
  CHECK(name_distance("", "abc", 9) == 3);
  CHECK(name_distance("abc", "abc", 0) == 0);
  CHECK(name_distance("abcdef", "x", 2) > 2);
}

}  // namespace meshgauge
