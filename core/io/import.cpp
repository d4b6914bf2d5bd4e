#include "core/io/import.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/calibrate/import/importers.hpp"
#include "core/io/import_json.hpp"
#include "core/io/parse.hpp"

namespace meshgauge {
namespace {

/// A log can begin with a brace too: a JSON document goes on with a quoted name.
bool looks_like_json(std::string_view text) {
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", brace + 1);
  return next != std::string_view::npos && text[next] == '"';
}

bool import_json(std::string_view text, const KnownPlace& known, Imported& imported) {
  const Result<nlohmann::ordered_json> document = parse_json(text);
  if (!document.ok()) return false;
  for (const JsonImporter* importer : json_importers()) {
    if (!importer->recognises(*document.value)) continue;
    importer->read(*document.value, known, imported);
    return true;
  }
  return false;
}

void import_lines(std::string_view text, const KnownPlace& known, Imported& imported) {
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
  // What a script prints beside the lines of an engine's own log says the same once more.
  const auto is_log = [](const Importer* i) { return i->kind == ImporterKind::training && i != &training_script; };
  if (std::any_of(found.begin(), found.end(), is_log)) std::erase(found, &training_script);
  for (const Importer* importer : found) importer->read(text, known, imported);
}

}  // namespace

std::span<const JsonImporter* const> json_importers() {
  static constexpr auto table = std::to_array<const JsonImporter*>({&bench_results, &nccl_tests_json});
  return table;
}

Imported import_text(std::string_view text, const KnownPlace& known) {
  Imported imported;
  const bool json = looks_like_json(text);
  if (!json || !import_json(text, known, imported)) import_lines(text, known, imported);
  if (json && imported.runs.empty() && imported.unread.empty()) {
    const Issues issues = parse_json(text).issues;
    report_unread(imported, 1, text, issues.empty() ? "JSON of no tool that is known." : issues.front().message);
  }
  std::stable_sort(imported.runs.begin(), imported.runs.end(),
                   [](const ImportedRun& a, const ImportedRun& b) { return a.first_line < b.first_line; });
  std::stable_sort(imported.unread.begin(), imported.unread.end(),
                   [](const Unread& a, const Unread& b) { return a.line < b.line; });
  if (!imported.runs.empty()) imported.tool = imported.runs.front().tool;
  return imported;
}

}  // namespace meshgauge
