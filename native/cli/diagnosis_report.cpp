#include "native/cli/diagnosis_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/scenario/words.hpp"
#include "native/cli/explanation.hpp"
#include "native/cli/nccl_report.hpp"

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_shown = 4;  ///< tensors of one request
constexpr std::size_t most_ranks = 8;  ///< named
constexpr std::size_t bar_columns = 24;

double number(const Json& value) { return value.get<double>(); }
std::string text(const Json& value) { return value.get<std::string>(); }
std::string heading(const Style& style, std::string_view title) { return '\n' + style(Paint::strong, title) + '\n'; }
std::string paragraph(const std::string& words) { return wrapped(words, 0) + '\n'; }
std::string item(const std::string& words) { return "- " + wrapped(words, 2, 2) + '\n'; }

std::string where(const Json& request) {
  std::string out;
  const std::string accelerator = text(request["accelerator"]);
  if (accelerator == "cpu") out += " of host memory";
  if (!request["device"].is_null()) out += " on GPU " + request["device"].dump();
  const Json& ranks = request["ranks"];
  if (!ranks.empty()) out += ranks.size() == 1 ? ", rank " : ", ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < most_ranks; ++i) out += (i > 0 ? ", " : "") + ranks[i].dump();
  if (ranks.size() > most_ranks) out += " and more";
  const auto messages = request["messages"].get<std::int64_t>();
  if (messages > 1) out += fmt::format(" ({} messages)", number_text(messages));
  return out;
}

std::string closeness(const Json& candidate) { return candidate["match"] == "exact" ? "exactly" : "as rounded"; }

std::string tensor_lines(const Json& candidate) {
  const std::string formula = text(candidate["formula"]);
  std::string name = text(candidate["name"]);
  if (const std::string models = candidate.value("models", ""); !models.empty()) name += " (" + models + ')';
  if (candidate["unlikely"].get<bool>()) name += " (not made by this scenario's settings)";
  return "  " + wrapped(name, 4, 2) + "\n    " +
         wrapped(fmt::format("{} = {} = {} B, {}", formula, substituted(formula, candidate["values"]),
                             grouped(number(candidate["bytes"])), closeness(candidate)),
                 6, 4) +
         '\n';
}

/// What was made where the traceback says, in words.
std::string place_words(const std::string& place) {
  if (place == "load") return "loading the model";
  if (place == "attention") return "attention";
  if (place == "mlp") return "the MLP";
  if (place == "loss") return "head and loss";
  if (place == "gather") return "gathering parameters";
  return "the optimizer";
}

std::string request_lines(const Json& answer, std::size_t index, const Style& style) {
  const Json& request = answer["requests"][index];
  std::string out = paragraph(style(Paint::no, "Out of memory") + ": " + size_text(number(request["bytes"])) +
                              " asked for" + where(request) + '.');
  const std::string place = text(request["place"]);
  if (place != "unknown") out += paragraph("By the traceback in " + place_words(place) + '.');
  std::vector<const Json*> found;
  for (const Json& candidate : answer["candidates"]) {
    if (candidate["request"] == index) found.push_back(&candidate);
  }
  const std::string known = text(answer["known"]);
  if (found.empty()) {
    return out + paragraph(known == "scenario" ? "No tensor of this scenario has that size."
                           : known == "model"
                               ? "No tensor of this model has that size for a round number of tokens."
                               : "No tensor of a known model has that size. Name --model, or a scenario.");
  }
  if (known == "scenario" && found[0]->contains("models")) {
    out += paragraph("No tensor of this scenario has that size. With other numbers of tokens or ranks it would be");
  } else {
    out += known == "nothing"  ? "By its size alone it could be\n"
           : found.size() == 1 ? "It is most likely\n"
                               : "It is most likely the first of\n";
  }
  for (std::size_t i = 0; i < found.size() && i < most_shown; ++i) out += tensor_lines(*found[i]);
  if (found.size() > most_shown) out += fmt::format("  and {} more (--json)\n", found.size() - most_shown);
  return out;
}

std::string held_table(const Json& answer, const Style& style) {
  const Json& held = answer["held"];
  if (held.empty()) return {};
  double total = 0;
  for (const Json& part : held) total += number(part["bytes"]);
  std::string out = heading(style, "What held the device when the first request failed");
  for (const Json& part : held) {
    const double share = number(part["bytes"]) / total;
    const auto columns = static_cast<std::size_t>(std::lround(share * bar_columns));
    out += fmt::format("{:<36} {:>10} {:>4.0f} %{}\n", text(part["name"]), size_text(number(part["bytes"])),
                       share * 100, columns > 0 ? "  " + std::string(columns, '#') : "");
  }
  return out;
}

std::string estimate_lines(const Json& answer, const Style& style) {
  const Json& estimate = answer["estimate"];
  if (estimate.is_null()) return {};
  const bool fits = estimate["fits"].get<bool>();
  std::string out = heading(style, "What the scenario needs");
  out += paragraph(fmt::format("By the estimate {} of {} GiB, stage {} in {}: it {}.",
                               gib_text(number(estimate["device_bytes"]), 1),
                               gib_text(number(estimate["capacity_bytes"]), 1), estimate["binding"]["stage"].dump(),
                               text(estimate["binding"]["phase"]), fits ? "fits" : "does not fit"));
  const Json& held = answer["requests"][0]["allocated_bytes"];
  if (!held.is_null()) {
    const double wanted = number(held) + number(answer["requests"][0]["bytes"]);
    out += paragraph(fmt::format("Tensors: {} GiB at the peak by the estimate; {} GiB with the request that failed.",
                                 gib_text(number(estimate["allocated_bytes"]), 1), gib_text(wanted, 1)));
  }
  if (fits) {
    out += paragraph(
        "What ran needs more than this scenario: longer sequences or other settings, or something else is on the GPU.");
  }
  return out;
}

/// The flags that make a change, as they are typed.
std::string change_flags(const Json& set) {
  std::string out;
  for (const auto& [path, value] : set.items()) {
    out += (out.empty() ? "--set " : " --set ") + path + '=' + (value.is_string() ? text(value) : value.dump());
  }
  return out;
}

std::string remedy_table(const Json& answer, const Style& style) {
  const Json& remedies = answer["remedies"];
  if (answer["estimate"].is_null()) return {};
  if (remedies.empty()) return heading(style, "What would help") + "No single change that is looked at saves memory.\n";
  std::string out = heading(style, "What would help, each for itself");
  out += fmt::format("{:<42} {:>10} {:>10} {:>4} {:>9}\n", "", "saves", "then needs", "fits", "step");
  for (const Json& remedy : remedies) {
    out += fmt::format("{:<42} {:>10} {:>10} {:>4} {:>9}\n", text(remedy["name"]),
                       size_text(number(remedy["saved_bytes"])), size_text(number(remedy["device_bytes"])),
                       remedy["fits"].get<bool>() ? "yes" : "no", duration_text(number(remedy["step_seconds"])));
    out += "  " + wrapped(change_flags(remedy["set"]), 4, 2) + '\n';
  }
  const bool some_fit =
      std::any_of(remedies.begin(), remedies.end(), [](const Json& remedy) { return remedy["fits"].get<bool>(); });
  if (!some_fit) out += "None of them alone makes it fit: combine some.\n";
  return out;
}

}  // namespace

std::string diagnosis_report(const Json& answer, const Style& style) {
  const Json files = answer.value("files", Json(nullptr));
  if (answer["kind"] == "nccl") return nccl_report(answer["nccl"], files, style);
  std::string out;
  for (std::size_t i = 0; i < answer["requests"].size(); ++i) {
    out += (i > 0 ? "\n" : "") + request_lines(answer, i, style);
  }
  const auto further = answer["further_messages"].get<std::int64_t>();
  if (further > 0) out += fmt::format("\nFurther messages of other sizes: {}.\n", number_text(further));
  out += held_table(answer, style);
  if (!answer["findings"].empty()) out += '\n';
  for (const Json& finding : answer["findings"]) out += item(text(finding["message"]));
  out += estimate_lines(answer, style) + remedy_table(answer, style);
  if (text(answer["known"]) != "scenario") {
    out += '\n' + paragraph(
                      "With the scenario (--model, --gpu, --gpus, --seq, ... or --scenario FILE) the request is "
                      "compared with its tensors, and what would help is estimated.");
  }
  if (!answer["nccl"].is_null()) out += '\n' + nccl_report(answer["nccl"], files, style);
  return out;
}

}  // namespace meshgauge::cli
