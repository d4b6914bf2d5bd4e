// The command `launch`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/scenario/words.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/scenario_answer.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Issues problem(const std::string& message) { return {{"", message}}; }

/// Every file of the set that stands in the folder already.
Issues present(const fs::path& folder, const Json& files) {
  std::string names;
  for (const Json& file : files) {
    std::error_code error;
    if (!fs::exists(folder / file["path"].get<std::string>(), error)) continue;
    names += (names.empty() ? "" : ", ") + file["path"].get<std::string>();
  }
  if (names.empty()) return {};
  return problem("In " + in_quotes(folder.string()) + " there is already " + names +
                 ". Give --force to write over it.");
}

/// Each file is written beside its place and then moved there: nobody finds half of one.
Issues write_files(const fs::path& folder, const Json& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return problem("Cannot make the folder " + in_quotes(folder.string()) + ": " + error.message() + '.');
  for (const Json& file : files) {
    const fs::path path = folder / file["path"].get<std::string>();
    const fs::path part = path.string() + ".part";
    Issues issues = write_text(part.string(), file["text"].get<std::string>());
    if (!issues.empty()) return issues;
    if (file["executable"].get<bool>()) {
      fs::permissions(part, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, error);
    }
    if (!error) fs::rename(part, path, error);
    if (error) return problem("Cannot write " + in_quotes(path.string()) + ": " + error.message() + '.');
  }
  return {};
}

std::string commands_report(const Json& answer, const std::string& folder) {
  std::string out;
  for (const Json& command : answer["commands"]) {
    out += fmt::format("# {}\n{}{}\n", command["where"].get<std::string>(),
                       folder.empty() ? "" : "cd " + folder + " && ", command["text"].get<std::string>());
  }
  return out;
}

std::string warnings_report(const Json& answer) {
  std::string out;
  for (const Json& warning : answer["warnings"]) {
    out += wrapped(fmt::format("meshgauge: {}: {}", warning["path"].get<std::string>(),
                               warning["message"].get<std::string>()),
                   4) +
           '\n';
  }
  return out;
}

std::string files_report(const Json& answer) {
  std::string out;
  for (const Json& file : answer["files"]) {
    out += fmt::format("==> {} <==\n{}\n", file["path"].get<std::string>(), file["text"].get<std::string>());
  }
  return out;
}

}  // namespace

int run_launch(std::span<const std::string> arguments) {
  CLI::App app("Scripts and configuration files that start a job.", "meshgauge launch");
  ScenarioInput input;
  std::string target, folder;
  bool force = false, json = false;
  add_scenario_flags(app, input);
  app.add_option("--for", target, "torchrun, fsdp2, deepspeed, accelerate, megatron, torchtitan or slurm.");
  app.add_option("--out", folder, "Folder to write the files to, instead of printing them.");
  app.add_flag("--force", force, "Writes over files that are there.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  Json request{{"command", "launch"}};
  if (!target.empty()) request["target"] = target;
  const ScenarioAnswer asked = ask_about_scenario(std::move(request), input, parsed, json);
  if (!asked.answer) return asked.status;
  const Json& answer = *asked.answer;
  if (!folder.empty()) {
    Issues issues = force ? Issues{} : present(folder, answer["files"]);
    if (!issues.empty()) return refuse(issues, json);
    issues = write_files(folder, answer["files"]);
    if (!issues.empty()) return refuse(issues, json);
  }
  if (json) return print(asked.text + '\n', done);
  fmt::print(stderr, "{}", warnings_report(answer));
  return print((folder.empty() ? files_report(answer) : "") + commands_report(answer, folder), done);
}

}  // namespace meshgauge::cli
