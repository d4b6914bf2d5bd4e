#include "core/io/named_texts.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto file_fields = std::to_array<std::string_view>({"name", "file", "text"});
constexpr FieldText name_field{.key = "name", .help = "What answers call the file."};

}  // namespace

std::vector<NamedText> read_named_texts(const Json& request, Reading& reading) {
  std::vector<NamedText> files;
  const auto list = request.find("files");
  if (list == request.end() || !list->is_array() || list->empty()) {
    reading.fail("/files", "files is " + (list == request.end() ? "missing" : shown(*list)) +
                               ". Expected: a list of objects with name and text, one or more.");
    return files;
  }
  read_items(list->size(), "files", "/files", reading, [&](std::size_t i, const std::string& path) {
    const Json& file = (*list)[i];
    const std::size_t before = reading.issues.size();
    if (!expect_object(file, "A file", path, reading)) return false;
    NamedText read{'#' + std::to_string(i + 1), {}};
    for (const auto& [key, value] : file.items()) {
      if (key == "name" || key == "file") {
        read.name = read_string(value, name_field, path + '/' + key, reading).value_or(read.name);
      } else if (std::find(file_fields.begin(), file_fields.end(), key) == file_fields.end()) {
        report_unknown(key, path, file_fields, {}, reading);
      }
    }
    const auto text = file.find("text");
    if (text == file.end() || !text->is_string()) {
      reading.fail(path + "/text",
                   "text is " + (text == file.end() ? "missing" : shown(*text)) + ". Expected: a string.");
    } else {
      read.text = text->get_ref<const std::string&>();
    }
    files.push_back(std::move(read));
    return reading.issues.size() == before;
  });
  return files;
}

}  // namespace meshgauge
