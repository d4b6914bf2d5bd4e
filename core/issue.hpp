// What is wrong with an input, said once for each place: a JSON path and a sentence.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace meshgauge {

/// `path` is a JSON pointer ("/training/micro_batch_size"); `message` names the value and what is allowed.
struct Issue {
  std::string path;
  std::string message;

  bool operator==(const Issue&) const = default;
};

using Issues = std::vector<Issue>;

/// A value, or every reason why there is none. A reader that can go on after a problem gives both.
template <class T>
struct Result {
  std::optional<T> value;
  Issues issues;

  Result(T v) : value(std::move(v)) {}                      // NOLINT(google-explicit-constructor)
  Result(Issues problems) : issues(std::move(problems)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool ok() const { return value.has_value(); }
};

}  // namespace meshgauge
