// Ledger lines and the sinks that take them: one recording every line with its reason, one only adding up.
//
// A counting function is a template over its sink and calls `sink.add(line)` once for each thing held. The planner's
// hot path passes a PhaseTotals, an explanation passes a Ledger: the same formula serves both.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/names.hpp"
#include "core/units.hpp"

namespace meshgauge {

enum class Category { parameters, gradients, optimizer, activations, logits, buffers, transient, overhead };
MESHGAUGE_NAMES(Category, "parameters", "gradients", "optimizer", "activations", "logits", "buffers", "transient",
                "overhead");

/// The instants of a step at which memory can peak. backward: the last layer's, beside all saved activations; reduce:
/// the first layer's, when all gradients exist and the saved activations are gone.
enum class Phase { load, init, forward, loss, backward, reduce, optimizer };
MESHGAUGE_NAMES(Phase, "load", "init", "forward", "loss", "backward", "reduce", "optimizer");
inline constexpr std::size_t phase_count = 7;

/// A set of phases as bits.
struct Phases {
  unsigned bits = 0;

  [[nodiscard]] constexpr bool has(Phase p) const { return (bits >> static_cast<unsigned>(p) & 1U) != 0; }
  friend constexpr Phases operator|(Phases a, Phases b) { return {a.bits | b.bits}; }
};
constexpr Phases at(Phase p) { return {1U << static_cast<unsigned>(p)}; }
/// All phases from `first` to `last`, both included.
constexpr Phases during(Phase first, Phase last) {
  Phases set;
  for (auto i = static_cast<unsigned>(first); i <= static_cast<unsigned>(last); ++i) set.bits |= 1U << i;
  return set;
}
inline constexpr Phases always = during(Phase::load, Phase::optimizer);

/// A symbol of a formula and what it stands for in this line.
struct Value {
  const char* symbol;
  double value;
};

/// What does not change from scenario to scenario. `formula` is arithmetic over the line's symbols (+ - * / ( ) and
/// min, max, ceil) that gives the bytes: a test evaluates it against `bytes` for every line.
struct LineText {
  const char* id;    ///< stable key, snake_case; translations hang on it
  const char* name;  ///< English
  const char* formula;
  const char* source;  ///< paper section, or engine and file
};

/// Memory is counted in whole bytes, so that sums of lines are exact. Up to 2^53 the conversion is floor(), and faster.
[[nodiscard]] inline Bytes whole(double bytes) {
  constexpr double most = 9007199254740992.0;
  const double above = bytes + 0.5;
  const bool converts = above >= 0 && above < most;
  return {converts ? static_cast<double>(static_cast<std::int64_t>(above)) : std::floor(above)};
}

/// Alive in the optimizer step, not in the backward.
[[nodiscard]] constexpr bool is_late(Phases phases) {
  return phases.has(Phase::optimizer) && !phases.has(Phase::backward);
}

/// Adds up, remembers nothing else.
struct PhaseTotals {
  std::array<Bytes, phase_count> totals{};
  Bytes late{};  ///< of totals: alive in the optimizer step, not while activations are

  PhaseTotals& operator+=(const PhaseTotals& o) {
    for (std::size_t i = 0; i < phase_count; ++i) totals[i] += o.totals[i];
    late += o.late;
    return *this;
  }
  [[nodiscard]] Bytes peak() const {
    Bytes most{};
    for (const Bytes bytes : totals) most = max(most, bytes);
    return most;
  }
  void add(const LineText&, Category, Phases phases, double bytes, std::initializer_list<Value>) {
    const Bytes added = whole(bytes);
    if (is_late(phases)) late += added;
    for (std::size_t i = 0; i < phase_count; ++i) totals[i] += phases.has(static_cast<Phase>(i)) ? added : Bytes{};
  }
};

struct LedgerLine {
  LineText text;
  Category category;
  Phases phases;
  Bytes bytes;
  std::vector<Value> values;
};

/// Records every line that is not empty, in the order counted.
struct Ledger {
  std::vector<LedgerLine> lines;

  void add(const LineText& text, Category category, Phases phases, double bytes, std::initializer_list<Value> values) {
    if (whole(bytes).value != 0) lines.push_back({text, category, phases, whole(bytes), values});
  }
  [[nodiscard]] PhaseTotals totals() const {
    PhaseTotals sums;
    for (const LedgerLine& line : lines) sums.add(line.text, line.category, line.phases, line.bytes.value, {});
    return sums;
  }
  [[nodiscard]] std::array<Bytes, phase_count> phase_totals() const {
    std::array<Bytes, phase_count> sums{};
    for (const LedgerLine& line : lines) {
      for (std::size_t i = 0; i < phase_count; ++i) {
        if (line.phases.has(static_cast<Phase>(i))) sums[i] += line.bytes;
      }
    }
    return sums;
  }
};

}  // namespace meshgauge
