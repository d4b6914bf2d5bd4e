// The results file: what was measured, on what, as JSON that is there whole or not at all.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "native/harness/runtime.hpp"
#include "native/harness/sampler.hpp"

namespace meshgauge::harness {

using Json = nlohmann::ordered_json;

/// One measurement.
struct Record {
  std::string kind;                    ///< collective, gemm, copy, attention or step
  Json what = Json::object();          ///< which one: operation, shape, type, group ...
  double bytes = 0;                    ///< moved, in the sense of the kind
  Summary time;                        ///< largest over ranks
  std::optional<double> algbw, busbw;  ///< bytes/s
  std::optional<std::int64_t> wrong;   ///< elements; none: not checked
  std::optional<double> predicted;     ///< seconds; none: no prediction for this machine
  Json more = Json::object();          ///< what only this kind has
};
[[nodiscard]] Json json_of(const Record&);

/// Hosts are numbered, not named, unless --show-hosts. Every rank calls; all get the same.
[[nodiscard]] Json environment_of(Runtime&);

/// Whether the file could be written, asked before minutes are spent on measuring: throws BadInput where not.
void check_writable(const std::string& path);

/// Writes beside the file, then renames: an interrupted or failed write leaves what was there. Throws Failure.
void write_results(const std::string& path, const Json& environment, const std::vector<Record>&);
void write_whole(const std::string& path, std::string_view text);

}  // namespace meshgauge::harness
