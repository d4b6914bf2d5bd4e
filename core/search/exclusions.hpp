// Which layouts were left out, by the rule that they break.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/resolve/rules.hpp"

namespace meshgauge {

/// A rule that left something out. `message` is of the first case: it names what would be legal.
struct Exclusion {
  const char* rule;
  const char* text;
  std::int64_t count = 0;
  Issue first;
};

/// Judges a scenario whose fields up to some dimension are set, and counts what breaks.
class Exclusions {
 public:
  Exclusions();
  /// True if all rules that can be judged once `dimension` is known hold.
  [[nodiscard]] bool keeps(Dimension dimension, const Scenario&);
  /// Every rule that left something out, those that left out most first.
  [[nodiscard]] std::vector<Exclusion> list() const;
  /// What the scenario breaks at a dimension, without counting it.
  [[nodiscard]] static Issues broken(Dimension, const Scenario&);

 private:
  struct Counted {
    Rule rule;
    std::int64_t count = 0;
    Issue first{};
  };
  std::vector<Counted> rules_;
};

}  // namespace meshgauge
