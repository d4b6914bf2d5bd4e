// The search for the best layouts, in slices: branch and bound over grids, best bound first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/search/candidate.hpp"
#include "core/search/found.hpp"
#include "core/search/frontier.hpp"
#include "core/search/question.hpp"
#include "core/search/space.hpp"

namespace meshgauge {

class Planner {
 public:
  Planner(LayoutQuestion question, Profile profile);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// Goes on until about so many more layouts were evaluated. True once the search is done.
  bool advance(std::int64_t layouts);
  /// Share of the grids that are decided.
  [[nodiscard]] double progress() const;

  [[nodiscard]] const SearchCounts& counts() const { return counts_; }
  /// What every engine refuses, if none can train this at all: there is no layout then.
  [[nodiscard]] const Issues& issues() const { return issues_; }
  /// What was found so far.
  [[nodiscard]] Found found() const;

 private:
  struct Part;
  struct Branch {
    std::size_t part = 0, grid = 0;
    double bound = 0;
  };

  void bound(Branch&);
  void search(const Branch&);
  void search_schedule(Part&, Candidate&, Candidate& best);
  [[nodiscard]] bool can_improve(double bound) const;
  void keep(const Candidate&);

  LayoutQuestion question_;
  Profile profile_;
  Exclusions exclusions_;
  Issues issues_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< of the space: one for each engine
  std::vector<Branch> branches_;
  std::size_t with_bound_ = 0, next_ = 0;
  bool sorted_ = false;
  SearchCounts counts_;
  std::vector<Candidate> best_;
  Frontier frontier_;
};

}  // namespace meshgauge
