#include "core/calibrate/import/importer.hpp"

#include <algorithm>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t longest_text = 120;  ///< of an unread line

template <class T>
void fill(T& value, const T& known) {
  if (value == T{}) value = known;
}

}  // namespace

void report_unread(Imported& imported, std::int64_t line, std::string_view text, std::string reason) {
  if (imported.unread.size() < most_unread) {
    imported.unread.push_back({line, std::string(text.substr(0, longest_text)), std::move(reason)});
  } else {
    ++imported.unread_left_out;
  }
}

bool is_full(Imported& imported) {
  if (imported.measurements_kept < most_measurements) return false;
  ++imported.measurements_left_out;
  return true;
}

bool add_measurement(Imported& imported, ImportedRun& run, Measurement measurement) {
  if (is_full(imported)) return false;
  ++imported.measurements_kept;
  run.measurements.push_back(std::move(measurement));
  return true;
}

void finish_run(ImportedRun& run, const KnownPlace& known, GroupsOfRun groups) {
  Place& place = run.place;
  fill(place.gpu, known.place.gpu);
  fill(place.library, known.place.library);
  fill(place.ranks, known.place.ranks);
  fill(place.ranks_per_node, known.place.ranks_per_node);
  fill(place.gpus_per_node, known.place.gpus_per_node);
  fill(place.cpu, known.place.cpu);
  if (place.ranks > 0 && place.ranks_per_node > place.ranks) place.ranks_per_node = place.ranks;
  if (run.measurements.empty()) return;
  if (place.gpu.empty() && !place.cpu) run.questions.push_back(Question::gpu);
  if (place.ranks == 0) run.questions.push_back(Question::ranks);
  if (place.ranks_per_node == 0 && place.ranks != 1) run.questions.push_back(Question::ranks_per_node);
  for (Measurement& measurement : run.measurements) {
    std::visit(
        [&](auto& what) {
          const Place own = what.place;
          what.place = place;
          if (groups == GroupsOfRun::same) return;
          what.place.ranks = own.ranks;
          what.place.ranks_per_node = own.ranks_per_node;
        },
        measurement.what);
  }
}

}  // namespace meshgauge
