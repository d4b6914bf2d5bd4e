// Single changes of a scenario that may lower what it holds. Whether one is legal and what it saves, an estimate says.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// A field of the scenario document and its new value.
struct Change {
  const char* path;  ///< JSON pointer
  std::variant<std::int64_t, bool, const char*> value;
};

struct Remedy {
  const char* id;
  const char* name;
  std::vector<Change> changes;
};

/// Of a resolved scenario, those that would change something. GPUs stay, but for `more_gpus`.
[[nodiscard]] std::vector<Remedy> remedies(const Scenario&);

/// Single changes that may make the step faster, with more memory as often as not.
[[nodiscard]] std::vector<Remedy> speedups(const Scenario&);

}  // namespace meshgauge
