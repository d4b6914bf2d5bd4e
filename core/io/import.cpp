#include "core/io/import.hpp"

#include <algorithm>
#include <vector>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/lines.hpp"

namespace meshgauge {

Imported import_text(std::string_view text, const KnownPlace& known) {
  Imported imported;
  const std::span<const Importer* const> importers = text_importers();
  std::vector<const Importer*> found, left(importers.begin(), importers.end());
  Lines lines(text);
  for (Line line; !left.empty() && lines.next(line);) {
    const auto one =
        std::find_if(left.begin(), left.end(), [&](const Importer* i) { return i->recognises(line.text); });
    if (one == left.end()) continue;
    found.push_back(*one);
    left.erase(one);
  }
  for (const Importer* importer : found) importer->read(text, known, imported);
  std::stable_sort(imported.runs.begin(), imported.runs.end(),
                   [](const ImportedRun& a, const ImportedRun& b) { return a.first_line < b.first_line; });
  std::stable_sort(imported.unread.begin(), imported.unread.end(),
                   [](const Unread& a, const Unread& b) { return a.line < b.line; });
  if (!imported.runs.empty()) imported.tool = imported.runs.front().tool;
  return imported;
}

}  // namespace meshgauge
