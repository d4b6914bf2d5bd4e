#include "core/io/plan_question.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/asked_scenario.hpp"
#include "core/io/handbook.hpp"
#include "core/io/layout_fields.hpp"
#include "core/io/read_scenario.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldText objective_field{.key = "objective", .fallback = "step", .help = "What layouts are ranked by."};
constexpr FieldText top_field{"top", "", 1, 100, "5", "Layouts in the answer."};
constexpr FieldText engines_field{.key = "engines", .fallback = "usual", .help = "Engines to choose from."};
constexpr FieldText schedules_field{.key = "schedules", .fallback = "engine", .help = "Pipeline schedules to try."};
constexpr FieldText surety_field{
    "fit_probability", "", 0.5, 0.99, "0.95 for solve, 0.5 for plan", "Least chance to fit. 0.5: as predicted."};
constexpr FieldText open_field{.key = "open", .fallback = "false", .help = "Compares the layout given with the best."};
constexpr auto engine_sets = std::to_array<std::string_view>({"usual", "all"});
constexpr auto schedule_sets = std::to_array<std::string_view>({"engine", "all"});

/// What is a word or an object at "scenario" as a document.
std::optional<Json> document_of(const Json& request, Reading& reading) {
  const auto found = request.find("scenario");
  if (found == request.end() || !(found->is_object() || found->is_string())) {
    reading.fail("/scenario", "scenario is " + (found == request.end() ? "missing" : shown(*found)) +
                                  ". Expected: an object, or \"handbook:ID\".");
    return std::nullopt;
  }
  if (found->is_object()) return *found;
  const auto& name = found->get_ref<const std::string&>();
  const std::size_t skip = name.rfind(handbook_prefix, 0) == 0 ? handbook_prefix.size() : 0;
  Result<Json> handbook = find_case(name.substr(skip), "/scenario");
  for (Issue& issue : handbook.issues) reading.issues.push_back(std::move(issue));
  if (!handbook.ok()) return std::nullopt;
  return (*handbook.value)["scenario"];
}

/// Fields that a search chooses, from the scenario into a layout of their own. What the layout decided of the rest,
/// GPUs and global batch, stays as it was.
Json take_layout(Json& document, Reading& reading) {
  const Result<Resolution> whole = read_scenario(document);
  reading.issues.insert(reading.issues.end(), whole.issues.begin(), whole.issues.end());
  if (!whole.ok()) return nullptr;
  Json layout = Json::object();
  for (const char* name : {"parallelism", "training"}) {
    if (!document.contains(name)) continue;
    Json kept = Json::object();
    for (const auto& [key, value] : document[name].items()) {
      (is_of_layout(name, key) ? layout[name] : kept)[key] = value;
    }
    document[name] = std::move(kept);
  }
  document["cluster"]["gpus"] = whole.value->scenario.cluster.gpus;
  document["training"]["global_batch_size"] = whole.value->scenario.training.global_batch_size;
  return layout;
}

std::vector<Engine> every_engine() {
  std::vector<Engine> engines;
  for (std::size_t i = 0; i < all_names<Engine>().size(); ++i) engines.push_back(static_cast<Engine>(i));
  return engines;
}

/// Whole nodes and their even parts, of which so many make up the cluster.
std::vector<std::int64_t> smaller_clusters(std::int64_t gpus, std::int64_t node) {
  std::vector<std::int64_t> list;
  for (std::int64_t n = 2; n < gpus; ++n) {
    if (gpus % n == 0 && (n % node == 0 || node % n == 0)) list.push_back(n);
  }
  list.push_back(gpus);
  return list;
}

}  // namespace

std::vector<Engine> usual_engines(std::int64_t gpus) {
  if (gpus == 1) return {Engine::single};
  return {Engine::ddp, Engine::fsdp2, Engine::deepspeed, Engine::megatron, Engine::torchtitan};
}

PlanQuestion read_question(const Json& request, double surety, Reading& reading) {
  PlanQuestion out;
  LayoutQuestion& question = out.question;
  std::optional<Json> document = document_of(request, reading);
  ScenarioRequest& asked = question.request;
  if (document && request.contains("against")) out.layout = request["against"];
  if (document && request.contains("open")) {
    const bool open = read_boolean(request["open"], open_field, "/open", reading).value_or(false);
    if (open) out.layout = take_layout(*document, reading);
    if (open && out.layout.is_null()) document.reset();  // everything that is wrong with it is said
  }
  if (document) {
    out.scenario = std::move(*document);
    asked = read_request(out.scenario, reading);
    for (Issue& issue : prepare(asked)) reading.issues.push_back(std::move(issue));
  }

  const auto choice = [&](const FieldText& field, std::span<const std::string_view> options) -> std::size_t {
    const auto value = request.find(field.key);
    if (value == request.end()) return 0;
    return read_choice(*value, field, options, "/" + std::string(field.key), reading).value_or(0);
  };
  question.goal = static_cast<Goal>(choice(objective_field, all_names<Goal>()));
  const bool all_engines = choice(engines_field, engine_sets) == 1;
  question.every_schedule = choice(schedules_field, schedule_sets) == 1;
  question.top = count_at(request, top_field, "", reading).value_or(question.top);
  question.surety = surety;
  if (const auto value = request.find(surety_field.key); value != request.end()) {
    question.surety = number_in_range(*value, surety_field, "/fit_probability", reading).value_or(surety);
  }

  const Cluster cluster = reading.issues.empty() ? resolve_cluster(asked) : Cluster{};
  const std::int64_t gpus = asked.cluster.gpus.value_or(cluster.gpus_per_node);
  asked.cluster.gpus = gpus;
  if (!asked.training.global_batch_size) {
    asked.training.global_batch_size = std::max(gpus, asked.training.micro_batch_size.value_or(1));
  }
  if (out.scenario.is_object() && reading.issues.empty()) {
    out.scenario["cluster"]["gpus"] = gpus;
    out.scenario["training"]["global_batch_size"] = *asked.training.global_batch_size;
  }
  question.gpus = question.goal == Goal::tokens_per_dollar ? smaller_clusters(gpus, cluster.gpus_per_node)
                                                           : std::vector<std::int64_t>{gpus};
  question.engines = asked.training.engine ? std::vector<Engine>{*asked.training.engine}
                     : all_engines         ? every_engine()
                                           : usual_engines(gpus);
  Cluster whole = cluster;
  whole.gpus = gpus;
  std::optional<Profile> profile = read_asked_profile(request, whole, reading);
  if (profile) out.profile = std::move(*profile);
  return out;
}

}  // namespace meshgauge
