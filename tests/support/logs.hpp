// Logs written for the tests, and what an importer made of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "core/calibrate/measurement.hpp"

namespace meshgauge::test {

inline std::string log_text(const std::string& name) {
  std::ifstream file(std::string(MESHGAUGE_TEST_DATA) + "/logs/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All logs of text, so that a new one is tried as well.
inline std::vector<std::string> log_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MESHGAUGE_TEST_DATA) + "/logs")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

template <class Kind>
std::vector<Kind> measured(const ImportedRun& run) {
  std::vector<Kind> all;
  for (const Measurement& measurement : run.measurements) {
    if (const Kind* one = std::get_if<Kind>(&measurement.what)) all.push_back(*one);
  }
  return all;
}

inline std::vector<MeasuredCollective> collectives_of(const ImportedRun& run) {
  return measured<MeasuredCollective>(run);
}

}  // namespace meshgauge::test
