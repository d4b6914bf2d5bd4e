// The length, price and energy of a whole run.
#include "core/compose/run.hpp"

#include <algorithm>
#include <cmath>

#include "core/count/checkpoint.hpp"
#include "core/count/traffic.hpp"

namespace meshgauge {
namespace {

constexpr double seconds_per_hour = 3600, hours_per_day = 24;

/// e to the x for x >= 0: the library's differs in its last bits between platforms.
double exponential(double x) {
  constexpr double small = 0.0625;
  constexpr int terms = 12;  // x^13 / 13! is below 2^-80
  int halvings = 0;
  while (x > small) {
    x *= 0.5;
    ++halvings;
  }
  double sum = 1;
  for (int i = terms; i > 0; --i) sum = 1 + sum * x / i;
  for (; halvings > 0; --halvings) sum *= sum;
  return sum;
}

/// Daly 2006, equation 20: with interruptions at random, `interval` of kept training takes
/// mtbf e^(restart / mtbf) (e^((interval + checkpoint) / mtbf) - 1) of time.
double goodput_of(const Progress& p) {
  constexpr double hopeless = 30;  // a share of 1e-13
  const double exponent = (p.restart + p.interval + p.checkpoint) / p.mtbf;
  if (!(exponent < hopeless)) return 0;
  const double stretched = exponential(p.restart / p.mtbf) * (exponential((p.interval + p.checkpoint) / p.mtbf) - 1);
  return std::min(1.0, p.interval / p.mtbf / stretched);
}

std::vector<Figure> figures_of(const Scenario& s, const StepReport& step, const RunReport& run,
                               const CheckpointSize& size) {
  const auto gpus = static_cast<double>(group_size(s, Group::world));
  const Progress& p = run.progress;
  const RunPlan& plan = s.run;
  std::vector<Figure> list;
  list.push_back({{"steps", "steps", "D / B", "tokens over tokens of a step"},
                  "steps",
                  run.steps,
                  {{"D", s.training.tokens}, {"B", s.useful_tokens_per_step()}}});
  list.push_back({{"uninterrupted_days", "days without interruptions", "K * T * x / 86400", "steps times their time"},
                  "days",
                  run.uninterrupted_days,
                  {{"K", run.steps}, {"T", step.seconds.value}, {"x", plan.straggler_slowdown}}});
  list.push_back({{"checkpoint_bytes", "checkpoint", "(w + m) * P + o * (P - O) + v * O + r",
                   "weights, master weights and optimizer states of the whole model"},
                  "bytes",
                  run.checkpoint_bytes,
                  {{"w", size.weight_bytes},
                   {"m", size.master_bytes},
                   {"P", size.parameters},
                   {"o", size.state_bytes},
                   {"O", size.other_parameters},
                   {"v", size.other_bytes},
                   {"r", size.factored}}});
  list.push_back({{"checkpoint_seconds", "writing a checkpoint", "b / r", "bytes over run.storage_bytes_per_second"},
                  "seconds",
                  p.checkpoint.value,
                  {{"b", run.checkpoint_bytes}, {"r", plan.storage.value}}});
  list.push_back({{"mtbf_hours", "hours between interruptions", "F / N",
                   "run.mtbf_gpu_hours; default Llama 3, arXiv:2407.21783 section 3.3.4"},
                  "hours",
                  p.mtbf.value / seconds_per_hour,
                  {{"F", plan.mtbf_gpu_hours}, {"N", gpus}}});
  if (p.checkpoint < 2 * p.mtbf) {
    list.push_back({{"best_checkpoint_interval_seconds", "best checkpoint interval",
                     "sqrt(2 * C * M) * (1 + sqrt(C / (2 * M)) / 3 + C / (2 * M) / 9) - C",
                     "Daly 2006, Future Generation Computer Systems 22, equation 37; Young 1974 is its first term"},
                    "seconds",
                    p.best_interval.value,
                    {{"C", p.checkpoint.value}, {"M", p.mtbf.value}}});
  }
  if (p.goodput > 0) {
    list.push_back({{"goodput", "share of time that trains", "I / (M * exp(R / M) * (exp((I + C) / M) - 1))",
                     "Daly 2006, Future Generation Computer Systems 22, equation 20"},
                    "",
                    p.goodput,
                    {{"I", p.interval.value}, {"M", p.mtbf.value}, {"R", p.restart.value}, {"C", p.checkpoint.value}}});
    list.push_back({{"days", "days", "u / g", "uninterrupted days over goodput"},
                    "days",
                    *run.days,
                    {{"u", run.uninterrupted_days}, {"g", p.goodput}}});
  }
  if (run.energy_kwh) {
    list.push_back(
        {{"energy_kwh", "energy", "H * W * a * e / 1000",
          "GPU hours at TDP, as Touvron et al. 2023, arXiv:2302.13971 section 6; hosts and network not in it"},
         "kWh",
         *run.energy_kwh,
         {{"H", *run.gpu_hours}, {"W", s.cluster.gpu.power_watts}, {"a", plan.power_share}, {"e", plan.pue}}});
  }
  return list;
}

}  // namespace

Seconds best_checkpoint_interval(Seconds checkpoint, Seconds mtbf) {
  if (checkpoint.value >= 2 * mtbf.value) return mtbf;
  const double x = checkpoint / (2 * mtbf);
  return {std::sqrt(2 * checkpoint.value * mtbf.value) * (1 + std::sqrt(x) / 3 + x / 9) - checkpoint.value};
}

Progress progress_of(const Scenario& s) {
  Progress p;
  p.mtbf = {s.run.mtbf_gpu_hours * seconds_per_hour / static_cast<double>(group_size(s, Group::world))};
  p.checkpoint = Bytes{checkpoint_size(s).bytes()} / s.run.storage;
  p.restart = s.run.restart + p.checkpoint;  // it is read as fast as it was written
  p.best_interval = best_checkpoint_interval(p.checkpoint, p.mtbf);
  p.interval = s.run.checkpoint_interval.value > 0 ? s.run.checkpoint_interval : p.best_interval;
  p.goodput = goodput_of(p);
  return p;
}

std::optional<RunReport> estimate_run(const Scenario& s, const StepReport& step) {
  const double tokens_per_step = s.useful_tokens_per_step();
  if (s.training.tokens <= 0 || tokens_per_step <= 0) return std::nullopt;
  const CheckpointSize size = checkpoint_size(s);
  const auto gpus = static_cast<double>(group_size(s, Group::world));
  RunReport run;
  run.progress = progress_of(s);
  run.steps = s.training.tokens / tokens_per_step;
  run.checkpoint_bytes = size.bytes();
  const double training_hours = run.steps * step.seconds.value * s.run.straggler_slowdown / seconds_per_hour;
  run.uninterrupted_days = training_hours / hours_per_day;
  const Progress& p = run.progress;
  if (p.goodput > 0) {
    const double hours = training_hours / p.goodput;
    run.days = hours / hours_per_day;
    run.gpu_hours = hours * gpus;
    run.interruptions = hours * seconds_per_hour / p.mtbf.value;
    run.checkpoint_share = p.goodput * (p.checkpoint / p.interval);
    run.interruption_share = std::max(0.0, 1 - p.goodput - run.checkpoint_share);
    if (s.cluster.usd_per_gpu_hour) run.cost_usd = *run.gpu_hours * *s.cluster.usd_per_gpu_hour;
    if (s.cluster.gpu.power_watts > 0) {
      run.energy_kwh = *run.gpu_hours * s.cluster.gpu.power_watts * s.run.power_share * s.run.pue / kilo;
    }
  }
  run.figures = figures_of(s, step, run, size);
  return run;
}

}  // namespace meshgauge
