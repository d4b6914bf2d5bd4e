#include "core/search/found.hpp"

#include <algorithm>

#include "core/resolve/resolve.hpp"
#include "core/search/frontier.hpp"

namespace meshgauge {

std::size_t pool_size(const LayoutQuestion& question) { return static_cast<std::size_t>(12 * question.top + 36); }

void cut_to_pool(const LayoutQuestion& question, std::vector<Candidate>& sorted) {
  const std::size_t size = pool_size(question);
  while (sorted.size() > size && sorted[size - 1].value < sorted.back().value) sorted.pop_back();
}

void cut_frontier(const LayoutQuestion& question, Found& found) {
  if (!found.best.empty()) {
    const double most = question.reach * resolve_cluster(question.request).gpu.memory.value;
    std::erase_if(found.frontier, [&](const Candidate& c) { return c.cost.memory.value > most; });
  }
  if (found.best.size() < pool_size(question)) return;  // nothing else was left out
  double reach = found.best.back().cost.seconds.value;
  reach = std::max(reach, question.reach * found.best.front().cost.seconds.value);
  const auto beyond = std::find_if(found.frontier.begin(), found.frontier.end(),
                                   [&](const Candidate& c) { return c.cost.seconds.value > reach; });
  if (question.goal == Goal::step) found.frontier.erase(beyond, found.frontier.end());
}

double value_of(Goal goal, const Grid& grid, const Evaluation& cost) {
  switch (goal) {
    case Goal::step:
      return cost.seconds.value;
    case Goal::tokens_per_dollar:  // the batch is the same for all, and so is the price of a GPU hour
      return cost.seconds.value * static_cast<double>(grid.gpus);
    case Goal::memory:
      return cost.memory.value;
  }
  return 0;
}

void merge(const LayoutQuestion& question, Found&& from, Found& into) {
  for (Candidate& c : from.best) {
    into.best.insert(std::upper_bound(into.best.begin(), into.best.end(), c, better), std::move(c));
  }
  cut_to_pool(question, into.best);
  Frontier frontier;
  for (std::vector<Candidate>* list : {&into.frontier, &from.frontier}) {
    for (Candidate& c : *list) {
      if (frontier.takes(c.cost)) frontier.add(std::move(c));
    }
  }
  into.frontier = frontier.list();
  into.counts.grids += from.counts.grids;
  into.counts.bounded += from.counts.bounded;
  into.counts.evaluated += from.counts.evaluated;
  into.counts.fit += from.counts.fit;
}

}  // namespace meshgauge
