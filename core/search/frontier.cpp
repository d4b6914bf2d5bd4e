#include "core/search/frontier.hpp"

#include <algorithm>

namespace meshgauge {

bool Frontier::takes(const Evaluation& cost) const {
  const auto slower =
      std::upper_bound(list_.begin(), list_.end(), cost,
                       [](const Evaluation& c, const Candidate& other) { return c.seconds < other.cost.seconds; });
  if (slower == list_.begin()) return true;
  const Evaluation& other = std::prev(slower)->cost;  // the slowest of those that are no slower holds the least of them
  return cost.memory < other.memory || (cost.memory == other.memory && cost.seconds == other.seconds);
}

void Frontier::add(Candidate candidate) {
  const Evaluation cost = candidate.cost;
  const auto first =
      std::lower_bound(list_.begin(), list_.end(), cost,
                       [](const Candidate& other, const Evaluation& c) { return other.cost.seconds < c.seconds; });
  const bool equal = first != list_.end() && first->cost.seconds == cost.seconds && first->cost.memory == cost.memory;
  if (equal && !better(candidate, *first)) return;
  auto last = first;
  while (last != list_.end() && last->cost.memory >= cost.memory) ++last;  // no faster, and they hold no less
  list_.insert(list_.erase(first, last), std::move(candidate));
}

}  // namespace meshgauge
