// The command `curve`: one transfer of an estimate over a list of sizes, with what else its library could have taken.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compose/step.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_curve.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields =
    std::to_array<std::string_view>({"command", "scenario", "profile", "transfer", "sizes"});
constexpr FieldText transfer_field{"transfer", "", 0, 1e6, "", "Place of the transfer in the estimate's traffic."};
constexpr FieldText size_field{"sizes", "bytes", 1, 1e15, "powers of two", "Message sizes, as nccl-tests counts them."};
constexpr std::size_t most_sizes = 256;
constexpr double smallest = 1024, usual_largest = 1073741824;

/// From 1 KiB to 1 GiB, or to the first power of two that is as large as the message.
std::vector<double> powers_of_two(double message) {
  std::vector<double> sizes;
  for (double size = smallest; size <= usual_largest || size < 2 * message; size *= 2) sizes.push_back(size);
  return sizes;
}

std::optional<std::vector<double>> read_sizes(const Json& value, Reading& reading) {
  if (!value.is_array() || value.empty() || value.size() > most_sizes) {
    reading.fail("/sizes", "sizes is " + shown(value) + ". Expected: a list of 1 to " +
                               number_text(static_cast<std::int64_t>(most_sizes)) + " numbers of bytes.");
    return std::nullopt;
  }
  std::vector<double> sizes;
  const bool whole = read_items(value.size(), "sizes", "/sizes", reading, [&](std::size_t i, const std::string& path) {
    const std::optional<double> size = number_in_range(value[i], size_field, path, reading);
    if (size) sizes.push_back(*size);
    return size.has_value();
  });
  return whole ? std::optional(std::move(sizes)) : std::nullopt;
}

}  // namespace

Result<Json> curve_command(const Json& request) {
  Reading reading;
  std::optional<std::int64_t> index;
  std::optional<std::vector<double>> sizes;
  for (const auto& [key, value] : request.items()) {
    if (key == "transfer") {
      index = read_integer(value, transfer_field, "/transfer", reading);
    } else if (key == "sizes") {
      sizes = read_sizes(value, reading);
    } else if (key != "command" && key != "scenario" && key != "profile") {
      report_unknown(key, "", request_fields, {}, reading);
    }
  }
  const std::optional<AskedScenario> asked = read_asked_scenario(request, reading);
  if (!request.contains("transfer")) reading.fail("/transfer", "transfer is missing. Set its place in the traffic.");
  const std::optional<Profile> profile =
      read_asked_profile(request, asked ? asked->resolution.scenario.cluster : Cluster{}, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Scenario& scenario = asked->resolution.scenario;
  const StepReport step = estimate_step(scenario, *profile);
  const auto count = static_cast<std::int64_t>(step.traffic.size());
  if (*index < 0 || *index >= count) {
    return Issues{{"/transfer", "transfer is " + number_text(*index) + ", the scenario has " + number_text(count) +
                                    " transfers" + (count > 0 ? ". Allowed: 0 to " + number_text(count - 1) : "") +
                                    '.'}};
  }
  const PricedTransfer& priced = step.traffic[static_cast<std::size_t>(*index)];
  Json answer = {{"ok", true}, {"schema_version", schema_version}};
  answer.update(write_curve(scenario, *profile, priced,
                            sizes ? *sizes : powers_of_two(priced.transfer.bytes / priced.transfer.messages)));
  return {std::move(answer)};
}

}  // namespace meshgauge
