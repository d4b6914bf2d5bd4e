#include "native/step/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/count/flops.hpp"
#include "core/count/parameters.hpp"
#include "core/engine/engine.hpp"
#include "core/io/write_scenario.hpp"
#include "core/resolve/rules.hpp"
#include "native/step/model_document.hpp"

namespace meshgauge::step {
namespace {

using harness::Json;

constexpr std::array<std::string_view, mode_count> mode_names{"overlapped", "serial", "compute", "communication"};
constexpr std::array all_modes{Mode::compute, Mode::communication, Mode::overlapped, Mode::serial};

std::string text_of(std::optional<double> value, std::string_view form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

using Seconds4 = std::array<std::optional<double>, mode_count>;

Seconds4 measured_seconds(const Measured& m) {
  Seconds4 seconds;
  for (std::size_t i = 0; i < mode_count; ++i) {
    if (m.times[i].samples > 0) seconds[i] = m.times[i].median;
  }
  return seconds;
}

Seconds4 predicted_seconds(const Predicted& p) {
  Seconds4 seconds;
  for (std::size_t i = 0; i < mode_count; ++i) seconds[i] = p.seconds(static_cast<Mode>(i));
  return seconds;
}

std::optional<double> utilisation(const Scenario& s, const Predicted& p, double seconds) {
  if (p.peak.value <= 0 || seconds <= 0) return std::nullopt;
  return step_flops(s).model_causal / static_cast<double>(s.cluster.gpus) / seconds / p.peak.value;
}

/// The ledger's most of a line in any phase, by category and id.
std::map<std::pair<Category, std::string>, double> counted_lines(const Ledger& ledger) {
  std::map<std::pair<Category, std::string>, double> most;
  for (const LedgerLine& line : ledger.lines) {
    double& bytes = most[{line.category, line.text.id}];
    bytes = std::max(bytes, line.bytes.value);
  }
  return most;
}

std::size_t most_held(const HeldLine& line) { return *std::max_element(line.peaks.begin(), line.peaks.end()); }

std::string title(const Job& job, const Scenario& s) {
  return fmt::format(
      "step of {}: {} layers, hidden {}, {:.4g} parameters, {}\n{} on {} {}{}, as {} does it; {} tokens x {} x {}{}\n",
      s.model.name, s.model.layers, s.model.hidden, total_parameters(s.model), name_of(s.training.precision),
      name_of(job.strategy), job.ranks, job.ranks == 1 ? "rank" : "ranks",
      job.tensor == 1
          ? ""
          : fmt::format(", {} to a replica{}", job.tensor, job.sequence_parallel ? " (sequence parallel)" : ""),
      describe_engine(s.training.engine).name, job.sequence, job.micro_batch, job.accumulation,
      job.recompute ? ", layers rebuilt" : "");
}

}  // namespace

std::optional<double> Predicted::seconds(Mode mode) const {
  if (!step) return std::nullopt;
  const double all = step->communication().value, compute = step->seconds.value - step->exposed().value;
  switch (mode) {
    case Mode::overlapped:
      return step->seconds.value;
    case Mode::serial:
      return compute + all;
    case Mode::compute:
      return compute;
    case Mode::communication:
      return all > 0 ? std::optional(all) : std::nullopt;
  }
  return std::nullopt;
}

double Predicted::bytes(Phase phase) const {
  double sum = 0;
  for (const LedgerLine& line : ledger.lines) {
    if (line.category != Category::overhead && line.phases.has(phase)) sum += line.bytes.value;
  }
  return sum;
}

std::optional<double> overlap_efficiency(const Seconds4& seconds) {
  const auto of = [&](Mode mode) { return seconds[static_cast<std::size_t>(mode)]; };
  if (!of(Mode::compute) || !of(Mode::communication)) return std::nullopt;
  const double shorter = std::min(*of(Mode::compute), *of(Mode::communication));
  if (shorter <= 0) return std::nullopt;
  return (*of(Mode::serial) - *of(Mode::overlapped)) / shorter;
}

std::string table_of(const Job& job, const Scenario& s, const Measured& m, const Predicted& p) {
  std::string out = title(job, s) + fmt::format("loss {:.4f}, gradient norm {:.4g}\n\n", m.loss, m.gradient_norm);
  out += fmt::format("{:<20}{:>13}{:>13}{:>13}{:>13}\n", "seconds a step", "median", "p5", "p95", "predicted");
  for (const Mode mode : all_modes) {
    const harness::Summary& t = m.time(mode);
    out += fmt::format("{:<20}{:>13.6f}{:>13.6f}{:>13.6f}{:>13}\n", mode_names[static_cast<std::size_t>(mode)],
                       t.median, t.p5, t.p95, text_of(p.seconds(mode), "{:.6f}"));
  }
  const double seconds = m.time(Mode::overlapped).median;
  const auto row = [&](std::string_view name, std::optional<double> value, std::optional<double> predicted,
                       std::string_view form) {
    out += fmt::format("{:<20}{:>13}{:>39}\n", name, text_of(value, form), text_of(predicted, form));
  };
  const std::optional<double> wanted = p.seconds(Mode::overlapped);
  row("overlap efficiency", overlap_efficiency(measured_seconds(m)), overlap_efficiency(predicted_seconds(p)),
      "{:.3f}");
  row("tokens/s", s.tokens_per_step() / seconds, wanted ? std::optional(s.tokens_per_step() / *wanted) : std::nullopt,
      "{:.1f}");
  row("MFU (causal)", utilisation(s, p, seconds), wanted ? utilisation(s, p, *wanted) : std::nullopt, "{:.4f}");
  out += fmt::format("\n{} calls send {:.0f} bytes a step\n", m.calls, m.sent_bytes);
  out += fmt::format("\n{:<32}{:>18}{:>18}\n", "bytes held, by phase", "held", "predicted");
  for (const Phase phase : {Phase::forward, Phase::loss, Phase::backward, Phase::reduce, Phase::optimizer}) {
    out +=
        fmt::format("{:<32}{:>18}{:>18.0f}\n", name_of(phase), m.held[static_cast<std::size_t>(phase)], p.bytes(phase));
  }
  out += fmt::format("\n{:<32}{:>18}{:>18}\n", "and by line, at most", "held", "predicted");
  const auto counted = counted_lines(p.ledger);
  for (const HeldLine& line : m.lines) {
    const auto found = counted.find({line.category, line.id});
    out += fmt::format("{:<32}{:>18}{:>18}\n", fmt::format("{} {}", name_of(line.category), line.id), most_held(line),
                       found == counted.end() ? "-" : fmt::format("{:.0f}", found->second));
  }
  return out;
}

harness::Record record_of(const Job& job, const Scenario& s, const Measured& m, const Predicted& p) {
  const auto value = [](std::optional<double> x) { return x ? Json(*x) : Json(); };
  harness::Record record{.kind = "step",
                         .what = {},
                         .bytes = m.sent_bytes,
                         .time = m.time(Mode::overlapped),
                         .algbw = {},
                         .busbw = {},
                         .wrong = m.equal_weights ? 0 : 1,
                         .predicted = p.seconds(Mode::overlapped),
                         .more = {}};
  record.what = {{"model", s.model.id},
                 {"layers", s.model.layers},
                 {"hidden", s.model.hidden},
                 {"vocab", s.padded_vocab()},
                 {"parameters", total_parameters(s.model)},
                 {"strategy", name_of(job.strategy)},
                 {"engine", name_of(s.training.engine)},
                 {"ranks", job.ranks},
                 {"tensor_parallel_size", job.tensor},
                 {"sequence_parallel", s.parallelism.sequence_parallel},
                 {"precision", name_of(s.training.precision)},
                 {"sequence_length", job.sequence},
                 {"micro_batch_size", job.micro_batch},
                 {"accumulation", job.accumulation},
                 {"recompute", name_of(s.training.recompute)}};
  Json& more = record.more;
  // Of zero2 and zero3 with tensor parallelism there is none that the core would take.
  const Json model = model_document(s.model);
  if (!model.is_null() && broken_rules(s).empty()) more["scenario"] = write_scenario(s, model);
  for (const Mode mode : all_modes) {
    const harness::Summary& t = m.time(mode);
    more["modes"][std::string(mode_names[static_cast<std::size_t>(mode)])] = {{"samples", t.samples},
                                                                              {"median_s", t.median},
                                                                              {"p5_s", t.p5},
                                                                              {"p95_s", t.p95},
                                                                              {"predicted_s", value(p.seconds(mode))}};
  }
  const double seconds = m.time(Mode::overlapped).median;
  more["overlap_efficiency"] = value(overlap_efficiency(measured_seconds(m)));
  more["predicted_overlap_efficiency"] = value(overlap_efficiency(predicted_seconds(p)));
  more["tokens_per_second"] = s.tokens_per_step() / seconds;
  more["mfu_causal"] = value(utilisation(s, p, seconds));
  more["calls"] = m.calls;
  more["loss"] = m.loss;
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    more["memory"]["phases"][std::string(name_of(phase))] = {{"held_bytes", m.held[i]},
                                                             {"predicted_bytes", p.bytes(phase)}};
  }
  const auto counted = counted_lines(p.ledger);
  for (const HeldLine& line : m.lines) {
    const auto found = counted.find({line.category, line.id});
    more["memory"]["lines"].push_back({{"id", line.id},
                                       {"category", name_of(line.category)},
                                       {"held_bytes", most_held(line)},
                                       {"predicted_bytes", found == counted.end() ? Json() : Json(found->second)}});
  }
  return record;
}

}  // namespace meshgauge::step
