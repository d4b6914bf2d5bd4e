#include "core/io/plan_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/count/memory.hpp"
#include "core/io/write_plan.hpp"
#include "core/io/write_value.hpp"
#include "core/resolve/resolve.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/rounding.hpp"
#include "core/scenario/words.hpp"
#include "core/search/planner.hpp"
#include "core/search/search.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double more = 1.1;  // what sensitivities ask about: a tenth more

std::string seconds_text(double seconds) {
  if (seconds < 1) return number_text(round_significant(1000 * seconds, 3)) + " ms";
  return number_text(round_significant(seconds, 4)) + " s";
}
std::string percent_text(double share) { return number_text(round_significant(100 * share, 2)) + " %"; }

// How one gets there: each kind of parallelism with those before it.

struct Step {
  const char* id;
  const char* what;   ///< "Data parallelism alone"
  const char* holds;  ///< what each GPU holds, where it does not fit
  Kinds kinds;
};

bool uses(const Grid& g, const Kinds& kinds) {
  return (kinds.tensor || g.tensor == 1) && (kinds.pipeline || g.pipeline == 1) && (kinds.context || g.context == 1) &&
         (kinds.expert || (g.expert == 1 && g.expert_tensor == 1));
}

/// The least that the job needs on one GPU: one sequence, everything recomputed.
Json one_gpu(const PlanQuestion& asked) {
  ScenarioRequest request = asked.question.request;
  request.parallelism = {};
  request.cluster.gpus = 1;
  request.training.engine = Engine::single;
  request.training.micro_batch_size = request.training.global_batch_size = 1;
  request.training.recompute.emplace().kind = Recompute::full;
  const Scenario s = filled_in(request);
  const Bytes needed = device_peak(s, asked.profile.overhead), capacity = s.cluster.gpu.memory;
  const bool fits = fits_surely(asked.question, asked.profile, s);
  return {{"id", "one_gpu"},
          {"fits", fits},
          {"device_bytes", exact_number(needed.value)},
          {"text", "One GPU, one sequence, full recompute: needs " + gib_text(needed) + " of " + gib_text(capacity) +
                       (fits ? ", and fits: more GPUs are for speed." : ", and does not fit: states have to be cut.")}};
}

/// `best`: whether the step allows what was found to be best.
Json tried(const PlanQuestion& asked, const Step& step, const std::vector<Plan>& plans, bool best) {
  Json json{{"id", step.id}};
  std::string text = std::string(step.what) + ": ";
  if (best) {
    json["fits"] = true;
    json["step_seconds"] = rounded_number(plans.front().step.seconds.value);
    json["text"] = text + seconds_text(plans.front().step.seconds.value) + " a step, the best there is.";
    return json;
  }
  PlanQuestion part = asked;
  part.question.kinds = step.kinds;
  part.question.top = 1;
  part.question.shard = {};
  part.question.goal = Goal::step;
  part.question.reach = 1;
  constexpr double far = 4;  // beyond it nobody asks how slow it is
  part.question.no_worse_than = plans.empty() ? 0 : far * plans.front().candidate.cost.seconds.value;
  constexpr std::int64_t most = 300000;  // layouts: a reason is worth no more than the search itself
  Planner planner(part.question, part.profile);
  const bool complete = planner.advance(most);
  const Found found = planner.found();
  json["fits"] = !found.best.empty();
  if (!found.best.empty()) {
    const Plan plan = make_plan(part.question.request, part.profile, found.best.front());
    json["step_seconds"] = rounded_number(plan.step.seconds.value);
    json["layout"] = layout_text(plan.scenario);
    text += seconds_text(plan.step.seconds.value) + " a step with " + layout_text(plan.scenario) + '.';
  } else if (found.counts.grids == 0) {
    text += "none of these engines has a legal layout.";
  } else if (found.counts.evaluated == 0 || found.counts.fit > 0) {
    text += "fits, but takes more than " + number_text(far) + " times as long.";
  } else if (!complete) {
    text += "nothing fits of " + number_text(found.counts.evaluated) + " layouts tried.";
  } else {
    const Candidate& least = found.frontier.back();
    json["device_bytes"] = exact_number(least.cost.memory.value);
    text += "does not fit, needs at least " + gib_text(least.cost.memory) + ": " + step.holds + '.';
  }
  json["text"] = text;
  return json;
}

Json decision(const PlanQuestion& asked, const std::vector<Plan>& plans) {
  Json list = Json::array();
  list.push_back(one_gpu(asked));
  if (asked.question.gpus.back() == 1) return list;
  const Kinds none{.sharding = false, .tensor = false, .pipeline = false, .context = false, .expert = false};
  Kinds kinds = none;
  std::vector<Step> steps{{"data_parallel", "Data parallelism alone", "every GPU holds all states", kinds}};
  kinds.sharding = true;
  steps.push_back({"sharding", "States sharded over the replicas (ZeRO, FSDP)",
                   "a layer's parameters and a whole sequence's activations stay on each GPU", kinds});
  kinds.tensor = true;
  steps.push_back({"tensor", "Layers cut inside a node as well (TP)", "every GPU works on all layers", kinds});
  kinds.pipeline = true;
  steps.push_back(
      {"pipeline", "Layers dealt out to stages as well (PP)", "a stage still holds whole sequences", kinds});
  const ModelShape& model = *asked.question.request.model;
  if (model.moe.used()) {
    kinds.expert = true;
    steps.push_back({"expert", "Experts spread over ranks as well (EP)", "a stage still holds whole sequences", kinds});
  }
  kinds.context = true;
  steps.push_back({"context", "Sequences cut as well (CP)", "there are too few GPUs", kinds});
  for (const Step& step : steps) {
    const bool best = !plans.empty() && uses(plans.front().candidate.grid, step.kinds) && step.kinds.sharding;
    list.push_back(tried(asked, step, plans, best));
    if (best) break;  // whatever else there is was searched, and is slower
  }
  return list;
}

Json binding(const PlanQuestion& asked, const Plan& plan) {
  const Bytes held = device_of(asked, plan.candidate, plan.scenario);
  const Bytes capacity = plan.scenario.cluster.gpu.memory;
  std::vector<std::pair<double, std::string_view>> parts;
  for (std::size_t i = 0; i < part_count; ++i) {
    parts.push_back({plan.step.parts[i] / plan.step.seconds, name_of(static_cast<Part>(i))});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string time = "Of the step,";
  for (std::size_t i = 0; i < 4 && parts[i].first >= 0.005; ++i) {
    std::string name(parts[i].second);
    std::replace(name.begin(), name.end(), '_', ' ');
    time += (i > 0 ? ", " : " ") + percent_text(parts[i].first) + ' ' + name;
  }
  return {{{"id", "memory"},
           {"share", rounded_number(held / capacity)},
           {"text", "Memory: " + gib_text(held) + " of " + gib_text(capacity) + " on the fullest GPU."}},
          {{"id", "time"}, {"text", time + '.'}}};
}

/// Of the layouts that nothing beats in time and memory, the slowest ones that are faster than the best that fits.
Json misses(const PlanQuestion& asked, const Found& found) {
  Json list = Json::array();
  constexpr std::size_t most = 3;
  for (auto c = found.frontier.rbegin(); c != found.frontier.rend() && list.size() < most; ++c) {
    if (c->fits) continue;
    const Scenario s = scenario_of(asked.question.request, *c);
    const Bytes lacking = c->cost.memory - room_of(asked.question, asked.profile, s);
    list.push_back({{"layout", layout_text(s)},
                    {"step_seconds", rounded_number(c->cost.seconds.value)},
                    {"lacking_bytes", exact_number(lacking.value)},
                    {"text", layout_text(s) + ": " + seconds_text(c->cost.seconds.value) + " a step, but lacks " +
                                 gib_text(lacking) + '.'}});
  }
  return list;
}

// What a tenth more of something would give.

struct Change {
  const char* id;
  const char* what;
  void (*change)(Scenario&, Profile&);
};

constexpr Change changes[] = {
    {"intra_node_bandwidth", "more bandwidth between the GPUs of a node",
     [](Scenario& s, Profile&) { s.cluster.intra.bandwidth = more * s.cluster.intra.bandwidth; }},
    {"inter_node_bandwidth", "more bandwidth between nodes",
     [](Scenario& s, Profile&) { s.cluster.inter.bandwidth = more * s.cluster.inter.bandwidth; }},
    {"memory_bandwidth", "more memory bandwidth", [](Scenario&, Profile& p) { p.hbm = more * p.hbm; }},
    {"compute", "faster matrix products and attention",
     [](Scenario&, Profile& p) {
       for (FlopsPerSecond* rate : {&p.matmul_fp32, &p.matmul_tf32, &p.matmul_16bit, &p.matmul_fp8, &p.matmul_fp4,
                                    &p.flash_forward, &p.flash_backward, &p.unfused_attention}) {
         *rate = more * *rate;
       }
     }},
};

Json gain(const char* id, const std::string& what, double before, double after) {
  const double share = 1 - after / before;
  return {{"id", id},
          {"step_seconds", rounded_number(after)},
          {"gain", rounded_number(share)},
          {"text", "10 % " + what + ": " + seconds_text(after) + " a step" +
                       (share < 0.0005 ? ", no gain." : ", " + percent_text(share) + " less.")}};
}

/// Layouts that would fit if there were more memory are on the frontier: with what they need then.
Json more_memory(const PlanQuestion& asked, const Found& found, double before) {
  double best = before;
  for (const Candidate& c : found.frontier) {
    if (c.fits || c.cost.seconds.value >= best) continue;
    Scenario s = scenario_of(asked.question.request, c);
    s.cluster.gpu.memory = more * s.cluster.gpu.memory;
    if (!fits_surely(asked.question, asked.profile, s)) continue;
    const std::optional<StepReport> step = estimate_step_within(s, asked.profile, {best});
    if (step) best = std::min(best, step->seconds.value);
  }
  return gain("memory", "more memory", before, best);
}

/// Tokens for each second rise with a larger batch, so that is what is compared.
Json more_batch(const PlanQuestion& asked, const Plan& plan) {
  Scenario s = plan.scenario;
  const std::int64_t unit = s.training.micro_batch_size * s.parallelism.data;
  const std::int64_t sequences = s.training.global_batch_size;
  s.training.global_batch_size = (static_cast<std::int64_t>(more * static_cast<double>(sequences)) / unit + 1) * unit;
  const double before = plan.step.tokens_per_second_per_gpu;
  if (!broken_rules(s).empty() || before <= 0) return nullptr;
  const double share = estimate_step(s, asked.profile).tokens_per_second_per_gpu / before - 1;
  return {{"id", "global_batch"},
          {"global_batch_size", s.training.global_batch_size},
          {"gain", rounded_number(share)},
          {"text", "Batches of " + number_text(s.training.global_batch_size) + " instead of " + number_text(sequences) +
                       " sequences: " + percent_text(std::abs(share)) + (share < 0 ? " fewer" : " more") +
                       " tokens a second."}};
}

Json sensitivity(const PlanQuestion& asked, const std::vector<Plan>& plans, const Found& found) {
  Json list = Json::array();
  const double before = plans.front().step.seconds.value;
  for (const Change& change : changes) {
    double best = std::numeric_limits<double>::infinity();
    for (const Plan& plan : plans) {  // with other hardware another layout may be best
      Scenario s = plan.scenario;
      Profile profile = asked.profile;
      change.change(s, profile);
      const std::optional<StepReport> step = estimate_step_within(s, profile, {best});
      if (step) best = std::min(best, step->seconds.value);
    }
    list.push_back(gain(change.id, change.what, before, best));
  }
  list.push_back(more_memory(asked, found, before));
  const Json batch = more_batch(asked, plans.front());
  if (!batch.is_null()) list.push_back(batch);
  return list;
}

}  // namespace

Json write_difference(const Plan& best, const Plan& other) {
  const double slower = other.step.seconds.value - best.step.seconds.value;
  std::vector<std::pair<double, std::string_view>> terms;
  Json difference = Json::object();
  for (std::size_t i = 0; i < part_count; ++i) {
    const double seconds = other.step.parts[i].value - best.step.parts[i].value;
    const std::string_view name = name_of(static_cast<Part>(i));
    difference[std::string(name)] = rounded_number(seconds);
    if (std::abs(seconds) >= 0.001 * best.step.seconds.value) terms.push_back({seconds, name});
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  std::string text = layout_text(other.scenario) + ": " + seconds_text(slower) + " more a step";
  for (std::size_t i = 0; i < terms.size() && i < 4; ++i) {
    std::string name(terms[i].second);
    std::replace(name.begin(), name.end(), '_', ' ');
    text += (i == 0 ? " (" : ", ") + name + (terms[i].first > 0 ? " +" : " -") + seconds_text(std::abs(terms[i].first));
  }
  if (!terms.empty()) text += ')';
  return {{"slower_seconds", rounded_number(slower)}, {"by_term", difference}, {"text", text + '.'}};
}

Json write_reasons(const PlanQuestion& asked, const std::vector<Plan>& plans, const Found& found) {
  Json reasons;
  reasons["decision"] = decision(asked, plans);
  reasons["misses"] = misses(asked, found);
  if (plans.empty()) return reasons;
  reasons["binding"] = binding(asked, plans.front());
  if (plans.size() > 1) reasons["runner_up"] = Json::array({write_difference(plans[0], plans[1])});
  reasons["sensitivity"] = sensitivity(asked, plans, found);
  return reasons;
}

}  // namespace meshgauge
