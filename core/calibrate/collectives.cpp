// time = the model of core/price with its constants refitted, then a table over that. The table has one point for each
// measured size; between two of them time goes in straight lines over the model's own time, which keeps the bend that
// the model knows of (on published logs, every second size left out, the median error is 2 %; of the table in the
// logarithm of bytes 3 %).
#include "core/calibrate/collectives.hpp"

#include <algorithm>
#include <cmath>

#include "core/calibrate/factors.hpp"
#include "core/price/collective.hpp"
#include "core/price/logarithm.hpp"

namespace meshgauge {
namespace {

/// A constant that one factor stands before. All-to-all moves none of the others: its kernels and its use of the NICs
/// are its own, and what it says of a machine makes predictions of rings worse.
struct Constant {
  const char* field;
  double& (*value)(Profile&);
  bool (*seen_in)(const Profile&, const Series&);
  double prior;  ///< deviation of the logarithm: latencies differ more from machine to machine than bandwidths
  double most;   ///< of the field's range
};

bool is_all_to_all(const Series& s) { return s.collective == Collective::all_to_all; }
bool inside(const Profile&, const Series& s) { return !s.route.spans_nodes() && !is_all_to_all(s); }
bool across(const Profile&, const Series& s) { return s.route.spans_nodes() && !is_all_to_all(s); }
bool exchange(const Profile&, const Series& s) { return s.route.spans_nodes() && is_all_to_all(s); }
bool in_switch(const Profile& p, const Series& s) {
  return s.collective == Collective::all_reduce && p.intra.in_switch > 0 && s.route.in_node() >= switch_ranks;
}
bool in_ring(const Profile& p, const Series& s) { return inside(p, s) && !in_switch(p, s); }
bool switches(const Profile& p, const Series& s) { return inside(p, s) && in_switch(p, s); }

constexpr double latency_prior = 0.6, bandwidth_prior = 0.25, most_seconds = 10, most_share = 2;
constexpr Constant constants[] = {
    {"intra_base_seconds", [](Profile& p) -> double& { return p.intra.base.value; }, inside, latency_prior,
     most_seconds},
    {"intra_hop_seconds", [](Profile& p) -> double& { return p.intra.hop.value; }, inside, latency_prior, most_seconds},
    {"intra_ring_efficiency", [](Profile& p) -> double& { return p.intra.ring; }, in_ring, bandwidth_prior, most_share},
    {"intra_switch_efficiency", [](Profile& p) -> double& { return p.intra.in_switch; }, switches, bandwidth_prior,
     most_share},
    {"inter_hop_seconds", [](Profile& p) -> double& { return p.inter.hop.value; }, across, latency_prior, most_seconds},
    {"inter_protocol_step_seconds", [](Profile& p) -> double& { return p.inter.protocol_step.value; }, across,
     latency_prior, most_seconds},
    {"inter_ring_efficiency", [](Profile& p) -> double& { return p.inter.ring; }, across, bandwidth_prior, most_share},
    {"inter_peer_seconds", [](Profile& p) -> double& { return p.inter.peer.value; }, exchange, latency_prior,
     most_seconds},
    {"inter_all_to_all_efficiency", [](Profile& p) -> double& { return p.inter.all_to_all; }, exchange, bandwidth_prior,
     most_share},
};

Seconds modelled(const Profile& profile, const Cluster& cluster, const Series& s, double bytes) {
  return modelled_time(profile, cluster, s.collective, bytes, s.route);
}

/// The profile with its constants refitted on all series, and how sure they are.
Profile refit(const Profile& base, const Cluster& cluster, const std::vector<Series>& series,
              std::vector<FittedParameter>& parameters) {
  constexpr double unknown_machine = 2;  // of a processor the datasheet says nothing
  std::vector<const Constant*> used;
  std::vector<double> priors;
  for (const Constant& constant : constants) {
    const bool seen =
        std::any_of(series.begin(), series.end(), [&](const Series& s) { return constant.seen_in(base, s); });
    Profile copy = base;
    if (!seen || constant.value(copy) <= 0) continue;
    used.push_back(&constant);
    priors.push_back(cluster.gpu.is_cpu() ? unknown_machine : constant.prior);
  }
  std::vector<const Series*> seen;
  std::vector<double> measured;
  for (const Series& s : series) {
    if (!inside(base, s) && !across(base, s) && !exchange(base, s)) continue;
    seen.push_back(&s);
    for (const Sample& sample : s.samples) measured.push_back(natural_log(sample.seconds.value));
  }
  const auto with = [&](std::span<const double> logs) {
    Profile p = base;
    for (std::size_t i = 0; i < used.size(); ++i) {
      double& value = used[i]->value(p);
      value = std::min(value * exponential(logs[i]), used[i]->most);
    }
    return p;
  };
  const Factors factors = fit_factors(measured, priors, [&](std::span<const double> logs) {
    const Profile p = with(logs);
    std::vector<double> predicted;
    predicted.reserve(measured.size());
    for (const Series* s : seen) {
      for (const Sample& sample : s->samples) {
        predicted.push_back(natural_log(modelled(p, cluster, *s, sample.bytes).value));
      }
    }
    return predicted;
  });
  Profile result = with(factors.logs);
  Profile before = base;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!factors.determined(i, priors[i])) continue;
    parameters.push_back(
        {used[i]->field, used[i]->value(before), used[i]->value(result), exponential(factors.sigmas[i]) - 1});
  }
  return result;
}

/// Lone spikes and dips, half of the time and more away from both neighbours, which agree; a first call that was cold.
std::vector<bool> outliers(const std::vector<double>& corrections, const std::vector<Sample>& samples) {
  constexpr double lone = 0.405;  // the logarithm of 1.5
  const std::size_t n = corrections.size();
  std::vector<bool> out(n, false);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double left = corrections[i] - corrections[i - 1], right = corrections[i] - corrections[i + 1];
    const double least = std::min(std::fabs(left), std::fabs(right));
    out[i] = left * right > 0 && least > lone && std::fabs(left - right) < 0.5 * least;
  }
  if (n > 2) out[0] = samples[0].seconds > 1.5 * samples[1].seconds;
  return out;
}

/// Pools neighbours that fall until none does (Ayer et al. 1955): the least change in squares of the logarithm.
void make_rising(std::vector<double>& values) {
  struct Block {
    double mean, count;
  };
  std::vector<Block> blocks;
  for (const double value : values) {
    blocks.push_back({value, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& b = blocks.back();
      b.mean = (b.mean * b.count + last.mean * last.count) / (b.count + last.count);
      b.count += last.count;
    }
  }
  values.clear();
  for (const Block& b : blocks) values.insert(values.end(), static_cast<std::size_t>(b.count), b.mean);
}

CollectiveCurve curve_through(const Series& s, const Profile& profile, const Cluster& cluster,
                              std::vector<bool>* left_out = nullptr) {
  std::vector<double> corrections;
  for (const Sample& sample : s.samples) {
    corrections.push_back(natural_log(sample.seconds / modelled(profile, cluster, s, sample.bytes)));
  }
  const std::vector<bool> out = outliers(corrections, s.samples);
  std::vector<double> logs, bytes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i]) continue;
    logs.push_back(natural_log(s.samples[i].seconds.value));
    bytes.push_back(s.samples[i].bytes);
  }
  make_rising(logs);
  CollectiveCurve curve{s.collective, s.route.size, s.route.per_node, 0, {}};
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const CurvePoint point{bytes[i], modelled(profile, cluster, s, bytes[i]), {exponential(logs[i])}};
    constexpr double same = 1e-9;  // where the model sees no difference there is no line between two points
    if (!curve.points.empty() && point.modelled <= (1 + same) * curve.points.back().modelled) continue;
    curve.points.push_back(point);
  }
  if (left_out != nullptr) *left_out = out;
  return curve;
}

ErrorSummary errors_of(const Series& s, const std::vector<Seconds>& predicted) {
  return errors_of(s.samples, &Sample::seconds, predicted);
}

/// Even samples (0, 2, ...) or odd ones.
Series half_of(const Series& s, std::size_t first) {
  Series half = s;
  half.samples.clear();
  for (std::size_t i = first; i < s.samples.size(); i += 2) half.samples.push_back(s.samples[i]);
  return half;
}

std::vector<Seconds> predictions(const Profile& profile, const Cluster& cluster, const Series& s) {
  std::vector<Seconds> times;
  for (const Sample& sample : s.samples) {
    times.push_back(corrected(profile.measured, s.collective, s.route, modelled(profile, cluster, s, sample.bytes)));
  }
  return times;
}

bool worse(const ErrorSummary& after, const ErrorSummary& before) {
  constexpr double noise = 0.005;
  return after.median > before.median + noise && after.p90 > before.p90 + noise;
}

/// A fit on the even samples of each series, and its errors on the odd ones.
void hold_out(const Profile& base, const Cluster& cluster, std::vector<CurveReport*>& reports) {
  constexpr std::size_t fewest = 8;
  std::vector<Series> halves;
  for (const CurveReport* r : reports) halves.push_back(half_of(r->series, 0));
  std::vector<FittedParameter> unused;
  Profile profile = refit(base, cluster, halves, unused);
  profile.measured.collectives.clear();  // an earlier fit may have seen the sizes that are left out
  for (const Series& half : halves) profile.measured.collectives.push_back(curve_through(half, profile, cluster));
  for (CurveReport* r : reports) {
    if (r->series.samples.size() < fewest) continue;
    const Series odd = half_of(r->series, 1);
    r->held_out = errors_of(odd, predictions(profile, cluster, odd));
  }
}

}  // namespace

CollectiveFit fit_collectives(const Profile& base, const Cluster& cluster, const std::vector<Series>& series,
                              bool fit_slow) {
  constexpr double half = 0.5, long_message = 1 << 20;
  CollectiveFit fit;
  std::vector<Series> used;
  for (const Series& s : series) {
    CurveReport report;
    report.series = s;
    report.before = predictions(base, cluster, s);
    report.error_before = errors_of(s, report.before);
    report.share_of_default = report.before.back() / s.samples.back().seconds;
    report.outlier.assign(s.samples.size(), false);
    report.regimes = regimes_of(s.samples);
    const bool slow = !cluster.gpu.is_cpu() && s.samples.back().bytes >= long_message && report.share_of_default < half;
    report.verdict = s.samples.size() < fewest_curve_sizes ? CurveVerdict::too_few_sizes
                     : slow && !fit_slow                   ? CurveVerdict::slow
                                                           : CurveVerdict::fitted;
    if (report.verdict == CurveVerdict::fitted) used.push_back(s);
    fit.curves.push_back(std::move(report));
  }
  fit.profile = used.empty() ? base : refit(base, cluster, used, fit.parameters);
  std::vector<CurveReport*> fitted;
  for (CurveReport& report : fit.curves) {
    if (report.verdict == CurveVerdict::fitted) fitted.push_back(&report);
  }
  hold_out(base, cluster, fitted);
  fit.profile.measured.collectives.clear();
  for (CurveReport* report : fitted) {
    CollectiveCurve curve = curve_through(report->series, fit.profile, cluster, &report->outlier);
    Profile with = fit.profile;
    with.measured.collectives = {curve};
    report->error_after = errors_of(report->series, predictions(with, cluster, report->series));
    curve.spread = report->held_out.n > 0 ? report->held_out.p90 : report->error_after.p90;
    if (worse(report->error_after, report->error_before)) {
      report->verdict = CurveVerdict::no_better;
    } else {
      fit.profile.measured.collectives.push_back(std::move(curve));
    }
  }
  for (CurveReport& report : fit.curves) {
    report.after = predictions(fit.profile, cluster, report.series);
    report.error_after = errors_of(report.series, report.after);
  }
  return fit;
}

}  // namespace meshgauge
