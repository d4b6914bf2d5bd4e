// What a search has found.
#pragma once

#include <cstdint>
#include <vector>

#include "core/issue.hpp"
#include "core/search/candidate.hpp"
#include "core/search/question.hpp"

namespace meshgauge {

struct SearchCounts {
  std::int64_t grids = 0;      ///< legal ones of this shard
  std::int64_t bounded = 0;    ///< of these: left out, because their bound is no better than what was found
  std::int64_t evaluated = 0;  ///< layouts, each with time and memory
  std::int64_t fit = 0;        ///< of these
};

struct Found {
  /// The best layout of each schedule of a grid that fits, best first, as many as pool_size() and what equals the last.
  /// Once the search is done, the best layout of any other is worse than the last one.
  std::vector<Candidate> best;
  /// Time against memory, whether it fits or not. Once the search is done, nothing is missing that is no worse than
  /// the last of `best` or than the question's reach times the first.
  std::vector<Candidate> frontier;
  SearchCounts counts;
  Issues issues;  ///< what every engine refuses, if none can train this at all
};

/// Layouts that are held for the replay to choose from: a multiple of what is shown, as grids have many schedules.
[[nodiscard]] std::size_t pool_size(const LayoutQuestion&);
/// Leaves the pool of what is sorted; what equals the last one stays.
void cut_to_pool(const LayoutQuestion&, std::vector<Candidate>& sorted);
/// Leaves what no search of these layouts would miss.
void cut_frontier(const LayoutQuestion&, Found&);

/// What the goal makes of a layout: less is better.
[[nodiscard]] double value_of(Goal, const Grid&, const Evaluation&);

/// Both together, of the same question: what one search of both shards finds.
void merge(const LayoutQuestion&, Found&& from, Found& into);

}  // namespace meshgauge
