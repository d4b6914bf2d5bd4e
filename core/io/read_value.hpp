// Reading one JSON value strictly: of the type asked for, or a sentence on what it is and what is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"
#include "core/scenario/fields.hpp"

namespace meshgauge {

/// Bad items of one list that are named; the others are counted.
inline constexpr std::size_t most_items = 50;

/// What went wrong so far, and which fields hold nothing because of it.
struct Reading {
  Issues issues;
  std::vector<std::string> unread;

  void fail(const std::string& path, std::string message) {
    issues.push_back({path, std::move(message)});
    unread.push_back(path);
  }
};

/// "The other 1,000 items of modules are not looked at."
void report_more_items(std::string_view name, const std::string& path, std::size_t count, Reading&);

/// A value as messages show it: `"8"`, `8.5`, `a list of 3`.
[[nodiscard]] std::string shown(const nlohmann::ordered_json&);

[[nodiscard]] std::optional<double> read_number(const nlohmann::ordered_json&, const FieldText&,
                                                const std::string& path, Reading&);
/// Takes 8.0 for 8, not 8.5.
[[nodiscard]] std::optional<std::int64_t> read_integer(const nlohmann::ordered_json&, const FieldText&,
                                                       const std::string& path, Reading&);
/// The same where the field has a range, and they have to be in it.
[[nodiscard]] std::optional<double> number_in_range(const nlohmann::ordered_json&, const FieldText&,
                                                    const std::string& path, Reading&);
[[nodiscard]] std::optional<std::int64_t> integer_in_range(const nlohmann::ordered_json&, const FieldText&,
                                                           const std::string& path, Reading&);
[[nodiscard]] std::optional<std::vector<std::int64_t>> read_integers(const nlohmann::ordered_json&, const FieldText&,
                                                                     const std::string& path, Reading&);
[[nodiscard]] std::optional<bool> read_boolean(const nlohmann::ordered_json&, const FieldText&, const std::string& path,
                                               Reading&);
[[nodiscard]] std::optional<std::string> read_string(const nlohmann::ordered_json&, const FieldText&,
                                                     const std::string& path, Reading&);
/// Position of the word in `options`.
[[nodiscard]] std::optional<std::size_t> read_choice(const nlohmann::ordered_json&, const FieldText&,
                                                     std::span<const std::string_view> options, const std::string& path,
                                                     Reading&);

/// Visits each item of a list with its path until `most_items` of them were found wrong, and counts the rest in one
/// issue. False if an item is wrong: the list is then unread.
template <class Read>
bool read_items(std::size_t size, std::string_view name, const std::string& path, Reading& reading, Read read) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < size && wrong < most_items; ++i) {
    if (!read(i, path + '/' + std::to_string(i))) ++wrong;
    if (wrong == most_items && i + 1 < size) report_more_items(name, path, size - i - 1, reading);
  }
  if (wrong > 0) reading.unread.push_back(path);
  return wrong == 0;
}

/// False, with an issue that says so, if the value is no object.
[[nodiscard]] bool expect_object(const nlohmann::ordered_json&, std::string_view name, const std::string& path,
                                 Reading&);

/// The whole number at the field's key, if there is one in its range.
[[nodiscard]] std::optional<std::int64_t> count_at(const nlohmann::ordered_json& object, const FieldText&,
                                                   std::string_view parent, Reading&);

/// `elsewhere`: the pointer at which a field of that name would be right; empty if there is none.
void report_unknown(std::string_view key, std::string_view parent, std::span<const std::string_view> known,
                    std::string_view elsewhere, Reading&);

/// The same for every field of an object that is not `known`.
void report_unknown_fields(const nlohmann::ordered_json& object, std::string_view parent,
                           std::span<const std::string_view> known, Reading&);

}  // namespace meshgauge
