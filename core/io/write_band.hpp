// What is normal for a collective, beside what was measured, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/claim/band.hpp"

namespace meshgauge {

struct BandRow {
  double bytes = 0;
  double bus = 0;  ///< bytes per second
};

/// A group that was asked for, or that a log measured. `question.bytes` is the size that is judged.
struct BandReport {
  Cluster cluster;
  BandQuestion question;
  std::string name;           ///< of the file; empty: none
  std::int64_t line = 0;      ///< of the file
  std::vector<BandRow> rows;  ///< measured, by size; the last is the one judged
};

[[nodiscard]] nlohmann::ordered_json write_band(const BandReport&, const Profile&);

}  // namespace meshgauge
