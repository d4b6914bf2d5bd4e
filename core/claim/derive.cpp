// From some figures of a run to the others.
#include <algorithm>
#include <span>

#include "core/claim/claim.hpp"

namespace meshgauge {
namespace {

// Figures are printed with two digits: one in twenty.
constexpr double rounding = 1.05;
// Counting the recomputed forward or not is 8 against 6 FLOPs a parameter; attention in full or halved is less
// (Narayanan et al. 2021, arXiv:2104.04473 section 5.1).
constexpr double conventions = 4.0 / 3;
// Runs that tell keep above nine tenths of their time: Llama 3, arXiv:2407.21783 section 3.3.4; MegaScale,
// arXiv:2402.15627.
constexpr double interruptions = 1 / 0.9;

constexpr const char* arithmetic = "arithmetic";
constexpr const char* products =
    "6 FLOPs for each parameter that a token touches: Kaplan et al. 2020, arXiv:2001.08361 section 2.1";
constexpr const char* shape_source =
    "Megatron-LM megatron/training/training.py num_floating_point_operations: matrix products and causal attention";
constexpr const char* peak_source = "Chowdhery et al. 2022, arXiv:2204.02311 appendix B, over the dense datasheet peak";

using Q = Fact;

struct Symbol {
  const char* letter;
  const char* name;
  const char* unit;
};
constexpr std::array<Symbol, fact_count> symbols{{{"N", "parameters", ""},
                                                  {"A", "active parameters", ""},
                                                  {"D", "tokens", "tokens"},
                                                  {"G", "GPUs", "GPUs"},
                                                  {"T", "days", "days"},
                                                  {"H", "GPU hours", "GPU hours"},
                                                  {"r", "tokens per second", "tokens/s"},
                                                  {"q", "tokens per second and GPU", "tokens/s"},
                                                  {"R", "model TFLOP/s per GPU", "TFLOP/s"},
                                                  {"u", "MFU", ""},
                                                  {"F", "FLOPs per token", "FLOP"},
                                                  {"W", "FLOPs of the run", "FLOP"}}};
const Symbol& symbol(Q q) { return symbols[static_cast<std::size_t>(q)]; }

enum class Kind { exact, flops, wall };

/// target = factor * over[...] / under[...]
struct Rule {
  Q target;
  const char* formula;
  double factor;
  std::array<std::optional<Q>, 2> over, under;
  Kind kind = Kind::exact;
  const char* source = arithmetic;
};

constexpr double day = 86400, hour = 3600;
constexpr std::array<std::optional<Q>, 2> one(Q a) { return {a, std::nullopt}; }
constexpr std::array<std::optional<Q>, 2> two(Q a, Q b) { return {a, b}; }
constexpr std::array<std::optional<Q>, 2> none{};

constexpr auto rules = std::to_array<Rule>({
    {Q::active_parameters, "N", 1, one(Q::parameters), none, Kind::exact, "a dense model uses all of them"},
    {Q::flops_per_token, "6 * A", 6, one(Q::active_parameters), none, Kind::flops, products},
    {Q::active_parameters, "F / 6", 1.0 / 6, one(Q::flops_per_token), none, Kind::flops, products},
    {Q::total_flops, "F * D", 1, two(Q::flops_per_token, Q::tokens), none},
    {Q::flops_per_token, "W / D", 1, one(Q::total_flops), one(Q::tokens)},
    {Q::tokens, "W / F", 1, one(Q::total_flops), one(Q::flops_per_token)},
    {Q::gpu_hours, "G * T * 24", 24, two(Q::gpus, Q::days), none},
    {Q::days, "H / (G * 24)", 1.0 / 24, one(Q::gpu_hours), one(Q::gpus)},
    {Q::gpus, "H / (T * 24)", 1.0 / 24, one(Q::gpu_hours), one(Q::days)},
    {Q::tokens_per_second, "q * G", 1, two(Q::tokens_per_second_per_gpu, Q::gpus), none},
    {Q::tokens_per_second_per_gpu, "r / G", 1, one(Q::tokens_per_second), one(Q::gpus)},
    {Q::gpus, "r / q", 1, one(Q::tokens_per_second), one(Q::tokens_per_second_per_gpu)},
    {Q::tflops_per_gpu, "F * q / 1e12", 1e-12, two(Q::flops_per_token, Q::tokens_per_second_per_gpu), none},
    {Q::tokens_per_second_per_gpu, "R * 1e12 / F", 1e12, one(Q::tflops_per_gpu), one(Q::flops_per_token)},
    {Q::flops_per_token, "R * 1e12 / q", 1e12, one(Q::tflops_per_gpu), one(Q::tokens_per_second_per_gpu)},
    {Q::tokens, "r * T * 86400", day, two(Q::tokens_per_second, Q::days), none, Kind::wall},
    {Q::days, "D / (r * 86400)", 1 / day, one(Q::tokens), one(Q::tokens_per_second), Kind::wall},
    {Q::tokens_per_second, "D / (T * 86400)", 1 / day, one(Q::tokens), one(Q::days), Kind::wall},
    {Q::tokens, "q * H * 3600", hour, two(Q::tokens_per_second_per_gpu, Q::gpu_hours), none, Kind::wall},
    {Q::gpu_hours, "D / (q * 3600)", 1 / hour, one(Q::tokens), one(Q::tokens_per_second_per_gpu), Kind::wall},
    {Q::tokens_per_second_per_gpu, "D / (H * 3600)", 1 / hour, one(Q::tokens), one(Q::gpu_hours), Kind::wall},
    {Q::total_flops, "R * 1e12 * H * 3600", 1e12 * hour, two(Q::tflops_per_gpu, Q::gpu_hours), none, Kind::wall},
    {Q::tflops_per_gpu, "W / (1e12 * H * 3600)", 1 / (1e12 * hour), one(Q::total_flops), one(Q::gpu_hours), Kind::wall},
    {Q::gpu_hours, "W / (R * 1e12 * 3600)", 1 / (1e12 * hour), one(Q::total_flops), one(Q::tflops_per_gpu), Kind::wall},
});

/// Values so far, and what each owes its being to.
struct Known {
  Facts values;
  std::array<Slack, fact_count> slack{};

  [[nodiscard]] std::optional<double> at(Q q) const { return values[static_cast<std::size_t>(q)]; }
  [[nodiscard]] Slack slack_of(Q q) const { return slack[static_cast<std::size_t>(q)]; }
  void set(const Derived& d) {
    values[static_cast<std::size_t>(d.fact)] = d.figure.value;
    slack[static_cast<std::size_t>(d.fact)] = d.slack;
  }
};

Slack joined(Slack a, Slack b) { return {a.counts_flops || b.counts_flops, a.wall_time || b.wall_time}; }

Figure figure_of(Q q, const char* formula, const char* source, double value, std::vector<Value> values) {
  const Symbol& s = symbol(q);
  return {{name_of(q).data(), s.name, formula, source}, s.unit, value, std::move(values)};
}

std::optional<Derived> apply(const Rule& rule, const Known& known) {
  double value = rule.factor;
  Slack slack{rule.kind == Kind::flops, rule.kind == Kind::wall};
  std::vector<Value> values;
  const auto take = [&](std::optional<Q> q, bool over) {
    if (!q) return true;
    const std::optional<double> x = known.at(*q);
    if (!x) return false;
    value = over ? value * *x : value / *x;
    slack = joined(slack, known.slack_of(*q));
    values.push_back({symbol(*q).letter, *x});
    return true;
  };
  if (!take(rule.over[0], true) || !take(rule.over[1], true) || !take(rule.under[0], false)) return std::nullopt;
  return Derived{rule.target, figure_of(rule.target, rule.formula, rule.source, value, std::move(values)), slack};
}

/// Rules that need the hardware's peak or the model's shape.
std::optional<Derived> apply_constants(Q target, const Claim& claim, const Known& known) {
  const double K = claim.peak_tflops, M = claim.shape.matrices, C = claim.shape.causal_core;
  if (target == Q::mfu && K > 0 && known.at(Q::tflops_per_gpu)) {
    const double R = *known.at(Q::tflops_per_gpu);
    return Derived{target, figure_of(target, "R / K", peak_source, R / K, {{"R", R}, {"K", K}}),
                   known.slack_of(Q::tflops_per_gpu)};
  }
  if (target == Q::tflops_per_gpu && K > 0 && known.at(Q::mfu)) {
    const double u = *known.at(Q::mfu);
    return Derived{target, figure_of(target, "u * K", peak_source, u * K, {{"u", u}, {"K", K}}),
                   known.slack_of(Q::mfu)};
  }
  if (target == Q::flops_per_token && M > 0) {
    return Derived{target,
                   figure_of(target, "6 * M + 6 * C", shape_source, 6 * M + 6 * C, {{"M", M}, {"C", C}}),
                   {.counts_flops = true}};
  }
  return std::nullopt;
}

/// Everything that says something of `target`, the shape's own word first.
std::vector<Derived> ways_to(Q target, const Claim& claim, const Known& known) {
  std::vector<Derived> ways;
  if (auto constant = apply_constants(target, claim, known)) ways.push_back(std::move(*constant));
  for (const Rule& rule : rules) {
    const bool shaped = claim.shape.matrices > 0;  // then the FLOPs of a token are no product of the parameters
    if (rule.target != target || (shaped && rule.source == products)) continue;
    if (auto derived = apply(rule, known)) ways.push_back(std::move(*derived));
  }
  return ways;
}

Known known_from(const Claim& claim, std::vector<Derived>& derived) {
  Known known{claim.given, {}};
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < fact_count; ++i) {
      if (known.values[i]) continue;
      std::vector<Derived> ways = ways_to(static_cast<Q>(i), claim, known);
      if (ways.empty()) continue;
      known.set(ways.front());
      derived.push_back(std::move(ways.front()));
      found = true;
    }
  }
  return known;
}

double apart(double a, double b) { return std::max(a / b, b / a); }

}  // namespace

double Slack::factor() const { return rounding * (counts_flops ? conventions : 1) * (wall_time ? interruptions : 1); }

Consequences consequences_of(const Claim& claim) {
  Consequences result;
  result.values = known_from(claim, result.derived).values;
  return result;
}

std::vector<Conflict> conflicts_in(const Claim& claim) {
  std::vector<Conflict> conflicts;
  for (std::size_t i = 0; i < fact_count; ++i) {
    const auto q = static_cast<Q>(i);
    // Parameters of a mixture need not be what a token touches.
    if (!claim.given[i] || q == Q::parameters) continue;
    Claim others = claim;
    others.given[i].reset();
    if (q == Q::active_parameters) others.given[static_cast<std::size_t>(Q::parameters)].reset();
    std::vector<Derived> unused;
    const Known known = known_from(others, unused);
    for (Derived& way : ways_to(q, others, known)) {
      const double factor = apart(*claim.given[i], way.figure.value);
      if (!(factor > rounding)) continue;
      const bool flops = way.slack.counts_flops;
      const double recomputed = factor / conventions;
      const double stretch = rounding * (way.slack.wall_time ? interruptions : 1);
      Conflict conflict{.fact = q, .given = *claim.given[i], .implied = std::move(way), .factor = factor};
      conflict.contradiction = factor > conflict.implied.slack.factor();
      conflict.recompute = flops && recomputed > 1 / rounding && recomputed < stretch;
      if (conflicts.empty() || conflicts.back().fact != q) {
        conflicts.push_back(std::move(conflict));
      } else if (factor > conflicts.back().factor) {
        conflicts.back() = std::move(conflict);
      }
    }
  }
  return conflicts;
}

}  // namespace meshgauge
