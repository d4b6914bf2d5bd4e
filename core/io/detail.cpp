// The command `detail`: what a closer look at an estimate's step takes: the operations of a layer, and the message of
// each transfer by itself.
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/compose/step.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_value.hpp"
#include "core/io/write_message.hpp"
#include "core/io/write_operations.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "scenario", "profile"});

}  // namespace

Result<Json> detail_command(const Json& request) {
  Reading reading;
  report_unknown_fields(request, "", request_fields, reading);
  const std::optional<AskedScenario> asked = read_asked_scenario(request, reading);
  const std::optional<Profile> profile =
      read_asked_profile(request, asked ? asked->resolution.scenario.cluster : Cluster{}, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);

  const Scenario& scenario = asked->resolution.scenario;
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["roofline"] = write_operations(scenario, *profile);
  Json& messages = answer["messages"] = Json::array();
  for (const PricedTransfer& priced : estimate_step(scenario, *profile).traffic) {
    const Transfer& t = priced.transfer;
    Json& message = messages.emplace_back(
        write_point(*profile, scenario.cluster, t.collective, t.bytes / t.messages, priced.route));
    message["id"] = t.id;
  }
  return {std::move(answer)};
}

}  // namespace meshgauge
