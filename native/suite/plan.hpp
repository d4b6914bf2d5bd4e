// What the suite measures on these ranks, in which order, and about how long that takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

/// Measured as a whole or not at all: what an interrupted part had done is done again.
struct Part {
  std::string id;      ///< a file name: "all_reduce-tp8"
  std::string title;   ///< "all_reduce, groups of 8 inside nodes"
  std::string kind;    ///< of its records: guesses of one kind are wrong by like factors
  double seconds = 0;  ///< about
  /// Measures, prints its table and writes its records to the file. The status to end with.
  std::function<int(Runtime&, const std::string& json)> run;
};

struct SuiteScope {
  bool quick = false;  ///< fewer sizes and shapes: to see that all works
  std::string model;   ///< of the catalog, whose products are measured too; empty: none
  int tensor_parallel = 1, micro_batch = 1, sequence = 0;
};

[[nodiscard]] std::vector<Part> plan_of(const Runtime&, const SuiteScope&);

}  // namespace meshgauge::harness
