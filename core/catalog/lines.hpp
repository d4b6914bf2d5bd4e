// Reading a catalog file line by line: one entry a line, so that finding one needs no parsing of the others.
//
// {"sources":{
// "key":"a long source text",
// ...
// },"entries":[
// {"id":"...","aliases":["..."],...,"source":"{key}; more"},
// ...
// ]}
#pragma once

#include <string>
#include <string_view>

namespace meshgauge {

/// An entry as it stands in the file. `aliases` is the inside of its array, empty if there is none.
struct EntryLine {
  std::string_view id;
  std::string_view aliases;
  std::string_view json;
};

/// The text up to `end`, cut off the front of `rest` together with `end`.
constexpr std::string_view take_until(std::string_view& rest, std::string_view end) {
  const std::size_t at = rest.find(end);
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + end.size());
  return taken;
}

/// Calls `visit(const EntryLine&)` for each entry in file order.
template <class Visit>
void for_each_entry(std::string_view file, Visit visit) {
  constexpr std::string_view id_key = R"({"id":")";
  constexpr std::string_view aliases_key = R"(,"aliases":[)";
  while (!file.empty()) {
    std::string_view line = take_until(file, "\n");
    if (!line.starts_with(id_key)) continue;
    if (line.ends_with(',')) line.remove_suffix(1);
    EntryLine entry{.id = {}, .aliases = {}, .json = line};
    line.remove_prefix(id_key.size());
    entry.id = take_until(line, "\"");
    if (line.starts_with(aliases_key)) {
      line.remove_prefix(aliases_key.size());
      entry.aliases = take_until(line, "]");
    }
    visit(entry);
  }
}

/// Calls `visit(std::string_view)` for the id and each alias.
template <class Visit>
void for_each_name(const EntryLine& entry, Visit visit) {
  visit(entry.id);
  std::string_view rest = entry.aliases;
  while (!rest.empty()) {
    take_until(rest, "\"");
    visit(take_until(rest, "\""));
    take_until(rest, ",");
  }
}

/// The entry with every {key} replaced by the text of the file's `sources` table.
[[nodiscard]] std::string expand_sources(std::string_view file, std::string_view json);

}  // namespace meshgauge
