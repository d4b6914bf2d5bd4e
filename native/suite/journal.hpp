// What a suite has measured so far, beside its results file, so that a break costs one part at most.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "native/harness/results.hpp"
#include "native/suite/plan.hpp"

namespace meshgauge::harness {

/// A folder with one file a finished part, written whole, and one that says on what and by which plan they were made.
/// For the rank that leads.
class Journal {
 public:
  /// Goes on with what is there. Throws BadInput where that is of other ranks, other hardware or another plan.
  Journal(const std::string& results, const Json& made_by);

  [[nodiscard]] bool has(const Part&) const;
  [[nodiscard]] std::string file_of(const Part&) const;
  /// The records of the part, as they were written.
  [[nodiscard]] Json records_of(const Part&) const;
  void remove() const;

  /// Forgets what there is.
  static void start_afresh(const std::string& results);

 private:
  std::string folder_;
};

}  // namespace meshgauge::harness
