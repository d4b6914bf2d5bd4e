// A judged claim as an answer.
#include "core/io/write_claim.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/io/write_figure.hpp"
#include "core/io/write_value.hpp"
#include "core/scenario/rounding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double seconds_per_day = 86400;

std::optional<double> at(const Facts& values, Fact q) { return values[static_cast<std::size_t>(q)]; }

std::string shown_number(double value) { return number_text(round_significant(value, 4)); }
std::string shown_percent(double share) { return number_text(round_significant(100 * share, 3)) + " %"; }
/// "tokens_per_second" is "tokens per second" in a sentence.
std::string words_of(Fact q) {
  std::string text(name_of(q));
  std::replace(text.begin(), text.end(), '_', ' ');
  return q == Fact::mfu ? "MFU" : q == Fact::tflops_per_gpu ? "TFLOP/s per GPU" : q == Fact::gpus ? "GPUs" : text;
}

std::string_view basis_of(Fact q) {
  return q == Fact::tflops_per_gpu ? "the stated TFLOP/s" : q == Fact::mfu ? "the stated MFU" : "work and time";
}

const Speed* with(const Judgement& judgement, Verdict verdict) {
  const auto found = std::find_if(judgement.speeds.begin(), judgement.speeds.end(),
                                  [&](const Speed& r) { return r.verdict == verdict; });
  return found == judgement.speeds.end() ? nullptr : &*found;
}

/// The widest contradiction.
const Conflict* contradiction(const Judgement& judgement) {
  const Conflict* widest = nullptr;
  for (const Conflict& c : judgement.conflicts) {
    if (c.contradiction && (widest == nullptr || c.factor > widest->factor)) widest = &c;
  }
  return widest;
}

std::string conflict_text(const Conflict& c) {
  return words_of(c.fact) + " is " + shown_number(c.given) + "; the other figures give " +
         shown_number(c.implied.figure.value) + ", " + shown_number(c.factor) + " times " +
         (c.given > c.implied.figure.value ? "less" : "as much") + '.';
}

std::string reason(const StatedClaim& stated, const Judgement& judgement, const Ceiling& ceiling,
                   const Comparison& others) {
  if (judgement.verdict == Verdict::undetermined) {
    if (!stated.gpu) return "No GPU is named, so there is no peak to compare with.";
    return judgement.speeds.empty()
               ? "The figures say nothing of a speed. Parameters, and tokens with GPUs and days, would."
               : "No run in this number format is known.";
  }
  if (const Speed* r = with(judgement, Verdict::impossible); judgement.verdict == Verdict::impossible && r != nullptr) {
    std::string text(basis_of(r->basis));
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    text += " need " + shown_number(r->tflops_per_gpu) + " TFLOP/s of each GPU, ";
    if (r->tflops_per_gpu > ceiling.peak_tflops) {
      const double times = r->tflops_per_gpu / ceiling.peak_tflops;
      text += shown_number(times) + " times its dense peak of " + shown_number(ceiling.peak_tflops) + '.';
      if (times <= 2) text += " Datasheets print twice the peak for sparse matrices, which training does not use.";
      return text;
    }
    return text + "more than the " + shown_number(ceiling.measured_tflops) +
           " that the fastest matrix product measured on it reaches.";
  }
  if (judgement.verdict == Verdict::contradictory) {
    const Conflict* c = contradiction(judgement);
    return c == nullptr ? std::string() : "The figures contradict each other: " + conflict_text(*c);
  }
  const double mfu = judgement.speeds.front().mfu.value_or(0);
  const PublishedRun& best = *others.best;
  const std::string ours = "MFU is " + shown_percent(mfu);
  if (judgement.verdict == Verdict::extraordinary) {
    return ours + ", above the best published run of the part, " + best.name + " at " +
           shown_percent(utilisation(best, others.causal)) + '.';
  }
  double low = 1, high = 0;
  for (const PublishedRun& run : others.nearest) {
    low = std::min(low, utilisation(run, others.causal));
    high = std::max(high, utilisation(run, others.causal));
  }
  return ours + "; the nearest published runs reach " + shown_percent(low) + " to " + shown_percent(high) + '.';
}

Json write_run(const PublishedRun& run, bool causal) {
  Json json;
  json["id"] = run.id;
  json["name"] = run.name;
  json["gpu"] = run.gpu;
  json["precision"] = name_of(run.precision);
  json["parameters"] = exact_number(run.parameters);
  json["active_parameters"] = exact_number(run.active_parameters);
  json["gpus"] = run.gpus > 0 ? exact_number(run.gpus) : Json(nullptr);
  json["sequence_length"] = exact_number(run.sequence);
  json["tokens_per_second_per_gpu"] = exact_number(run.tokens_per_second_per_gpu);
  json["mfu"] = rounded_number(utilisation(run, causal));
  json["source"] = run.source;
  return json;
}

Json write_figures(const StatedClaim& stated, const Judgement& judgement) {
  Json list = Json::array();
  for (std::size_t i = 0; i < fact_count; ++i) {
    const auto q = static_cast<Fact>(i);
    const auto& given = stated.claim.given[i];
    Json json;
    if (given) {
      const bool of_model = stated.model && (q == Fact::parameters || q == Fact::active_parameters);
      json["id"] = name_of(q);
      json["given"] = true;
      json["value"] = exact_number(round_significant(*given, 12));
      json["source"] = of_model ? "the model" : "the claim";
    } else {
      const auto& derived = judgement.consequences.derived;
      const auto found = std::find_if(derived.begin(), derived.end(), [&](const Derived& d) { return d.fact == q; });
      if (found == derived.end()) continue;
      json = write_figure(found->figure, Explain::yes);
      json["given"] = false;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json write_conflict(const Conflict& c) {
  Json json;
  json["id"] = name_of(c.fact);
  json["given"] = exact_number(round_significant(c.given, 12));
  json["implied"] = rounded_number(c.implied.figure.value);
  json["factor"] = rounded_number(c.factor);
  const Json figure = write_figure(c.implied.figure, Explain::yes);
  for (const char* key : {"formula", "values", "source"}) json[key] = figure[key];
  json["message"] = conflict_text(c);
  return json;
}

/// Why figures that differ by a third may still mean the same.
Json write_remarks(const Judgement& judgement) {
  Json list = Json::array();
  const auto any = [&](auto fits) { return std::any_of(judgement.conflicts.begin(), judgement.conflicts.end(), fits); };
  if (any([](const Conflict& c) { return !c.contradiction && c.recompute; })) {
    list.push_back(
        "The stated rate is about 4/3 of what work and time give: it counts the second forward of full recompute (8 "
        "FLOPs for each parameter instead of 6), as Narayanan et al. 2021, BigScience and OPT do.");
  }
  if (any([](const Conflict& c) { return !c.contradiction && !c.recompute; })) {
    list.push_back(
        "Some figures differ by no more than rounding, interruptions of the run or conventions of counting FLOPs "
        "explain.");
  }
  return list;
}

/// What the same work takes at the peak and at the best published speed.
Json write_bounds(const Judgement& judgement, const Ceiling& ceiling, const Comparison& others) {
  Json list = Json::array();
  const Facts& v = judgement.consequences.values;
  const auto work = at(v, Fact::total_flops), gpus = at(v, Fact::gpus), days = at(v, Fact::days);
  if (!work || ceiling.peak_tflops <= 0) return list;
  const double K = ceiling.peak_tflops;
  const auto add = [&](LineText text, const char* unit, double value, std::vector<Value> values) {
    list.push_back(write_figure({text, unit, value, std::move(values)}, Explain::yes));
  };
  if (gpus) {
    add({"days_at_peak", "days at full peak", "W / (G * K * 1e12 * 86400)", "no run is shorter"}, "days",
        *work / (*gpus * K * tera * seconds_per_day), {{"W", *work}, {"G", *gpus}, {"K", K}});
  }
  if (!others.best) return list;
  const double best = utilisation(*others.best, others.causal);
  if (gpus) {
    add({"days_at_best", "days at the best published MFU", "W / (G * K * u * 1e12 * 86400)", "best published run"},
        "days", *work / (*gpus * K * best * tera * seconds_per_day),
        {{"W", *work}, {"G", *gpus}, {"K", K}, {"u", best}});
  }
  if (days) {
    add({"gpus_at_best", "GPUs at the best published MFU", "W / (T * K * u * 1e12 * 86400)", "best published run"},
        "GPUs", *work / (*days * K * best * tera * seconds_per_day),
        {{"W", *work}, {"T", *days}, {"K", K}, {"u", best}});
  }
  return list;
}

/// Mixed-precision Adam keeps 16 bytes for each parameter: ZeRO, arXiv:1910.02054 section 3.1.
void warn_of_memory(const StatedClaim& stated, const Judgement& judgement, Json& warnings) {
  constexpr double state_bytes = 16;
  const auto parameters = at(judgement.consequences.values, Fact::parameters);
  const auto gpus = at(judgement.consequences.values, Fact::gpus);
  if (!parameters || !gpus || !stated.gpu || stated.gpu->memory.value <= 0) return;
  const double need = state_bytes * *parameters, have = *gpus * stated.gpu->memory.value;
  if (need <= have) return;
  warnings.push_back(
      {{"path", "/gpus"},
       {"message", "Mixed-precision Adam keeps " + shown_number(need / giga) + " GB of states; the GPUs hold " +
                       shown_number(have / giga) + " GB together. It would need offloading or a leaner optimizer."}});
}

}  // namespace

Json write_claim(const StatedClaim& stated, const Judgement& judgement, const Ceiling& ceiling,
                 const Comparison& others) {
  Json json;
  json["ok"] = true;
  json["schema_version"] = schema_version;
  json["verdict"] = name_of(judgement.verdict);
  json["reason"] = reason(stated, judgement, ceiling, others);
  json["model"] =
      stated.model ? Json(stated.model->name.empty() ? stated.model->id : stated.model->name) : Json(nullptr);
  json["gpu"] = stated.gpu ? Json(stated.gpu->id) : Json(nullptr);
  json["precision"] = name_of(stated.precision);
  json["sequence_length"] = stated.sequence > 0 ? exact_number(stated.sequence) : Json(nullptr);
  json["convention"] = stated.claim.shape.matrices > 0 ? "causal" : "six_n";
  json["peak_tflops"] = ceiling.peak_tflops > 0 ? rounded_number(ceiling.peak_tflops) : Json(nullptr);
  json["measured_tflops"] = ceiling.measured_tflops > 0 ? rounded_number(ceiling.measured_tflops) : Json(nullptr);
  json["figures"] = write_figures(stated, judgement);
  Json& speeds = json["speeds"] = Json::array();
  for (const Speed& r : judgement.speeds) {
    speeds.push_back({{"basis", basis_of(r.basis)},
                      {"tflops_per_gpu", rounded_number(r.tflops_per_gpu)},
                      {"mfu", r.mfu ? rounded_number(*r.mfu) : Json(nullptr)},
                      {"verdict", name_of(r.verdict)}});
  }
  Json& contradictions = json["contradictions"] = Json::array();
  for (const Conflict& c : judgement.conflicts) {
    if (c.contradiction) contradictions.push_back(write_conflict(c));
  }
  json["remarks"] = write_remarks(judgement);
  json["bounds"] = write_bounds(judgement, ceiling, others);
  json["same_gpu"] = others.same_gpu;
  Json& nearest = json["nearest"] = Json::array();
  for (const PublishedRun& run : others.nearest) nearest.push_back(write_run(run, others.causal));
  json["best"] = others.best ? write_run(*others.best, others.causal) : Json(nullptr);
  Json& warnings = json["warnings"] = Json::array();
  for (const Issue& w : stated.warnings) warnings.push_back({{"path", w.path}, {"message", w.message}});
  warn_of_memory(stated, judgement, warnings);
  return json;
}

}  // namespace meshgauge
