// A measured training run: what it was, and what was seen of its time and memory.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/count/memory_kinds.hpp"
#include "core/scenario/names.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// What a line measures: a training run, or a collective or kernel alone.
enum class Kind { run, collective, kernel };
MESHGAUGE_NAMES(Kind, "run", "collective", "kernel");

/// The pipeline rank whose memory was read: logs often show the first or the last alone.
enum class MeasuredRank { last, first, max };
MESHGAUGE_NAMES(MeasuredRank, "last", "first", "max");

/// Any subset; what is empty was not measured.
struct Measured {
  std::optional<Seconds> step;
  std::array<std::optional<Bytes>, memory_kind_count> memory;  ///< peaks over the step
  std::optional<bool> out_of_memory;
  bool judged = true;  ///< false (null in the file): too much of the run is not known to ask whether it fits
  MeasuredRank rank = MeasuredRank::max;

  [[nodiscard]] bool has_number() const {
    bool any = step.has_value();
    for (const auto& bytes : memory) any = any || bytes.has_value();
    return any;
  }
  /// Whether it fitted: said outright, or shown by a number that only a run can give.
  [[nodiscard]] std::optional<bool> fitted() const {
    if (!judged) return std::nullopt;
    if (out_of_memory) return !*out_of_memory;
    return has_number() ? std::optional(true) : std::nullopt;
  }
};

struct MeasuredRun {
  std::string id;
  std::string source;
  std::string family;  ///< runs that are summed up together
  Measured measured;
};

}  // namespace meshgauge
