// The answer to `calibrate`: the profile, how good it is, and what is missing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/calibrate/calibration.hpp"

namespace meshgauge {

/// What became of a file.
struct FileNote {
  std::string name;
  std::string tool;  ///< empty: not recognised
  std::int64_t measurements = 0;
  std::vector<std::string> notes;
};

[[nodiscard]] nlohmann::ordered_json write_calibration(const Calibration&, const CalibrationInput&,
                                                       const std::vector<FileNote>&,
                                                       const nlohmann::ordered_json& cluster);

}  // namespace meshgauge
