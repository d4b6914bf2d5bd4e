// What an importer is: how the lines of its tool are told, and how a text is read.
#pragma once

#include <string>
#include <string_view>

#include "core/calibrate/import/lines.hpp"
#include "core/calibrate/measurement.hpp"

namespace meshgauge {

/// What the user says where the file does not; 0 and empty where he does not either. The file's word counts more.
struct KnownPlace {
  Place place;
  std::string operation;  ///< as the core spells it
};

enum class ImporterKind { benchmark, training };

struct Importer {
  std::string_view id;
  ImporterKind kind = ImporterKind::benchmark;
  /// Whether a line can only come from this tool. Asked of each line of a file until one is found, so it must be quick
  /// to say no.
  bool (*recognises)(std::string_view line);
  /// Adds the runs of the whole text, and what it could not read.
  void (*read)(std::string_view text, const KnownPlace&, Imported&);
};

inline constexpr std::size_t most_unread = 200;           ///< lines of a file that are named; the rest is counted
inline constexpr std::size_t most_measurements = 100000;  ///< of a file; the rest is counted

void report_unread(Imported&, std::int64_t line, std::string_view text, std::string reason);

/// Counts one measurement more than fits; false if there is room.
bool is_full(Imported&);

/// False, and counted, if the file has too many.
bool add_measurement(Imported&, ImportedRun&, Measurement);

/// Whether each measurement has the place of its run, or says its own group.
enum class GroupsOfRun { same, keep };

/// Fills what the file left open from what the user knows, asks for what is still open, and gives each measurement the
/// place of its run.
void finish_run(ImportedRun&, const KnownPlace&, GroupsOfRun = GroupsOfRun::same);

/// Feeds each line of a text to a reader, which adds what it makes of them.
template <class Reader>
void read_lines(std::string_view text, const KnownPlace& known, Imported& imported) {
  Reader reader(known, imported);
  Lines lines(text);
  for (Line line; lines.next(line);) reader.take(line);
  reader.finish();
}

}  // namespace meshgauge
