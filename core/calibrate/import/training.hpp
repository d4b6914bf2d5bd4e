// What training logs have in common: labelled figures in a line, and one run of steps in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/importer.hpp"

namespace meshgauge {

/// The number behind the first `label` and what separates the two (blanks, colon, equals sign, quotes). Commas between
/// thousands belong to it. `rest`, if given, gets what follows.
[[nodiscard]] std::optional<Decimal> figure(std::string_view line, std::string_view label,
                                            std::string_view* rest = nullptr);

/// The same as a plain value; 0 if it is not there.
[[nodiscard]] double value_of(std::string_view line, std::string_view label);

/// The run that a training log is, however often it was resumed.
class StepLog {
 public:
  StepLog(std::string_view tool, const KnownPlace& known, Imported& imported);
  Place& place() { return run_.place; }
  void note(std::string text) { run_.notes.push_back(std::move(text)); }
  void add(std::int64_t line, const MeasuredStep& step);
  /// True, and reported, if the file ends within the line: figures may be cut or missing.
  bool is_cut(const Line&);
  void unread(const Line& line, std::string reason);
  [[nodiscard]] ImportedRun& run() { return run_; }
  void finish();

 private:
  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
};

}  // namespace meshgauge
