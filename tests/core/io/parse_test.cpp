// JSON text: what is wrong is said with line, column and what was met.
#include "core/io/parse.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"

namespace {

using meshgauge::parse_json;

std::string problem(std::string_view text) {
  const auto result = parse_json(text);
  if (result.issues.empty()) return "accepted";
  return result.issues.at(0).path + "|" + result.issues.at(0).message;
}

}  // namespace

TEST_CASE("Syntax errors name line, column and what was met") {
  CHECK(problem("") == "|line 1, column 1: the text ends here, and a value was expected.");
  CHECK(problem("{") == "|line 1, column 2: the text ends here, and a key in double quotes was expected.");
  CHECK(problem("{\n \"a\": 1,\n \"b\": ?\n}") == "|line 3, column 7: met \"?\", and a value was expected.");
  CHECK(problem(R"({"a":})") == "|line 1, column 6: met \"}\", and a value was expected.");
  CHECK(problem(R"({"a" 1})") == "|line 1, column 6: met \"1\", and ':' was expected.");
  CHECK(problem(R"({"a":1,})") == "|line 1, column 8: met \"}\", and a key in double quotes was expected.");
  CHECK(problem(R"({"a":1 "b":2})") == "|line 1, column 8: met \"b\", and ',' or '}' was expected.");
  CHECK(problem("[1 2]") == "|line 1, column 4: met \"2\", and ',' or ']' was expected.");
  CHECK(problem("{} {}") == "|line 1, column 4: met \"{\", and the document had ended before it.");
  CHECK(problem("{'a':1}") ==
        "|line 1, column 2: met \"'\", and a key in double quotes was expected. Strings take double quotes.");
  CHECK(problem("// x\n{}") == "|line 1, column 1: met \"/\", and a value was expected. JSON has no comments.");
  CHECK(problem("\"abc") == "|line 1, column 5: the text ends here, and the string has no closing quote.");
  CHECK(problem("[tru]") == "|line 1, column 2: met \"tru\", and a value was expected.");
  CHECK(problem("[True]") ==
        "|line 1, column 2: met \"True\", and a value was expected. JSON writes true, false, null.");
}

TEST_CASE("Numbers are finite") {
  CHECK(problem("[NaN]") == "|line 1, column 2: met \"NaN\", and a value was expected. Numbers must be finite.");
  CHECK(problem("[-Infinity]") ==
        "|line 1, column 2: met \"-Infinity\", and the number is incomplete. Numbers must be finite.");
  CHECK(problem("[1e999]") == "|line 1, column 2: 1e999 is too large. Numbers go up to 1.8e+308.");
  CHECK(problem("[1, -1e400]") == "|line 1, column 5: -1e400 is too large. Numbers go up to 1.8e+308.");
  CHECK(problem("[1e308, 5e-324, 1e-999]") == "accepted");
  CHECK(problem("[01]") != "accepted");
  CHECK(problem("[1.]") != "accepted");
  CHECK(problem("[.5]") != "accepted");
  CHECK(problem("[+1]") != "accepted");
  CHECK(problem("[0x10]") != "accepted");
}

TEST_CASE("A key may be given once in each object") {
  CHECK(problem(R"({"a":1,"a":2})") == "/a|\"a\" is given twice. Keep one.");
  CHECK(problem(R"({"x":[{"b/c":1},{"b/c":1,"b/c":2}]})") == "/x/1/b~1c|\"b/c\" is given twice. Keep one.");
  CHECK(problem(R"({"a":{"b":1},"b":{"a":1}})") == "accepted");
  CHECK(problem(R"({"a":1,"\u0061":2})") == "/a|\"a\" is given twice. Keep one.");
  const auto both = parse_json(R"({"a":1,"a":2,"b":{"c":1,"c":2}})");
  REQUIRE(both.issues.size() == 2);
  CHECK(both.issues[1].path == "/b/c");
}

TEST_CASE("A repeated key keeps its first value, and what follows is read") {
  const auto result = parse_json(R"({"a":1,"a":{"a":[2,{"x":1,"x":2}]},"b":3})");
  REQUIRE(result.ok());
  CHECK(result.value->dump() == R"({"a":1,"b":3})");
  CHECK(result.issues.size() == 2);
  CHECK_FALSE(parse_json(R"({"a":1,"a":2)").ok());
}

TEST_CASE("Documents of very many values are refused before they take memory") {
  std::string text = "[0";
  for (std::size_t i = 0; i < meshgauge::most_values; ++i) text += ",[]";
  CHECK(problem(text + "]") == "|The document has more values than are read. Allowed: up to 262,144.");
}

TEST_CASE("Text that is not UTF-8 is shown escaped and refused") {
  const std::string refused = ", which is not UTF-8. Save the document as UTF-8 text.";
  CHECK(problem("{\"a\":\"\xff\"}") == "|line 1, column 7: met \"\\xff\"" + refused);
  CHECK(problem("{\"a\":\n\"caf\xe9\"}") == "|line 2, column 5: met \"\\xe9\"" + refused);  // Latin-1
  CHECK(problem("\xff\xfe{") == "|line 1, column 1: met \"\\xff\"" + refused);
  CHECK(problem(std::string_view("{}\0 junk", 8)) ==
        "|line 1, column 3: met \"\\u0000\", a NUL byte. Save the document as UTF-8 text.");
  CHECK(problem("[\"\xed\xa0\x80\"]") != "accepted");  // a surrogate
  CHECK(problem("[\"\\ud800\"]") != "accepted");
  CHECK(problem("[\"\xf0\x9f\x98\x80 \xe4\xb8\xad\"]") == "accepted");
  CHECK(problem("[\"\x1b[31m\"]") != "accepted");
}

TEST_CASE("A byte order mark is passed over and no column") {
  CHECK(problem("\xef\xbb\xbf{\"a\":1}") == "accepted");
  CHECK(problem("\xef\xbb\xbf?") == "|line 1, column 1: met \"?\", and a value was expected.");
}

TEST_CASE("Columns count characters") {
  CHECK(problem("{\"\xe4\xb8\xad\": ?}") == "|line 1, column 7: met \"?\", and a value was expected.");
}

TEST_CASE("Nesting stops at 64 levels, and brackets in strings are no nesting") {
  CHECK(problem(std::string(64, '[') + std::string(64, ']')) == "accepted");
  CHECK(problem(std::string(65, '[') + std::string(65, ']')) ==
        "|line 1, column 65: nested deeper than 64 levels, which is the limit.");
  CHECK(problem("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]") == "accepted");
}

TEST_CASE("Keys keep their order and numbers their kind") {
  const auto result = parse_json(R"({"z":1,"a":2.5,"m":[true,null,"x"]})");
  REQUIRE(result.ok());
  CHECK(result.value->dump() == R"({"z":1,"a":2.5,"m":[true,null,"x"]})");
}
