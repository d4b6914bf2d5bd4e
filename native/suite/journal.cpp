#include "native/suite/journal.hpp"

#include <filesystem>
#include <fstream>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& results) { return results + ".parts"; }

/// Nothing where there is no such file or it is no JSON.
Json read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return nullptr;
  const Json json = Json::parse(file, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

}  // namespace

Journal::Journal(const std::string& results, const Json& made_by) : folder_(folder_of(results)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw BadInput("Cannot make the folder " + in_quotes(folder_) + ": " + error.message() + '.');
  const std::string path = folder_ + "/plan.json";
  const Json before = read(path);
  if (before.is_null()) {
    if (!fs::is_empty(folder_, error)) start_afresh(results);  // parts of nobody knows what
    fs::create_directories(folder_, error);
    write_whole(path, made_by.dump(1) + '\n');
    return;
  }
  for (const auto& [name, value] : made_by.items()) {
    if (!before.contains(name) || before[name] != value) {
      throw BadInput(in_quotes(folder_) + " holds parts of a suite with other " + name + ": " +
                     before.value(name, Json(nullptr)).dump() + ", here " + value.dump() +
                     ". Name another --json, or forget them with --fresh.");
    }
  }
}

std::string Journal::file_of(const Part& part) const { return folder_ + '/' + part.id + ".json"; }

bool Journal::has(const Part& part) const { return records_of(part).is_array(); }

Json Journal::records_of(const Part& part) const {
  const Json json = read(file_of(part));
  return json.is_object() ? json.value("records", Json(nullptr)) : Json(nullptr);
}

void Journal::remove() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Journal::start_afresh(const std::string& results) {
  std::error_code error;
  fs::remove_all(folder_of(results), error);
  if (error) throw BadInput("Cannot remove " + in_quotes(folder_of(results)) + ": " + error.message() + '.');
}

}  // namespace meshgauge::harness
