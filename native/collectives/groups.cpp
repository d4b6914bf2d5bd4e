#include "native/collectives/groups.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/launch.hpp"

namespace meshgauge::harness {
namespace {

std::vector<std::int64_t> divisors(int n) {
  std::vector<std::int64_t> list;
  for (int d = 1; d <= n; ++d) {
    if (n % d == 0) list.push_back(d);
  }
  return list;
}

/// In base 2 or 16 with a prefix, or 10.
std::optional<int> whole_number(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  char* end = nullptr;
  const bool binary = text.rfind("0b", 0) == 0 || text.rfind("0B", 0) == 0;
  const char* digits = text.c_str() + (binary ? 2 : 0);
  const std::uint64_t value = std::strtoul(digits, &end, binary ? 2 : 0);
  if (end == digits || *end != '\0' || value > 0x7fffffffU) return std::nullopt;
  return static_cast<int>(value);
}

}  // namespace

Grouping grouping_of(const std::string& split, int ranks) {
  if (split.empty()) return {ranks, 1, ""};
  const std::size_t equals = split.find('=');
  const std::string axis = split.substr(0, equals);
  int size = 0;
  if (equals != std::string::npos) (void)std::from_chars(split.data() + equals + 1, split.data() + split.size(), size);
  if ((axis != "tp" && axis != "dp") || size < 1 || split != axis + '=' + std::to_string(size)) {
    throw BadInput("--split " + in_quotes(split) +
                   ": expected tp=N (groups of N neighbours) or dp=N (of N ranks far apart).");
  }
  if (ranks % size != 0) {
    throw BadInput("--split " + split + " does not divide " + std::to_string(ranks) +
                   " ranks. Allowed: " + list_text(divisors(ranks)) + '.');
  }
  return {size, axis == "tp" ? 1 : ranks / size, axis};
}

std::optional<int> colour_of_environment(int rank) {
  if (const auto mask = environment_variable("NCCL_TESTS_SPLIT_MASK")) {
    return rank & static_cast<int>(std::strtoul(mask->c_str(), nullptr, 16));
  }
  const auto text = environment_variable("NCCL_TESTS_SPLIT");
  if (!text) return std::nullopt;
  std::string upper = *text;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  struct Operator {
    const char* word;
    char sign;
  };
  for (const auto& [word, sign] : {Operator{"AND", '&'}, {"OR", '|'}, {"MOD", '%'}, {"DIV", '/'}}) {
    const std::string name = word;
    std::string rest;
    if (upper.rfind(name, 0) == 0) rest = upper.substr(name.size());
    if (!upper.empty() && upper[0] == sign) rest = upper.substr(1);
    const std::optional<int> k = rest.empty() ? std::nullopt : whole_number(rest);
    if (!k || ((sign == '%' || sign == '/') && *k == 0)) continue;
    if (sign == '&') return rank & *k;
    if (sign == '|') return rank | *k;
    return sign == '%' ? rank % *k : rank / *k;
  }
  throw BadInput("NCCL_TESTS_SPLIT is " + in_quotes(*text) +
                 ". Expected: AND, OR, MOD or DIV (or & | % /) and a number.");
}

Route route_of(const std::vector<int>& nodes) {
  std::map<int, std::int64_t> members;
  for (const int node : nodes) ++members[node];
  std::int64_t most = 1;
  for (const auto& [node, count] : members) most = std::max(most, count);
  return {static_cast<std::int64_t>(nodes.size()), most};
}

}  // namespace meshgauge::harness
