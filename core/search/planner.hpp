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

  /// Goes on with what another search of the same question had found when it had decided so many grids.
  void resume(Found found, std::int64_t decided);
  /// Goes on for about the work of so many layouts. True once the search is done.
  bool advance(std::int64_t layouts);
  /// Grids whose best layout is known or of no interest; all of them once the search is done.
  [[nodiscard]] std::int64_t decided() const { return static_cast<std::int64_t>(next_); }

  [[nodiscard]] const SearchCounts& counts() const { return counts_; }
  /// What every engine refuses, if none can train this at all: there is no layout then.
  [[nodiscard]] const Issues& issues() const { return issues_; }
  /// What was found so far.
  [[nodiscard]] Found found() const;

 private:
  struct Part;
  struct Branch {
    std::size_t part = 0, grid = 0;
    Evaluation least{};  ///< no layout of the grid takes or holds less
    double bound = 0;    ///< what that is worth
    bool may_fit = true;
  };

  void find_first();
  void bound_all();
  [[nodiscard]] bool try_out(const Branch&, Candidate&);
  void search(const Branch&);
  void search_schedule(Part&, Evaluation least, Candidate&);
  [[nodiscard]] bool can_improve(double bound) const;
  [[nodiscard]] bool is_open(const Candidate&, const Candidate& best) const;
  [[nodiscard]] bool is_open(const Branch&) const;
  void keep(const Candidate&);

  LayoutQuestion question_;
  Profile profile_;
  Exclusions exclusions_;
  Issues issues_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< of the space: one for each engine
  std::vector<Branch> branches_;
  bool has_first_ = false, sorted_ = false;
  std::size_t next_ = 0;
  std::int64_t work_ = 0;  ///< about that of a layout each
  SearchCounts counts_;
  std::vector<Candidate> best_;
  Frontier frontier_;
};

}  // namespace meshgauge
