#include "core/calibrate/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/calibrate/factors.hpp"
#include "core/compose/step.hpp"
#include "core/price/logarithm.hpp"

namespace meshgauge {
namespace {

/// A factor on the time of one part of a step. `low` and `high`: what machines of one kind were seen to differ by.
struct Term {
  const char* field;
  const char* name;
  void (*slow_down)(Profile&, double factor);
  double prior;  ///< deviation of the logarithm
  double low, high;
  bool fitted;  ///< on many steps; others are only named as reasons
  double (*value)(const Profile&);
};

double clamped(double value, double low, double high) { return std::clamp(value, low, high); }

// Ranges. Products: nodes of one kind differ by 5 % and a few boards by 10 %. Attention: kernels of two years. Network:
// 0.64 to 0.95 of the NICs in published logs, and half where one rail is down. Launches and host: CPUs and Python
// versions. Overlap: 0.4 to 0.6 of hidden communication paid on H100.
constexpr auto terms = std::to_array<Term>({
    {"matmul_16bit_flops_per_second", "matrix products",
     [](Profile& p, double f) {
       for (FlopsPerSecond* rate : {&p.matmul_fp32, &p.matmul_tf32, &p.matmul_16bit, &p.matmul_fp8, &p.matmul_fp4}) {
         *rate = *rate / f;
       }
     },
     0.08, 0.9, 1.2, true, [](const Profile& p) { return p.matmul_16bit.value; }},
    {"flash_forward_flops_per_second", "attention core",
     [](Profile& p, double f) {
       for (FlopsPerSecond* rate : {&p.flash_forward, &p.flash_backward, &p.unfused_attention}) *rate = *rate / f;
     },
     0.15, 0.75, 1.5, true, [](const Profile& p) { return p.flash_forward.value; }},
    {"pass_speed", "element-wise passes of the layers",
     [](Profile& p, double f) { p.pass_speed = clamped(p.pass_speed / f, 0.001, 100); }, 0.15, 0.8, 1.5, true,
     [](const Profile& p) { return p.pass_speed; }},
    {"loss_speed", "the loss", [](Profile& p, double f) { p.loss_speed = clamped(p.loss_speed / f, 0.001, 100); }, 0.2,
     0.7, 2, true, [](const Profile& p) { return p.loss_speed; }},
    {"update_speed", "the optimizer",
     [](Profile& p, double f) { p.update_speed = clamped(p.update_speed / f, 0.001, 100); }, 0.2, 0.7, 3, true,
     [](const Profile& p) { return p.update_speed; }},
    {"link_share", "collectives inside a node",
     [](Profile& p, double f) { p.link_share = clamped(p.link_share / f, 0.001, 100); }, 0.15, 0.8, 1.5, true,
     [](const Profile& p) { return p.link_share; }},
    {"network_share", "collectives between nodes",
     [](Profile& p, double f) { p.network_share = clamped(p.network_share / f, 0.001, 2); }, 0.25, 0.8, 2.2, true,
     [](const Profile& p) { return p.network_share; }},
    {"overlap_cost", "what hidden communication costs",
     [](Profile& p, double f) { p.overlap_cost = clamped(p.overlap_cost * f, 0, 1); }, 0.4, 0.2, 2, false,
     [](const Profile& p) { return p.overlap_cost; }},
    {"launch_seconds", "gaps between kernels", [](Profile& p, double f) { p.launch = f * p.launch; }, 0.5, 0.5, 3, true,
     [](const Profile& p) { return p.launch.value; }},
    {"host", "the host that launches kernels",
     [](Profile& p, double f) {
       for (HostTime* host : {&p.host[0], &p.host[1], &p.host[2], &p.graph_host, &p.moe_host, &p.moe_graph_host}) {
         host->forward = f * host->forward;
         host->backward = f * host->backward;
       }
       p.collective_host = f * p.collective_host;
     },
     0.5, 0.3, 3, false, [](const Profile&) { return 1.0; }},
    {"fixed_per_step_seconds", "data loading, logging and what else each step does",
     [](Profile& p, double f) {
       p.fixed_per_step = f * p.fixed_per_step;
       p.fixed_with_graphs = f * p.fixed_with_graphs;
     },
     0.7, 0.1, 20, true, [](const Profile& p) { return p.fixed_per_step.value; }},
});

Seconds step_of(const Profile& profile, const Scenario& scenario) { return estimate_step(scenario, profile).seconds; }

struct Wanted {
  const StepObservation* run;
  const char* what;
  Seconds measured;
};

std::vector<Wanted> wanted_of(const std::vector<StepObservation>& runs) {
  std::vector<Wanted> all;
  const auto add = [&](const StepObservation& run, const char* what, const std::optional<Seconds>& seconds) {
    if (seconds && seconds->value > 0) all.push_back({&run, what, *seconds});
  };
  for (const StepObservation& run : runs) {
    add(run, "step", run.step);
    add(run, "compute", run.compute);
    add(run, "communication", run.communication);
  }
  return all;
}

/// What the model says of each, in order.
std::vector<Seconds> predictions(const Profile& profile, const std::vector<Wanted>& wanted) {
  std::vector<Seconds> times;
  const StepObservation* last = nullptr;
  StepReport report;
  for (const Wanted& w : wanted) {
    if (w.run != last) report = estimate_step(w.run->scenario, profile);
    last = w.run;
    const std::string_view what = w.what;
    times.push_back(what == "step"      ? report.seconds
                    : what == "compute" ? report.seconds - report.exposed()
                                        : report.communication());
  }
  return times;
}

/// Of a processor nothing is known but what was measured alone: products and collectives.
double prior_of(const Term& term, const Profile& profile, bool cpu) {
  constexpr double unknown_machine = 2;
  const std::string_view field = term.field;
  const bool measured = (field == terms[0].field && !profile.measured.products.empty()) ||
                        (field == "link_share" && !profile.measured.collectives.empty());
  return cpu && !measured ? unknown_machine : term.prior;
}

/// Steps that move enough by a term to say something of it.
bool is_seen(const Term& term, const Profile& profile, const std::vector<Wanted>& wanted,
             const std::vector<Seconds>& base) {
  constexpr double enough = 0.02;  // of some step, for twice the term
  Profile doubled = profile;
  term.slow_down(doubled, 2);
  const std::vector<Seconds> moved = predictions(doubled, wanted);
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (std::fabs(moved[i] / base[i] - 1) > enough) return true;
  }
  return false;
}

}  // namespace

StepFit fit_steps(const Profile& base, const std::vector<StepObservation>& runs) {
  StepFit fit;
  fit.profile = base;
  std::vector<Wanted> wanted = wanted_of(runs);
  const std::vector<Seconds> before = predictions(base, wanted);
  fit.error_before = fit.error_after = errors_of(wanted, &Wanted::measured, before);
  std::vector<Seconds> after = before;
  if (runs.size() >= fewest_steps) {
    const bool cpu = runs.front().scenario.cluster.gpu.is_cpu();
    std::vector<const Term*> used;
    std::vector<double> priors, measured;
    for (const Term& term : terms) {
      if (!term.fitted || !is_seen(term, base, wanted, before)) continue;
      used.push_back(&term);
      priors.push_back(prior_of(term, base, cpu));
    }
    for (const Wanted& w : wanted) measured.push_back(natural_log(w.measured.value));
    const auto with = [&](std::span<const double> logs) {
      Profile p = base;
      for (std::size_t i = 0; i < used.size(); ++i) used[i]->slow_down(p, exponential(logs[i]));
      return p;
    };
    const Factors factors = fit_factors(measured, priors, [&](std::span<const double> logs) {
      std::vector<double> predicted;
      for (const Seconds t : predictions(with(logs), wanted)) {
        predicted.push_back(natural_log(std::max(t.value, 1e-12)));
      }
      return predicted;
    });
    const Profile refitted = with(factors.logs);
    const std::vector<Seconds> times = predictions(refitted, wanted);
    const ErrorSummary errors = errors_of(wanted, &Wanted::measured, times);
    if (errors.median <= fit.error_before.median) {
      fit.profile = refitted;
      fit.error_after = errors;
      fit.fitted = true;
      after = times;
      for (std::size_t i = 0; i < used.size(); ++i) {
        if (!factors.determined(i, priors[i])) continue;
        FittedParameter p{used[i]->field, used[i]->value(base), used[i]->value(refitted),
                          exponential(factors.sigmas[i]) - 1};
        if (cpu && used[i] == &terms[0]) {  // all formats move together; processors run fp32
          p = {"matmul_fp32_flops_per_second", base.matmul_fp32.value, refitted.matmul_fp32.value, p.sigma};
        }
        fit.parameters.push_back(std::move(p));
      }
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    fit.comparisons.push_back({wanted[i].run->name, wanted[i].what, wanted[i].measured, before[i], after[i]});
  }
  return fit;
}

Profile with_runs(const Profile& base, const std::vector<StepObservation>& runs) {
  constexpr double near_enough = 0.01;
  Profile profile = base;
  for (const StepObservation& run : runs) {
    if (!run.step) continue;
    const StepReport report = estimate_step(run.scenario, base);
    RunPoint point = run_point(run.scenario, report);
    point.ratio = *run.step / report.seconds;
    if (std::fabs(point.ratio - 1) > near_enough) profile.measured.runs.push_back(point);
  }
  return profile;
}

std::vector<Explanation> explain_step(const Profile& profile, const Scenario& scenario, Seconds measured) {
  constexpr double most = 20;
  const Seconds base = step_of(profile, scenario);
  std::vector<Explanation> list;
  const bool too_long = measured > base;  // than predicted: something is slower
  for (const Term& term : terms) {
    const auto step_with = [&](double factor) {
      Profile p = profile;
      term.slow_down(p, factor);
      return step_of(p, scenario);
    };
    const double end = too_long ? most : 1 / most;
    const Seconds moved = step_with(end);
    if (std::fabs(moved / base - 1) < 0.001) continue;
    Explanation e;
    e.field = term.field;
    e.term = term.name;
    e.factor = end;
    e.plausible_low = term.low;
    e.plausible_high = term.high;
    e.share = std::fabs(step_with(1.1) / base - 1) * 10;
    e.enough = too_long ? moved >= measured : moved <= measured;
    double low = 0, high = natural_log(end);
    for (int i = 0; i < 40 && e.enough; ++i) {
      const double middle = (low + high) / 2;
      const Seconds t = step_with(exponential(middle));
      ((t < measured) == too_long ? low : high) = middle;
    }
    if (e.enough) e.factor = exponential((low + high) / 2);
    list.push_back(std::move(e));
  }
  const auto surprise = [&](const Explanation& e) {
    double prior = 1;
    for (const Term& term : terms) {
      if (e.field == term.field) prior = term.prior;
    }
    return std::fabs(natural_log(e.factor)) / prior + (e.enough ? 0 : 1000);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const Explanation& a, const Explanation& b) { return surprise(a) < surprise(b); });
  return list;
}

}  // namespace meshgauge
