// The handbook cases: every figure is worked out again, and the estimate of the case's scenario says the same.
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog/embedded.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/formula.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::evaluate_formula;
using meshgauge::testing::json;

const json& handbook() {
  static const json entries = json::parse(meshgauge::embedded::handbook_json);
  return entries;
}

bool close(double actual, double wanted, double relative) {
  return std::abs(actual - wanted) <= relative * std::abs(wanted);
}

bool has_both_languages(const json& text) {
  return text.is_object() && text.size() == 2 && !text.value("en", "").empty() && !text.value("zh", "").empty();
}

bool is_ascii(const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > 127) return false;
  }
  return true;
}

std::map<std::string, double> values_of(const json& figure) {
  return figure.at("values").get<std::map<std::string, double>>();
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Appends what `name` selects in `node`: a member of an object, or the items of an array with that id or category.
bool select(const json& node, const std::string& name, std::vector<const json*>& selected) {
  const std::size_t before = selected.size();
  if (node.is_object()) {
    if (node.contains(name)) selected.push_back(&node.at(name));
  } else if (name.find_first_not_of("0123456789") == std::string::npos) {
    const std::size_t index = std::stoul(name);
    if (index < node.size()) selected.push_back(&node.at(index));
  } else {
    for (const json& item : node) {
      if (item.value("id", "") == name || item.value("category", "") == name) selected.push_back(&item);
    }
  }
  return selected.size() > before;
}

/// A JSON pointer whose segments may also name array items, and several members joined by "+": their sum. Nothing if a
/// name selects nothing.
std::optional<double> sum_at(const json& response, const std::string& pointer) {
  std::vector<const json*> nodes{&response};
  for (const std::string& segment : split(std::string_view(pointer).substr(1), '/')) {
    std::set<const json*> seen;
    std::vector<const json*> next;
    for (const std::string& name : split(segment, '+')) {
      std::vector<const json*> selected;
      for (const json* node : nodes) select(*node, name, selected);
      if (selected.empty()) return std::nullopt;
      for (const json* item : selected) {
        if (seen.insert(item).second) next.push_back(item);
      }
    }
    nodes = next;
  }
  double sum = 0;
  for (const json* node : nodes) {
    if (!node->is_number()) return std::nullopt;
    sum += node->get<double>();
  }
  return sum;
}

json estimate(const json& scenario) {
  return ask({{"command", "estimate"}, {"scenario", scenario}, {"explain", true}});
}

}  // namespace

TEST_CASE("Every handbook entry is one line that starts with its id") {
  std::size_t lines = 0;
  for (const std::string& line : split(meshgauge::embedded::handbook_json, '\n')) {
    if (line.empty() || line == "[" || line == "]") continue;
    CHECK(line.substr(0, 7) == R"({"id":")");
    ++lines;
  }
  CHECK(lines == handbook().size());
}

TEST_CASE("Every handbook entry says what the text says, what follows and why, in English and Chinese") {
  for (const json& entry : handbook()) {
    INFO(entry.at("id"));
    for (const char* key : {"title", "text_says", "follows", "why"}) {
      INFO(key);
      REQUIRE(has_both_languages(entry.at(key)));
      CHECK_FALSE(is_ascii(entry.at(key).at("zh")));
    }
    CHECK_FALSE(entry.at("source").get<std::string>().empty());
    CHECK(entry.at("scenario").is_object());
    REQUIRE_FALSE(entry.at("figures").empty());
    for (const json& figure : entry.at("figures")) {
      INFO(figure.at("what"));
      CHECK(has_both_languages(figure.at("what")));
      CHECK((figure.at("text").is_null() || figure.at("text").is_number()));
      CHECK(figure.at("unit").is_string());
      if (figure.contains("note")) CHECK(has_both_languages(figure.at("note")));
    }
  }
}

TEST_CASE("The handbook holds each known case once") {
  std::set<std::string> ids;
  for (const json& entry : handbook()) CHECK(ids.insert(entry.at("id")).second);
  const std::string known =
      "model-sizes 70b-divided-by-two llama-7b-states adam-and-sgd zero-1 zero-2 zero-3 7b-112gb activations-38gb "
      "activations-llama-7b full-recompute sqrt-l-checkpoints nvlink-900 70b-one-node 405b-layout "
      "70b-single-card-years bert-states bert-hours fp16-gradients 1.5b-on-v100 gpt3-layout pipeline-bubble "
      "tp-and-pp-messages mt-nlg-layout llama-65b-21-days bubble-18-percent stage-boundary-2.5gb";
  for (const std::string& id : split(known, ' ')) {
    INFO(id);
    CHECK(ids.count(id) == 1);
  }
}

TEST_CASE("The formula of each handbook figure gives its value") {
  for (const json& entry : handbook()) {
    for (const json& figure : entry.at("figures")) {
      INFO(entry.at("id") << " " << figure.at("what"));
      const double value = figure.at("value");
      const double computed = evaluate_formula(figure.at("formula").get<std::string>(), values_of(figure));
      CHECK(std::isfinite(computed));
      CHECK(close(computed, value, 0.0005));
    }
  }
}

TEST_CASE("A handbook entry agrees exactly when each figure of the text is within 5 %") {
  for (const json& entry : handbook()) {
    bool all = true;
    for (const json& figure : entry.at("figures")) {
      if (!figure.at("text").is_null()) all = all && close(figure.at("text"), figure.at("value"), 0.05);
    }
    INFO(entry.at("id"));
    CHECK(entry.at("agrees") == all);
  }
}

TEST_CASE("Each handbook scenario estimates without issues and bears out the figures that point into it") {
  for (const json& entry : handbook()) {
    INFO(entry.at("id"));
    const json response = estimate(entry.at("scenario"));
    INFO(response.value("issues", json()).dump());
    REQUIRE(response.at("ok") == true);
    for (const json& figure : entry.at("figures")) {
      if (!figure.contains("pointer")) continue;
      INFO(figure.at("what") << " " << figure.at("pointer"));
      const std::optional<double> found = sum_at(response, figure.at("pointer"));
      REQUIRE(found.has_value());
      CHECK(close(*found * figure.value("scale", 1.0), figure.at("value"), 0.005));
    }
  }
}

TEST_CASE("A handbook scenario can be asked for by its id") {
  const json& entry = handbook().front();
  const std::string name = "handbook:" + entry.at("id").get<std::string>();
  json by_name = estimate(name), by_value = estimate(entry.at("scenario"));
  REQUIRE(by_name.at("ok") == true);
  CHECK(by_name.at("memory") == by_value.at("memory"));
  CHECK(by_name.at("step") == by_value.at("step"));
}

TEST_CASE("An unknown handbook id is an issue that names it") {
  const json response = estimate("handbook:no-such-case");
  REQUIRE(response.at("ok") == false);
  CHECK_THAT(response.at("issues").at(0).at("message").get<std::string>(),
             Catch::Matchers::ContainsSubstring("no-such-case"));
}
