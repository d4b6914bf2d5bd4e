// Time in an answer: FLOPs, every transfer, the step with its breakdown, and the whole run.
#include "core/io/write_step.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "core/io/write_value.hpp"
#include "core/price/collective.hpp"
#include "core/scenario/rounding.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<Choice>& choice, std::string_view (*text)(const Choice&)) {
  return choice ? Json(text(*choice)) : Json(nullptr);
}

/// What one message costs and why. A group's communication library decides the first three.
void write_message(const CollectivePrice& message, Json& json) {
  const std::optional<Choice>& choice = message.choice;
  json["algorithm"] = or_null(choice, [](const Choice& c) { return name_of(c.algorithm); });
  json["protocol"] = or_null(choice, [](const Choice& c) { return name_of(c.protocol); });
  json["channels"] = choice ? Json(choice->channels) : Json(nullptr);
  json["message_seconds"] = rounded_number(message.seconds.value);
  json["latency_seconds"] = rounded_number(message.latency.value);
  json["transfer_seconds"] = rounded_number(message.transfer.value);
  json["bound_by"] = name_of(message.bound);
}

Json write_transfer(const PricedTransfer& priced, const Scenario& scenario, const Profile& profile) {
  const Transfer& t = priced.transfer;
  Json json;
  json["id"] = t.id;
  json["collective"] = name_of(t.collective);
  json["group"] = name_of(t.group);
  json["group_size"] = t.group_size;
  json["spans_nodes"] = priced.route.spans_nodes();
  json["dtype"] = name_of(t.dtype);
  json["bytes"] = exact_number(t.bytes);
  json["count_per_step"] = exact_number(t.count_per_step);
  json["seconds"] = rounded_number(priced.seconds.value);
  json["exposed_seconds"] = rounded_number(priced.exposed.value);
  write_message(price_collective(profile, scenario.cluster, t.collective, t.bytes / t.messages, priced.route), json);
  json["when"] = name_of(t.when);
  json["overlap"] = name_of(t.overlap);
  json["first_stage"] = priced.first_stage;
  json["last_stage"] = priced.last_stage;
  json["source"] = t.source;
  return json;
}

}  // namespace

Json write_flops(const StepFlops& flops) {
  Json json;
  json["model_flops_per_step"] = exact_number(flops.model_causal);
  json["model_flops_per_step_full_attention"] = exact_number(flops.model_full);
  json["hardware_flops_per_step"] = exact_number(flops.hardware);
  return json;
}

Json write_traffic(const StepReport& report, const Scenario& scenario, const Profile& profile) {
  Json list = Json::array();
  for (const PricedTransfer& priced : report.traffic) list.push_back(write_transfer(priced, scenario, profile));
  return list;
}

Json write_step(const StepReport& report) {
  Json json;
  double seconds = 0;  // the sum of the parts as printed, so that a reader's sum is the same
  for (const Seconds& part : report.parts) seconds += round_significant(part.value, 6);
  json["seconds"] = exact_number(round_significant(seconds, 12));
  json["low_seconds"] = rounded_number(report.low.value);
  json["high_seconds"] = rounded_number(report.high.value);
  json["tokens_per_second_per_gpu"] = rounded_number(report.tokens_per_second_per_gpu);
  json["model_tflops_per_gpu"] = rounded_number(report.model_flops_per_gpu.value / tera);
  json["mfu"] = rounded_number(report.mfu_causal);
  json["hfu"] = rounded_number(report.hfu);
  json["mfu_convention"] = "causal";
  json["mfu_full"] = rounded_number(report.mfu_full);
  json["mfu_conventions"] = {{"causal", rounded_number(report.mfu_causal)}, {"full", rounded_number(report.mfu_full)}};
  json["slowest_stage"] = report.slowest_stage;
  Json& breakdown = json["breakdown"];
  for (std::size_t i = 0; i < part_count; ++i) {
    breakdown[std::string(name_of(static_cast<Part>(i)))] = rounded_number(report.parts[i].value);
  }
  return json;
}

Json write_run(const std::optional<RunReport>& run) {
  if (!run) return nullptr;
  Json json;
  json["steps"] = rounded_number(run->steps);
  json["days"] = rounded_number(run->days);
  json["gpu_hours"] = rounded_number(run->gpu_hours);
  json["cost"] = run->cost_usd ? rounded_number(*run->cost_usd) : Json(nullptr);
  json["goodput"] = rounded_number(run->goodput);
  return json;
}

}  // namespace meshgauge
