// The length, price and energy of a whole run, with what interruptions and checkpoints take of it.
#pragma once

#include <optional>
#include <vector>

#include "core/compose/step.hpp"
#include "core/count/figure.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// How a job that is interrupted now and then gets on.
struct Progress {
  Seconds mtbf{};        ///< between two interruptions of the job
  Seconds checkpoint{};  ///< to write one; training waits for it
  Seconds restart{};     ///< reading the checkpoint included
  Seconds interval{};    ///< training between two checkpoints, as planned
  Seconds best_interval{};
  double goodput = 1;  ///< share of time that trains and is kept; 0 where next to nothing is
};
/// The interval that loses least, to third order: Daly 2006 (Future Generation Computer Systems 22), equation 37;
/// Young 1974 (CACM 17 number 9) is its first term.
[[nodiscard]] Seconds best_checkpoint_interval(Seconds checkpoint, Seconds mtbf);
[[nodiscard]] Progress progress_of(const Scenario&);

/// Needs training.tokens > 0. Lengths and amounts are nothing where the job never gets done.
struct RunReport {
  double steps = 0;
  Progress progress;
  std::optional<double> days;
  std::optional<double> gpu_hours;
  std::optional<double> cost_usd;
  std::optional<double> energy_kwh;
  double uninterrupted_days = 0;
  double interruptions = 0;                             ///< expected
  double checkpoint_bytes = 0;                          ///< of the whole job
  double checkpoint_share = 0, interruption_share = 0;  ///< of the time, beside goodput
  std::vector<Figure> figures;                          ///< the same with their reasons
};
[[nodiscard]] std::optional<RunReport> estimate_run(const Scenario&, const StepReport&);

}  // namespace meshgauge
