// Typed access to the keys of a config.json under their many names: every value that does not fit becomes an issue.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/read_value.hpp"

namespace meshgauge {

struct WholeRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Keys are given with their synonyms, separated by spaces, the most usual first: "hidden_size n_embd d_model".
class ConfigReader {
 public:
  ConfigReader(const nlohmann::ordered_json& object, std::string path, Reading& reading)
      : object_(object), path_(std::move(path)), reading_(reading) {}

  /// The value of the first synonym that is present and not null; nullptr if there is none.
  [[nodiscard]] const nlohmann::ordered_json* find(std::string_view keys) const;
  /// True if a synonym is present, null or not.
  [[nodiscard]] bool has(std::string_view keys) const;

  /// `otherwise` if absent; 0 if not a whole number in the range, which is then an issue.
  [[nodiscard]] std::int64_t whole(std::string_view keys, WholeRange range, std::int64_t otherwise = 0);
  [[nodiscard]] bool flag(std::string_view keys, bool otherwise = false);
  /// Empty if absent.
  [[nodiscard]] std::string text(std::string_view keys);
  /// The reader of a nested object; of an empty one if absent.
  [[nodiscard]] ConfigReader section(std::string_view key);

  /// Makes an issue of each key that nobody asked for and that is a slip of the pen away from one that was asked for
  /// and is not there. Other keys say something that is not of the shape.
  void report_misspelt();
  /// Whether an issue said that another key was meant for this one.
  [[nodiscard]] bool misspelt(std::string_view keys) const;

  /// `message` follows the name of the key: " is odd."
  void complain(std::string_view keys, std::string_view message);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  /// Notes that the keys mean something.
  const nlohmann::ordered_json* ask(std::string_view keys);
  /// The first synonym that is present, else the first one.
  [[nodiscard]] std::string_view spelled(std::string_view keys) const;
  [[nodiscard]] std::string path_of(std::string_view keys) const;

  const nlohmann::ordered_json& object_;
  std::string path_;
  Reading& reading_;
  std::vector<std::string_view> asked_;
  std::vector<std::string_view> misspelt_;  ///< of `asked_`
};

/// The most usual of a key's synonyms.
[[nodiscard]] constexpr std::string_view usual_key(std::string_view keys) { return keys.substr(0, keys.find(' ')); }

}  // namespace meshgauge
