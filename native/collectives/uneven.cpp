#include "native/collectives/uneven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

/// Of what `from` sends, the share that `to` gets.
double share(int from, int to, int ranks, const Skew& skew) {
  const double n = ranks;
  if (ranks == 1) return 1;
  if (skew.imbalance > 0) return to == 0 ? skew.imbalance / n : (1 - skew.imbalance / n) / (n - 1);
  const int distance = (to - from + ranks) % ranks;
  return (1 - skew.spread) / n + skew.spread * distance / (n * (n - 1) / 2);
}

/// "1.5e6"
std::size_t bytes_in(const std::string& word, const std::string& file, std::size_t row, double scale) {
  double value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  constexpr double most = 1e15;
  if (error == std::errc{} && stop == word.data() + word.size() && value >= 0 && value * scale <= most) {
    return static_cast<std::size_t>(value * scale) / 16 * 16;
  }
  throw BadInput(
      fmt::format("--matrix {}: {} in row {} is no number of bytes. Allowed: 0 to 1e15, times --matrix-scale.",
                  in_quotes(file), in_quotes(word), row + 1));
}

}  // namespace

Traffic bytes_of_matrix(std::string_view text, const std::string& file, double scale) {
  Traffic rows;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::size_t> row;
    for (std::string word; words >> word;) row.push_back(bytes_in(word, file, rows.size(), scale));
    if (!row.empty()) rows.push_back(std::move(row));
  }
  if (rows.empty()) throw BadInput(fmt::format("--matrix {}: there is nothing in it.", in_quotes(file)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() == rows.size()) continue;
    throw BadInput(fmt::format("--matrix {}: row {} has {} numbers, and there are {} rows. Expected: a square.",
                               in_quotes(file), i + 1, rows[i].size(), rows.size()));
  }
  return rows;
}

Traffic traffic_of(const Traffic& bytes, ElementType type, int ranks) {
  const auto n = static_cast<std::ptrdiff_t>(ranks);
  Traffic traffic(bytes.begin(), bytes.begin() + n);
  for (auto& row : traffic) {
    row.resize(static_cast<std::size_t>(n));
    for (std::size_t& count : row) count /= bytes_of(type);
  }
  return traffic;
}

Traffic traffic_of(std::size_t bytes, ElementType type, int ranks, const Skew& skew) {
  const Layout even = layout_of(Operation::alltoall, bytes, type, ranks);
  const auto all = static_cast<double>(even.send);
  const std::size_t whole_lines = 16 / bytes_of(type);
  Traffic traffic(static_cast<std::size_t>(ranks), std::vector<std::size_t>(static_cast<std::size_t>(ranks)));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const auto elements = static_cast<std::size_t>(all * share(from, to, ranks, skew) + 1e-6);
      traffic[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = elements / whole_lines * whole_lines;
    }
  }
  return traffic;
}

Layout layout_of(const Traffic& traffic, ElementType type, std::size_t bytes) {
  Layout layout{layout_of(Operation::alltoall, bytes, type, static_cast<int>(traffic.size())).count, 0, 0, 0, 0, type};
  for (std::size_t r = 0; r < traffic.size(); ++r) {
    std::size_t received = 0;
    for (const auto& row : traffic) received += row[r];
    layout.send = std::max(layout.send, std::accumulate(traffic[r].begin(), traffic[r].end(), std::size_t{0}));
    layout.receive = std::max(layout.receive, received);
  }
  return layout;
}

}  // namespace meshgauge::harness
