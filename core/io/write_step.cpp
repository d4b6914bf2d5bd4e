// Time in an answer: FLOPs, every transfer, the step with its breakdown, and the whole run.
#include "core/io/write_step.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "core/count/flop_conventions.hpp"
#include "core/io/write_figure.hpp"
#include "core/io/write_message.hpp"
#include "core/io/write_timeline.hpp"
#include "core/io/write_value.hpp"
#include "core/price/collective.hpp"
#include "core/price/peak.hpp"
#include "core/scenario/rounding.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

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

Json write_conventions(const Scenario& scenario, const StepReport& report, Explain explain) {
  const double rate = report.tokens_per_second_per_gpu;
  const double peak = peak_of(scenario.cluster.gpu, scenario.training.precision).value;
  Json list = Json::array();
  for (const Figure& figure : flops_by_convention(scenario, report.flops)) {
    Json json = write_figure(figure, explain);
    json["flops_per_token"] = json["value"];
    json.erase("value");
    json.erase("unit");
    json["tflops_per_gpu"] = rounded_number(figure.value * rate / tera);
    json["mfu"] = peak > 0 ? rounded_number(figure.value * rate / peak) : Json(nullptr);
    list.push_back(std::move(json));
  }
  return list;
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

Json write_step(const Scenario& scenario, const StepReport& report, Explain explain) {
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
  json["mfu_by_convention"] = write_conventions(scenario, report, explain);
  json["slowest_stage"] = report.slowest_stage;
  json["host_bound_seconds"] = rounded_number(report.waiting_for_host.value);
  Json& breakdown = json["breakdown"];
  for (std::size_t i = 0; i < part_count; ++i) {
    breakdown[std::string(name_of(static_cast<Part>(i)))] = rounded_number(report.parts[i].value);
  }
  if (!report.timeline.empty()) json["timeline"] = write_timeline(report.timeline);
  return json;
}

Json write_run(const std::optional<RunReport>& run, Explain explain) {
  if (!run) return nullptr;
  const auto number = [](const std::optional<double>& value) { return value ? rounded_number(*value) : Json(nullptr); };
  const Progress& p = run->progress;
  Json json;
  json["steps"] = rounded_number(run->steps);
  json["days"] = number(run->days);
  json["gpu_hours"] = number(run->gpu_hours);
  json["cost"] = number(run->cost_usd);
  json["energy_kwh"] = number(run->energy_kwh);
  json["goodput"] = rounded_number(p.goodput);
  json["uninterrupted_days"] = rounded_number(run->uninterrupted_days);
  json["interruptions"] = rounded_number(run->interruptions);
  json["mtbf_hours"] = rounded_number(p.mtbf.value / 3600);
  json["recovery_seconds"] = rounded_number(p.restart.value);
  json["checkpoint"] = {{"bytes", rounded_number(run->checkpoint_bytes)},
                        {"seconds", rounded_number(p.checkpoint.value)},
                        {"interval_seconds", rounded_number(p.interval.value)},
                        {"best_interval_seconds", rounded_number(p.best_interval.value)}};
  json["shares"] = {{"training", rounded_number(p.goodput)},
                    {"checkpoints", rounded_number(run->checkpoint_share)},
                    {"interruptions", rounded_number(run->interruption_share)}};
  Json& figures = json["figures"] = Json::array();
  for (const Figure& figure : run->figures) figures.push_back(write_figure(figure, explain));
  return json;
}

}  // namespace meshgauge
