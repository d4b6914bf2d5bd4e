// The command `validate`.
#include "core/io/validate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/scenario/words.hpp"
#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/quantity.hpp"
#include "native/cli/validation_report.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_total = std::size_t{256} << 20U;  ///< bytes of all files together
constexpr double largest_requirement = 10;                      ///< 1000 %

/// "5%", "0.5 %". A number without the sign could be either, so it is none.
std::optional<double> share_of(std::string text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  text.pop_back();
  const std::optional<double> percent = parse_quantity(text, Scale::count);
  if (!percent || !(*percent > 0) || *percent / 100 > largest_requirement) return std::nullopt;
  return *percent / 100;
}

/// Answers on standard error, so that a table or a JSON answer stays what it is.
int verdict_of(const Json& answer, std::optional<double> requirement) {
  if (!requirement) return done;
  const std::vector<std::string> above = above_requirement(answer, *requirement);
  for (const std::string& line : above) {
    fmt::print(stderr, "meshgauge: --require {}: {}\n", percent_text(*requirement), line);
  }
  return above.empty() ? done : answer_is_no;
}

}  // namespace

int run_validate(std::span<const std::string> arguments) {
  CLI::App app("Predictions beside measured runs, and how far off they are.", "meshgauge validate");
  std::vector<std::string> paths;
  std::string profile_path;
  std::string required;
  bool rows = false;
  bool json = false;
  app.add_option("RUNS", paths, "Files of measured runs, one JSON object a line; - for standard input.");
  app.add_option("--profile", profile_path, "File of measured prices that replace datasheet ones.");
  app.add_option("--require", required,
                 "Exit status 1 if a file's median of absolute errors, of time or of a kind of memory, is above "
                 "this: 5%.");
  app.add_flag("--rows", rows, "Prints each run, the worst first.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Issues issues = issues_of(parsed.bad);
  const std::optional<double> requirement = share_of(required);
  if (!required.empty() && !requirement) {
    issues.push_back({"", "--require is " + in_quotes(required) + ". Allowed: above 0% and up to 1000%, such as 5%."});
  }
  if (paths.empty()) {
    issues.push_back({"", "No file of measured runs is given. Name one or more, or - for standard input."});
  }
  if (!issues.empty()) return refuse(issues, json);
  const Result<Json> profile = profile_path.empty() ? Json(nullptr) : read_document(profile_path, "--profile");
  if (!profile.ok()) return refuse(profile.issues, json);
  const Result<std::vector<std::string>> texts = read_texts(paths, largest_total);
  if (!texts.ok()) return refuse(texts.issues, json);
  const std::vector<NamedText> files = named_texts(paths, *texts.value);
  const Result<Json> answer = validate_lines(files, *profile.value);
  if (!answer.ok()) return refuse(answer.issues, json);
  const std::string text =
      json ? as_text(*answer.value) + '\n' : validation_report(*answer.value, rows, Style::of_terminal());
  const int status = print(text, done);
  return status == done ? verdict_of(*answer.value, requirement) : status;
}

}  // namespace meshgauge::cli
