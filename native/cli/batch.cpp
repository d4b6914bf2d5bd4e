// The command `batch`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "native/cli/command.hpp"
#include "native/cli/scenario_answer.hpp"
#include "native/cli/scenario_flags.hpp"
#include "native/cli/style.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string batch_report(const Json& answer) {
  const Json& b = answer["batch"];
  std::string out =
      fmt::format("Global batch {} = micro-batch {} x accumulation {} x data parallel {}\n{} tokens a step\n",
                  grouped(b["global_batch_size"]), grouped(b["micro_batch_size"]), grouped(b["accumulation"]),
                  grouped(b["data_parallel_size"]), grouped(b["tokens_per_step"]));
  out += "\nRules of thumb, to try and not to trust\n";
  for (const Json& hint : answer["hints"]) {
    const std::string value = hint["value"].is_null() ? "" : " = " + hint["value"].dump();
    out += fmt::format("  {}: {}{}\n", hint["quantity"].get<std::string>(), hint["rule"].get<std::string>(), value);
    out += "    " + wrapped(hint["source"].get<std::string>(), 4, 4) + '\n';
    out += "    " + wrapped(hint["limits"].get<std::string>(), 4, 4) + '\n';
  }
  return out;
}

}  // namespace

int run_batch(std::span<const std::string> arguments) {
  CLI::App app("What the global batch is made of, and the learning rate for another one.", "meshgauge batch");
  ScenarioInput input;
  std::optional<double> batch, rate, noise;
  bool json = false;
  add_scenario_flags(app, input);
  app.add_option("--reference-batch", batch, "Global batch that a learning rate is known for, in sequences.");
  app.add_option("--reference-lr", rate, "Learning rate that is good at that batch.");
  app.add_option("--noise-scale", noise, "Gradient noise scale, in sequences, if it was measured.");
  app.add_flag("--json", json, "Prints the answer as JSON.");
  const Parsed parsed = parse_arguments(app, arguments);
  if (!parsed.go_on) return parsed.exit;
  Json request{{"command", "batch"}};
  if (batch) request["reference"]["global_batch_size"] = *batch;
  if (rate) request["reference"]["learning_rate"] = *rate;
  if (noise) request["reference"]["noise_scale"] = *noise;
  const ScenarioAnswer asked = ask_about_scenario(std::move(request), input, parsed, json);
  if (!asked.answer) return asked.status;
  return print(json ? asked.text + '\n' : batch_report(*asked.answer), done);
}

}  // namespace meshgauge::cli
