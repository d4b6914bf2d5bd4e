// One measured run as users and converters write it, a line of JSON Lines each.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/issue.hpp"
#include "core/validate/measured_run.hpp"
#include "core/validate/timing.hpp"

namespace meshgauge {

/// The scenario stays in the document: whether it can be computed is not a question of the line's form.
struct RunDocument {
  MeasuredRun run;
  std::optional<Timing> timing;  ///< of a line that times a collective or a kernel; without its cluster
  std::string skipped;           ///< why the line is no run that can be compared; empty if it is one
};

/// `{"id", "source", "family", "scenario", "measured", "notes"}`, or `{"id", "skipped": "reason"}` of a converter; with
/// `kind` "collective" or "kernel" the form of read_timing.
/// `path` is the pointer of the document. Without an id a run is called by its line, without a family by its source.
[[nodiscard]] Result<RunDocument> read_run(const nlohmann::ordered_json& document, std::int64_t line,
                                           const std::string& path);

}  // namespace meshgauge
