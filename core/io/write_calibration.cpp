#include "core/io/write_calibration.hpp"

#include <nlohmann/json.hpp>

#include "core/io/write_profile.hpp"
#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json write_errors(const ErrorSummary& errors) {
  if (errors.n == 0) return nullptr;
  return {{"n", errors.n}, {"median", rounded_number(errors.median)}, {"p90", rounded_number(errors.p90)}};
}

Json write_regime(const Regime& r) {
  const auto known = [&](double value) { return r.bandwidth.value > 0 ? rounded_number(value) : Json(nullptr); };
  return {{"first_bytes", exact_number(r.first_bytes)},
          {"last_bytes", exact_number(r.last_bytes)},
          {"latency_seconds", rounded_number(r.latency.value)},
          {"latency_sigma_seconds", rounded_number(r.latency_sigma.value)},
          {"bandwidth_bytes_per_second", known(r.bandwidth.value)},
          {"bandwidth_sigma_bytes_per_second", known(r.bandwidth_sigma.value)}};
}

/// `points`: for the page to draw.
Json write_curve(const CurveReport& r, bool points) {
  const Series& s = r.series;
  Json json = {{"collective", name_of(s.collective)},
               {"ranks", s.route.size},
               {"ranks_per_node", s.route.per_node},
               {"spans_nodes", s.route.spans_nodes()},
               {"verdict", name_of(r.verdict)},
               {"measurements", s.measurements},
               {"sizes", s.samples.size()},
               {"first_bytes", exact_number(s.samples.front().bytes)},
               {"last_bytes", exact_number(s.samples.back().bytes)},
               {"share_of_default_bandwidth", rounded_number(r.share_of_default)},
               {"before", write_errors(r.error_before)},
               {"after", write_errors(r.error_after)},
               {"held_out", write_errors(r.held_out)}};
  for (const Regime& regime : r.regimes) json["regimes"].push_back(write_regime(regime));
  if (!points) return json;
  for (std::size_t i = 0; i < s.samples.size(); ++i) {
    json["points"].push_back({{"bytes", exact_number(s.samples[i].bytes)},
                              {"measured", rounded_number(s.samples[i].seconds.value)},
                              {"before", rounded_number(r.before[i].value)},
                              {"after", rounded_number(r.after[i].value)},
                              {"outlier", static_cast<bool>(r.outlier[i])}});
  }
  return json;
}

Json write_parameters(const Calibration& c) {
  Json list = Json::array();
  for (const auto* parameters : {&c.collectives.parameters, &c.kernels.parameters, &c.steps.parameters}) {
    for (const FittedParameter& p : *parameters) {
      list.push_back({{"field", p.field},
                      {"before", rounded_number(p.before)},
                      {"after", rounded_number(p.after)},
                      {"relative_sigma", rounded_number(p.sigma)}});
    }
  }
  return list;
}

Json write_products(const KernelFit& fit) {
  Json rows = Json::array();
  for (const ProductComparison& p : fit.products) {
    rows.push_back({{"format", name_of(p.format)},
                    {"m", exact_number(p.m)},
                    {"n", exact_number(p.n)},
                    {"k", exact_number(p.k)},
                    {"groups", exact_number(p.groups)},
                    {"measured", rounded_number(p.measured.value)},
                    {"before", rounded_number(p.before.value)},
                    {"after", rounded_number(p.after.value)}});
  }
  return {{"before", write_errors(fit.error_before)},
          {"after", write_errors(fit.error_after)},
          {"held_out", write_errors(fit.held_out)},
          {"rows", std::move(rows)}};
}

Json write_step_row(const StepComparison& s) {
  return {{"id", s.name},
          {"what", s.what},
          {"measured", rounded_number(s.measured.value)},
          {"before", rounded_number(s.before.value)},
          {"after", rounded_number(s.after.value)}};
}

Json write_steps(const StepFit& fit) {
  Json rows = Json::array();
  for (const StepComparison& s : fit.comparisons) rows.push_back(write_step_row(s));
  return {{"fitted", fit.fitted},
          {"before", write_errors(fit.error_before)},
          {"after", write_errors(fit.error_after)},
          {"rows", std::move(rows)}};
}

Json write_feedback(const RunFeedback& f) {
  Json json = {{"id", f.id}};
  if (f.step) {
    json["step"] = write_step_row(*f.step);
    Json& terms = json["step"]["terms"] = Json::array();
    for (const Explanation& e : f.terms) {
      terms.push_back({{"field", e.field},
                       {"term", e.term},
                       {"factor", rounded_number(e.factor)},
                       {"enough", e.enough},
                       {"plausible", e.plausible()},
                       {"plausible_low", rounded_number(e.plausible_low)},
                       {"plausible_high", rounded_number(e.plausible_high)},
                       {"share_of_step", rounded_number(e.share)}});
    }
  }
  for (const MemoryComparison& m : f.memory) {
    Json& kind = json["memory"][std::string(name_of(m.kind))];
    kind = {{"measured", exact_number(m.measured.value)},
            {"before", exact_number(m.before.value)},
            {"after", exact_number(m.after.value)},
            {"lines", Json::array()}};
    for (const MemoryExplanation& e : m.explanations) {
      kind["lines"].push_back({{"id", e.line},
                               {"name", e.name},
                               {"category", name_of(e.category)},
                               {"bytes", exact_number(e.counted.value)},
                               {"factor", rounded_number(e.factor)},
                               {"plausible", e.plausible}});
    }
  }
  return json;
}

/// Where the numbers of the profile come from. Names of files are those that the user gave; no host is named.
Json write_record(const Calibration& c, const std::vector<FileNote>& files, const Json& cluster) {
  Json record = {{"cluster", cluster}, {"files", Json::array()}};
  for (const FileNote& f : files) {
    record["files"].push_back({{"file", f.name}, {"tool", f.tool}, {"measurements", f.measurements}});
  }
  record["parameters"] = write_parameters(c);
  Json& curves = record["collectives"] = Json::array();
  for (const CurveReport& r : c.collectives.curves) curves.push_back(write_curve(r, false));
  record["products"] = {{"n", c.kernels.products.size()},
                        {"after", write_errors(c.kernels.error_after)},
                        {"held_out", write_errors(c.kernels.held_out)}};
  record["steps"] = {{"n", c.steps.comparisons.size()}, {"after", write_errors(c.steps.error_after)}};
  return record;
}

}  // namespace

Json write_calibration(const Calibration& c, const CalibrationInput& input, const std::vector<FileNote>& files,
                       const Json& cluster) {
  Json json = {{"ok", true}};
  Json profile = write_profile(c.profile, default_profile(input.cluster));
  profile["fitted_from"] = write_record(c, files, cluster);
  json["profile"] = std::move(profile);
  Json& list = json["files"] = Json::array();
  for (const FileNote& f : files) {
    list.push_back({{"file", f.name}, {"tool", f.tool}, {"measurements", f.measurements}, {"notes", f.notes}});
  }
  json["left_out"] = c.left_out;
  Json& curves = json["collectives"] = Json::array();
  for (const CurveReport& r : c.collectives.curves) curves.push_back(write_curve(r, true));
  json["products"] = write_products(c.kernels);
  json["steps"] = write_steps(c.steps);
  json["parameters"] = write_parameters(c);
  Json& runs = json["runs"] = Json::array();
  for (const RunFeedback& f : c.feedback) runs.push_back(write_feedback(f));
  Json& advice = json["advice"] = Json::array();
  for (const Advice& a : c.advice) {
    advice.push_back({{"message", a.message}, {"command", a.command.empty() ? Json(nullptr) : Json(a.command)}});
  }
  return json;
}

}  // namespace meshgauge
