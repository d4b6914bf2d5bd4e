// What must hold of an import whatever the bytes were.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/calibrate/import/importers.hpp"
#include "core/io/import.hpp"

namespace meshgauge::test {

inline bool is_sound(double value) { return std::isfinite(value) && value >= 0; }

inline bool is_sound(const Measurement& one) {
  if (one.line < 1) return false;
  if (const auto* c = std::get_if<MeasuredCollective>(&one.what)) {
    return c->seconds.value > 0 && is_sound(c->seconds.value) && c->bytes > 0 && is_sound(c->bytes) && c->wrong >= 0;
  }
  if (const auto* link = std::get_if<MeasuredLink>(&one.what)) {
    return is_sound(link->bandwidth.value) && is_sound(link->latency.value) && is_sound(link->bytes);
  }
  if (const auto* step = std::get_if<MeasuredStep>(&one.what)) {
    return is_sound(step->seconds.value) && is_sound(step->tokens_per_second) && is_sound(step->mfu) &&
           is_sound(step->tokens_per_second_per_gpu) && is_sound(step->allocated.value);
  }
  return true;
}

/// True if everything that was imported makes sense.
inline bool is_sound(const Imported& imported) {
  std::size_t kept = 0;
  for (const ImportedRun& run : imported.runs) {
    kept += run.measurements.size();
    if (run.first_line < 1 || run.place.ranks < 0 || run.place.ranks_per_node < 0) return false;
    for (const Measurement& one : run.measurements) {
      if (!is_sound(one)) return false;
    }
  }
  return kept == imported.measurements_kept && kept <= most_measurements && imported.unread.size() <= most_unread;
}

/// By the importer of that id, or by content for "json".
inline bool import_is_sound(std::string_view id, std::string_view text) {
  KnownPlace known;
  known.place.gpus_per_node = 8;
  for (const Importer* importer : text_importers()) {
    if (importer->id != id) continue;
    Imported imported;
    importer->read(text, known, imported);
    return is_sound(imported);
  }
  return is_sound(import_text(text, known));
}

}  // namespace meshgauge::test
