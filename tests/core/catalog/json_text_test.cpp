// The scanner of catalog lines against a full JSON parser.
#include "core/catalog/json_text.hpp"

#include <nlohmann/json.hpp>

#include "core/catalog/catalog.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

using nlohmann::json;

void compare(JsonText text, const json& parsed) {
  INFO(text.text);
  if (parsed.is_object()) {
    for (const auto& [key, value] : parsed.items()) compare(text.at(key), value);
    CHECK(text.at("no such key").absent());
  } else if (parsed.is_array()) {
    std::size_t count = 0;
    text.for_each([&](JsonText element) { compare(element, parsed.at(count++)); });
    CHECK(count == parsed.size());
  } else if (parsed.is_string()) {
    CHECK(text.string() == parsed.get<std::string>());
  } else if (parsed.is_boolean()) {
    CHECK(text.flag() == parsed.get<bool>());
  } else {
    REQUIRE(parsed.is_number());
    CHECK(text.number() == parsed.get<double>());
  }
}

}  // namespace

TEST_CASE("Scanning a catalog entry gives what a parser gives, to the last bit") {
  for (const CatalogKind kind : {CatalogKind::models, CatalogKind::gpus, CatalogKind::systems}) {
    for (const CatalogEntry& entry : catalog_entries(kind)) compare({entry.json}, json::parse(entry.json));
  }
}

TEST_CASE("Braces, commas and quotes inside strings are no structure") {
  constexpr std::string_view text = R"({"a":"}{,\"]","b":[{"c":"],"},-1.25,[]],"d":{"b":7}, "e" : true})";
  const JsonText object{text};
  CHECK(object.at("a").string() == "}{,\"]");
  CHECK(object.at("d").at("b").whole() == 7);
  CHECK(object.at("e").flag());
  compare(object, json::parse(text));
}

TEST_CASE("What is absent takes the default") {
  const JsonText object{R"({"a":1})"};
  CHECK(object.at("b").whole(3) == 3);
  CHECK(object.at("b").flag(true));
  CHECK(object.at("b").at("c").string().empty());
  CHECK(object.at("a").at("c").absent());
}

TEST_CASE("Text that ends early ends the scan") {
  constexpr std::string_view whole = R"({"a":[1,"x\"y",{"b":2}],"c":3})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const JsonText object{whole.substr(0, length)};
    std::size_t count = 0;
    object.at("a").for_each([&](JsonText) { ++count; });
    CHECK(count <= 3);
    CHECK(object.at("c").whole() <= 3);
  }
}

}  // namespace meshgauge
