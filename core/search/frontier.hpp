// The layouts that nothing else beats in both time and memory.
#pragma once

#include <vector>

#include "core/search/candidate.hpp"

namespace meshgauge {

/// Sorted by time, hence from the most memory to the least.
class Frontier {
 public:
  /// Whether a layout with this cost may join: nothing beats it in one and equals it in the other.
  [[nodiscard]] bool takes(const Evaluation&) const;
  void add(Candidate);
  [[nodiscard]] const std::vector<Candidate>& list() const { return list_; }

 private:
  std::vector<Candidate> list_;
};

}  // namespace meshgauge
