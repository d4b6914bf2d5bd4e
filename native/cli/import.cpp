// The command `import`.
#include "core/io/import.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "native/cli/answer.hpp"
#include "native/cli/command.hpp"
#include "native/cli/files.hpp"
#include "native/cli/import_report.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_total = std::size_t{1} << 30U;  ///< bytes of all files together

struct PlaceFlags {
  std::string gpu, operation;
  std::optional<std::int64_t> ranks, ranks_per_node, gpus_per_node;
  bool cpu = false;
};

void add_place_flags(CLI::App& app, PlaceFlags& flags) {
  const std::string where = ", where a file does not say it.";
  app.add_option("--gpu", flags.gpu, "The GPU" + where);
  app.add_option("--ranks", flags.ranks, "Ranks of the group that communicates" + where);
  app.add_option("--ranks-per-node", flags.ranks_per_node, "Those in one node" + where);
  app.add_option("--gpus-per-node", flags.gpus_per_node, "GPUs of a node that took part" + where);
  app.add_option("--operation", flags.operation, "The collective" + where);
  app.add_flag("--cpu", flags.cpu, "The ranks hold host memory.");
}

Json place_of(const PlaceFlags& flags) {
  Json place = Json::object();
  if (!flags.gpu.empty()) place["gpu"] = flags.gpu;
  if (!flags.operation.empty()) place["operation"] = flags.operation;
  if (flags.ranks) place["ranks"] = *flags.ranks;
  if (flags.ranks_per_node) place["ranks_per_node"] = *flags.ranks_per_node;
  if (flags.gpus_per_node) place["gpus_per_node"] = *flags.gpus_per_node;
  if (flags.cpu) place["cpu"] = true;
  return place;
}

constexpr auto flag_of_path =
    std::to_array<std::pair<const char*, const char*>>({{"/place/gpu", "--gpu"},
                                                        {"/place/operation", "--operation"},
                                                        {"/place/ranks", "--ranks"},
                                                        {"/place/ranks_per_node", "--ranks-per-node"},
                                                        {"/place/gpus_per_node", "--gpus-per-node"}});

}  // namespace

int run_import(std::span<const std::string> arguments) {
  CLI::App app("What logs and results files measured, whatever tool wrote them.", "meshgauge import");
  std::vector<std::string> paths;
  PlaceFlags place;
  bool json = false;
  app.add_option("FILE", paths, "Logs and results files; - for standard input.");
  add_place_flags(app, place);
  app.add_flag("--json", json, "Prints every measurement as JSON.");
  json = wants_json(arguments);
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;

  Issues issues = issues_of(parsed.bad);
  if (paths.empty()) issues.push_back({"", "No file is given. Name one or more, or - for standard input."});
  const Result<std::vector<std::string>> texts = read_texts(paths, largest_total);
  issues.insert(issues.end(), texts.issues.begin(), texts.issues.end());
  if (!issues.empty()) return refuse(issues, json);
  const std::vector<NamedText> files = named_texts(paths, *texts.value);
  const Result<Json> answer = import_files(files, place_of(place));
  std::vector<FlagOfPath> flags;
  flags.reserve(std::size(flag_of_path));
  for (const auto& [path, flag] : flag_of_path) flags.push_back({path, flag});
  if (!answer.ok()) return refuse(answer.issues, json, flags);
  return print(json ? as_text(*answer.value) + '\n' : import_report(*answer.value, Style::of_terminal()), done);
}

}  // namespace meshgauge::cli
