#include "core/io/read_step_records.hpp"

#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/io/read_scenario.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Seconds> median_of(const Json& record, const char* mode) {
  const auto modes = record.find("modes");
  if (modes == record.end() || !modes->is_object()) return std::nullopt;
  const auto found = modes->find(mode);
  if (found == modes->end() || !found->is_object()) return std::nullopt;
  const auto median = found->find("median_s");
  if (median == found->end() || !median->is_number() || median->get<double>() <= 0) return std::nullopt;
  return Seconds{median->get<double>()};
}

/// "gpt2-124m zero3, 2 layers x 256, 128 tokens x 1".
std::string name_of_record(const Json& record) {
  const auto text = [&](const char* key) {
    const auto value = record.find(key);
    return value == record.end() ? std::string("?") : value->is_string() ? value->get<std::string>() : value->dump();
  };
  return text("model") + ' ' + text("strategy") + ' ' + text("precision") + ", " + text("layers") + " layers x " +
         text("hidden") + ", vocabulary " + text("vocab") + ", " + text("sequence_length") + " tokens x " +
         text("micro_batch_size") + " x " + text("accumulation") + ", " + text("ranks") + " ranks";
}

}  // namespace

StepRecords read_step_records(std::string_view text) {
  StepRecords found;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return found;
  const Result<Json> document = parse_json(text);
  if (!document.ok() || !document.value->is_object()) return found;
  const auto records = document.value->find("records");
  if (records == document.value->end() || !records->is_array()) return found;
  for (const Json& record : *records) {
    if (!record.is_object() || record.value("kind", Json()) != "step") continue;
    const std::string name = name_of_record(record);
    const auto scenario = record.find("scenario");
    if (scenario == record.end() || !scenario->is_object()) {
      found.notes.push_back("The step " + name + " carries no scenario: an older results file.");
      continue;
    }
    const Result<Resolution> read = read_scenario(*scenario);
    if (!read.ok() || !read.issues.empty()) {
      found.notes.push_back("The step " + name + ": " + read.issues.front().message);
      continue;
    }
    found.steps.push_back({name, read.value->scenario, median_of(record, "overlapped"), median_of(record, "compute"),
                           median_of(record, "communication")});
  }
  return found;
}

}  // namespace meshgauge
