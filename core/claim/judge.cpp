// Whether a claimed speed is possible, and how it compares.
#include "core/claim/judge.hpp"

#include <algorithm>

#include "core/catalog/catalog.hpp"
#include "core/price/peak.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t most_nearest = 5;
constexpr std::size_t few = 3;      // runs of a part, below which its architecture is compared with
constexpr double poor_share = 0.5;  // of the median of the nearest runs
constexpr double rounding = 1.001;  // utilisations of published runs have four digits

std::optional<double> at(const Facts& values, Fact q) { return values[static_cast<std::size_t>(q)]; }

/// Formats whose products run at the same rate compare with each other.
int rate_class(Precision p) {
  switch (p) {
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp8:
    case Precision::mxfp8:
      return 1;
    case Precision::nvfp4:
      return 0;
    default:
      return 2;
  }
}

/// How many doublings lie between two numbers, fractions cut off finely: comparisons need no logarithm of the library.
double doublings(double a, double b) {
  double ratio = std::max(a, b) / std::min(a, b);
  double count = 0;
  for (; ratio >= 2 && count < 200; ratio /= 2) ++count;
  return count + (ratio - 1);  // within 0.09 of the logarithm
}

double distance(const PublishedRun& run, const Facts& claim) {
  const auto active = at(claim, Fact::active_parameters), all = at(claim, Fact::parameters);
  const auto gpus = at(claim, Fact::gpus);
  double d = 0;
  if (active && *active > 0) d += doublings(run.active_parameters, *active);
  // A mixture computes less with each byte it moves, and moves more.
  if (active && all && *active > 0)
    d += doublings(run.parameters / run.active_parameters, std::max(1.0, *all / *active));
  // Jobs of a few nodes more or less differ little: ten times the GPUs weighs like twice the parameters.
  if (gpus && *gpus > 0 && run.gpus > 0) d += 0.3 * doublings(run.gpus, *gpus);
  return d;
}

double median(const Comparison& others) {
  std::vector<double> all;
  for (const PublishedRun& run : others.nearest) all.push_back(utilisation(run, others.causal));
  std::sort(all.begin(), all.end());
  const std::size_t half = all.size() / 2;
  return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

Verdict verdict_of(double tflops, std::optional<double> mfu, const Ceiling& ceiling, const Comparison& others) {
  if (!mfu) return Verdict::undetermined;
  if (tflops > ceiling.peak_tflops) return Verdict::impossible;
  if (ceiling.measured_tflops > 0 && tflops > ceiling.measured_tflops) return Verdict::impossible;
  if (!others.best || others.nearest.empty()) return Verdict::undetermined;
  if (*mfu > rounding * utilisation(*others.best, others.causal)) return Verdict::extraordinary;
  return *mfu < poor_share * median(others) ? Verdict::poor : Verdict::normal;
}

}  // namespace

Ceiling ceiling_of(const Gpu& gpu, Precision precision) {
  const double measured = rate_class(precision) == 2   ? gpu.measured_bf16.value
                          : rate_class(precision) == 1 ? gpu.measured_fp8.value
                                                       : 0;
  return {peak_of(gpu, precision).value / tera, measured / tera};
}

double utilisation(const PublishedRun& run, bool causal) { return causal ? run.mfu_causal : run.mfu_six_n; }

Comparison compare(const Gpu& gpu, Precision precision, const Facts& claim, bool causal) {
  Comparison result{.nearest = published_runs(), .best = {}, .same_gpu = true, .causal = causal};
  std::vector<PublishedRun>& runs = result.nearest;
  const auto keep = [&](std::size_t enough, auto fits) {
    if (std::count_if(runs.begin(), runs.end(), fits) < static_cast<std::ptrdiff_t>(enough)) return false;
    runs.erase(std::remove_if(runs.begin(), runs.end(), [&](const PublishedRun& r) { return !fits(r); }), runs.end());
    return true;
  };
  keep(1, [&](const PublishedRun& r) { return rate_class(r.precision) == rate_class(precision); });
  // Memory and packaging of a part change little of its utilisation: "a100-sxm-80gb" and "a100-sxm-40gb". One or two
  // runs are no yardstick; then those of the architecture are.
  const std::string family = gpu.id.substr(0, gpu.id.find('-'));
  result.same_gpu = keep(few, [&](const PublishedRun& r) { return r.gpu == gpu.id; }) ||
                    keep(few, [&](const PublishedRun& r) { return r.gpu.substr(0, r.gpu.find('-')) == family; });
  if (!result.same_gpu) {
    keep(1, [&](const PublishedRun& r) {
      const Result<Gpu> other = find_gpu(r.gpu, "");
      return other.ok() && other.value->architecture == gpu.architecture;
    });
  }
  std::stable_sort(runs.begin(), runs.end(), [&](const PublishedRun& a, const PublishedRun& b) {
    return distance(a, claim) < distance(b, claim);
  });
  for (const PublishedRun& run : runs) {
    if (!result.best || utilisation(run, causal) > utilisation(*result.best, causal)) result.best = run;
  }
  if (runs.size() > most_nearest) runs.resize(most_nearest);
  return result;
}

Judgement judge(const Claim& claim, const Ceiling& ceiling, const Comparison& others) {
  Judgement result{.verdict = Verdict::undetermined,
                   .speeds = {},
                   .conflicts = conflicts_in(claim),
                   .consequences = consequences_of(claim)};
  // Each way to a speed is read on its own: as given, and from the work and the time alone.
  const auto read = [&](Fact basis, const Claim& part) {
    const Facts values = consequences_of(part).values;
    const auto tflops = at(values, Fact::tflops_per_gpu);
    if (!tflops) return;
    const auto mfu = at(values, Fact::mfu);
    result.speeds.push_back({basis, *tflops, mfu, verdict_of(*tflops, mfu, ceiling, others)});
  };
  Claim work = claim;
  work.given[static_cast<std::size_t>(Fact::tflops_per_gpu)].reset();
  work.given[static_cast<std::size_t>(Fact::mfu)].reset();
  read(Fact::tokens_per_second_per_gpu, work);
  for (const Fact stated : {Fact::tflops_per_gpu, Fact::mfu}) {
    if (!at(claim.given, stated)) continue;
    Claim alone = claim;
    alone.given = {};
    alone.given[static_cast<std::size_t>(stated)] = at(claim.given, stated);
    read(stated, alone);
  }
  // Work and time outweigh a printed rate, whose convention is unknown; what is impossible by any of them stays so.
  if (!result.speeds.empty()) result.verdict = result.speeds.front().verdict;
  for (const Conflict& conflict : result.conflicts) {
    if (conflict.contradiction) result.verdict = Verdict::contradictory;
  }
  for (const Speed& speed : result.speeds) {
    if (speed.verdict == Verdict::impossible) result.verdict = Verdict::impossible;
  }
  return result;
}

}  // namespace meshgauge
