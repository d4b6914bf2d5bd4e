#include "core/io/write_plan.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/count/memory.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/write_scenario.hpp"
#include "core/io/write_step.hpp"
#include "core/io/write_value.hpp"
#include "core/price/fit.hpp"
#include "core/price/memory_spread.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/words.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

std::string recompute_text(const Training& t) {
  if (t.recompute == Recompute::full) {
    if (t.recompute_method == RecomputeMethod::uniform) return "full recompute";
    return "recompute of " + number_text(t.recompute_layers) + " layers a chunk";
  }
  std::string modules;
  for (const RecomputeModule& module : recompute_modules) {
    if (t.recompute_modules.*module.flag) modules += (modules.empty() ? "" : ", ") + std::string(module.name);
  }
  return "recompute of " + modules;
}

/// Tokens for one unit of money; without a price of the GPU, for one GPU hour.
double tokens_per_dollar(const Scenario& s, const StepReport& step) {
  const double hours = step.seconds.value * static_cast<double>(s.cluster.gpus) / 3600;
  return s.useful_tokens_per_step() / (hours * s.cluster.usd_per_gpu_hour.value_or(1));
}

/// Of what the rank holds when it holds most.
const LedgerLine* largest_line(const StageMemory& stage) {
  const LedgerLine* largest = nullptr;
  for (const LedgerLine& line : stage.ledger.lines) {
    if (line.phases.has(stage.peak) && (largest == nullptr || line.bytes > largest->bytes)) largest = &line;
  }
  return largest;
}

}  // namespace

std::string layout_text(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  std::string text(name_of(s.training.engine));
  const auto add = [&](const std::string& what) { text += ", " + what; };
  const auto degree = [&](const char* name, std::int64_t n) {
    if (n > 1) add(name + (' ' + number_text(n)));
  };
  degree("TP", p.tensor);
  if (p.tensor > 1 && p.sequence_parallel) text += " with SP";
  degree("PP", p.pipeline);
  if (p.pipeline > 1 && p.schedule != Schedule::one_f_one_b) add(std::string(name_of(p.schedule)));
  degree("VPP", p.virtual_pipeline);
  degree("CP", p.context);
  degree("EP", p.expert);
  if (p.expert > 1 || p.expert_tensor != p.tensor) degree("ETP", p.expert_tensor);
  degree("DP", p.data);
  if (p.replicas > 1) text += " (HSDP: " + number_text(p.replicas) + " x " + number_text(p.data / p.replicas) + ')';
  if (p.zero_stage > 0 && p.data * p.context > 1) add("ZeRO " + number_text(p.zero_stage));
  add("micro-batch " + number_text(s.training.micro_batch_size));
  if (s.training.recompute != Recompute::none) add(recompute_text(s.training));
  if (!p.stage_layers.empty()) add("layers by cost");
  return text;
}

Json write_layout(const Scenario& s) {
  const Json whole = write_scenario(s, Json());
  Json layout;
  layout["cluster"]["gpus"] = s.cluster.gpus;
  layout["parallelism"] = whole["parallelism"];
  for (const char* key : {"engine", "micro_batch_size", "recompute"}) layout["training"][key] = whole["training"][key];
  return layout;
}

Json write_plan(const PlanQuestion& asked, const Plan& plan) {
  const Scenario& s = plan.scenario;
  const StageMemory binding = fullest_stage(s, asked.profile.overhead);
  const Json step = write_step(s, plan.step, Explain::no);
  Json json;
  json["layout"] = layout_text(s);
  json["fits"] = plan.candidate.fits;
  json["fit_probability"] =
      rounded_number(fit_probability(binding.needed, s.cluster.gpu.memory, memory_spread(s, asked.profile).fit));
  for (const char* key : {"seconds", "low_seconds", "high_seconds", "tokens_per_second_per_gpu", "mfu", "hfu"}) {
    json[std::string(key) == "seconds" ? "step_seconds" : key] = step[key];
  }
  json["closed_form_seconds"] = rounded_number(plan.candidate.cost.seconds.value);
  json["tokens_per_dollar"] =
      s.cluster.usd_per_gpu_hour ? rounded_number(tokens_per_dollar(s, plan.step)) : Json(nullptr);
  json["tokens_per_gpu_hour"] = rounded_number(3600 * plan.step.tokens_per_second_per_gpu);
  json["device_bytes"] = exact_number(binding.device_peak().value);
  json["needed_bytes"] = exact_number(binding.needed.value);
  json["capacity_bytes"] = exact_number(s.cluster.gpu.memory.value);
  json["binding"] = {{"stage", binding.stage}, {"phase", name_of(binding.peak)}};
  if (const LedgerLine* line = largest_line(binding)) {
    json["binding"]["line"] = line->text.id;
    json["binding"]["line_name"] = line->text.name;
    json["binding"]["line_bytes"] = exact_number(line->bytes.value);
  }
  json["breakdown"] = step["breakdown"];
  json["scenario"] = write_scenario(s, asked.scenario.contains("model") ? asked.scenario["model"] : Json());
  return json;
}

Bytes device_of(const PlanQuestion& asked, const Candidate& candidate, const Scenario& s) {
  return asked.question.surety > as_predicted ? device_peak(s, asked.profile.overhead) : candidate.cost.memory;
}

Json write_found(const PlanQuestion& asked, const Found& found) {
  const LayoutFields fields = layout_fields();
  LayoutScenarios scenarios(asked.question.request);
  Json json;
  for (const auto& [key, list] : {std::pair{"best", &found.best}, std::pair{"frontier", &found.frontier}}) {
    json[key] = Json::array();
    for (const Candidate& c : *list) {
      json[key].push_back({{"layout", write_layout(scenarios(c), fields)},
                           {"closed_form_seconds", c.cost.seconds.value},
                           {"device_bytes", exact_number(c.cost.memory.value)}});
    }
  }
  json["counts"] = {{"grids", found.counts.grids},
                    {"bounded", found.counts.bounded},
                    {"evaluated", found.counts.evaluated},
                    {"fit", found.counts.fit}};
  return json;
}

namespace {

constexpr FieldText seconds_field{"closed_form_seconds", "seconds", 1e-12, 1e15, "", "Of the step."};
constexpr FieldText bytes_field{"device_bytes", "bytes", 0, 1e18, "", "Of the rank that needs most."};

std::optional<double> number_at(const Json& object, const FieldText& field, const std::string& path, Reading& reading) {
  const auto value = object.find(field.key);
  const std::string at = path + '/' + std::string(field.key);
  if (value != object.end()) return number_in_range(*value, field, at, reading);
  reading.fail(at, std::string(field.key) + " is missing.");
  return std::nullopt;
}

/// The layout of a document that sets no more than layouts do. What it leaves out is as on a single GPU.
Candidate layout_of(const ScenarioRequest& layout, bool has_own_layers) {
  Scenario s;
  const ParallelismRequest& asked = layout.parallelism;
  Parallelism& p = s.parallelism;
  const auto set = [](const auto& from, auto& into) { into = from.value_or(into); };
  set(layout.cluster.gpus, s.cluster.gpus);
  set(layout.training.engine, s.training.engine);
  set(layout.training.micro_batch_size, s.training.micro_batch_size);
  set(asked.tensor, p.tensor);
  set(asked.sequence_parallel, p.sequence_parallel);
  set(asked.pipeline, p.pipeline);
  set(asked.virtual_pipeline, p.virtual_pipeline);
  set(asked.schedule, p.schedule);
  set(asked.stage_layers, p.stage_layers);
  set(asked.context, p.context);
  set(asked.expert, p.expert);
  set(asked.expert_tensor, p.expert_tensor);
  set(asked.data, p.data);
  set(asked.replicas, p.replicas);
  set(asked.zero_stage, p.zero_stage);
  if (const auto& recompute = layout.training.recompute) {
    set_recompute({.kind = recompute->kind,
                   .method = recompute->method.value_or(RecomputeMethod::uniform),
                   .layers = static_cast<std::int32_t>(recompute->layers.value_or(1)),
                   .modules = recompute->modules.value_or(RecomputeModules{})},
                  s);
  }
  Candidate c = candidate_of(s);
  c.schedule.by_cost = c.schedule.by_cost && has_own_layers;
  return c;
}

/// Reads what write_found() writes, from whoever sends it: a layout has to keep every rule.
class CandidateReader {
 public:
  explicit CandidateReader(const PlanQuestion& asked)
      : asked_(asked), fields_(layout_fields()), scenarios_(asked.question.request) {}

  std::optional<Candidate> read(const Json& json, const std::string& path, Reading& reading) {
    if (!expect_object(json, "A layout", path, reading)) return std::nullopt;
    const auto document = json.find("layout");
    if (document == json.end()) {
      reading.fail(path + "/layout", "layout is missing. Expected: an answer of plan --shard.");
      return std::nullopt;
    }
    Reading inside;
    const ScenarioRequest layout = read_layout(*document, fields_, inside);
    Candidate c = layout_of(layout, !asked_.question.request.parallelism.stage_layers);
    const Scenario* s = inside.issues.empty() ? &scenarios_(c) : nullptr;
    if (s != nullptr) inside.issues = broken_rules(*s);
    for (const Issue& issue : inside.issues) reading.fail(path + "/layout" + issue.path, issue.message);
    const auto seconds = number_at(json, seconds_field, path, reading);
    const auto bytes = number_at(json, bytes_field, path, reading);
    if (!inside.issues.empty() || !seconds || !bytes) return std::nullopt;
    c.cost = {.seconds = {*seconds}, .memory = {*bytes}};
    c.fits = c.cost.memory <= room_of(asked_.question, asked_.profile, *s);
    c.value = value_of(asked_.question.goal, c.grid, c.cost);
    return c;
  }

 private:
  const PlanQuestion& asked_;
  LayoutFields fields_;
  LayoutScenarios scenarios_;
};

std::int64_t count_at(const Json& object, const char* key) {
  const auto value = object.find(key);
  const bool whole =
      value != object.end() && value->is_number_integer() && value->get<double>() >= 0 && value->get<double>() < 9e15;
  return whole ? value->get<std::int64_t>() : 0;
}

}  // namespace

Found read_found(const PlanQuestion& asked, const Json& json, const std::string& path, Reading& reading) {
  Found found;
  if (!expect_object(json, "found", path, reading)) return found;
  CandidateReader reader(asked);
  for (const auto& [key, list] : {std::pair{"best", &found.best}, std::pair{"frontier", &found.frontier}}) {
    const std::string at = path + '/' + key;
    const auto items = json.find(key);
    if (items == json.end() || !items->is_array()) {
      reading.fail(at, std::string(key) + " is no list. Expected: an answer of plan --shard.");
      continue;
    }
    std::vector<Candidate>& into = *list;
    (void)read_items(items->size(), key, at, reading, [&](std::size_t i, const std::string& place) {
      auto candidate = reader.read((*items)[i], place, reading);
      if (candidate) into.push_back(std::move(*candidate));
      return candidate.has_value();
    });
  }
  const auto counts = json.find("counts");
  if (counts != json.end() && counts->is_object()) {
    found.counts = {.grids = count_at(*counts, "grids"),
                    .bounded = count_at(*counts, "bounded"),
                    .evaluated = count_at(*counts, "evaluated"),
                    .fit = count_at(*counts, "fit")};
  }
  return found;
}

}  // namespace meshgauge
