#include "native/step/commands.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/count/memory.hpp"
#include "native/collectives/prediction.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/step/flags.hpp"
#include "native/step/report.hpp"

namespace meshgauge::step {
namespace {

using harness::Runtime;

Scenario checked_scenario(const Job& job, const Cluster& cluster) {
  const Result<Resolution> resolution = scenario_of(job, cluster);
  if (resolution.ok()) return resolution.value->scenario;
  const Issue& issue = resolution.issues.front();
  throw harness::BadInput("The step is no scenario of the model's: " + issue.message);
}

Predicted predict(const Scenario& scenario, const std::optional<harness::Model>& model, Precision precision) {
  Predicted p;
  count_memory(scenario, model ? model->profile.overhead : OverheadConstants{}, 0, p.ledger);
  if (!model) return p;
  p.step = estimate_step(scenario, model->profile);
  p.peak = scenario.cluster.gpu.is_cpu()  ? model->profile.matmul_fp32
           : precision == Precision::fp32 ? scenario.cluster.gpu.fp32
                                          : scenario.cluster.gpu.bf16;
  return p;
}

Measured measure(Runtime& runtime, const MeasurePlan& plan) {
#ifdef MESHGAUGE_CUDA
  if (runtime.device->is_gpu()) return measure_on_gpu(runtime, plan);
#endif
#ifdef MESHGAUGE_OPENBLAS
  return measure_on_cpu(runtime, plan);
#else
  throw harness::Failure("This build cannot multiply on " + runtime.device->name() + ": it was made without OpenBLAS.");
#endif
}

}  // namespace

int measure_step(Runtime& runtime, const StepFlags& flags) {
  if (!flags.common.json.empty() && runtime.leads()) harness::check_writable(flags.common.json);
  MeasurePlan plan;
  plan.job = job_of(flags, runtime.size);
  const std::optional<harness::Model> model = harness::model_of(runtime);
  const Cluster cluster =
      model ? model->cluster
            : cpu_cluster(runtime.size, runtime.local_size, static_cast<double>(runtime.device->free_bytes()));
  const Scenario scenario = checked_scenario(plan.job, cluster);
  plan.setup = setup_of(plan.job, scenario, runtime.rank % plan.job.tensor);
  plan.samples.budget_seconds = flags.budget_seconds;
  plan.samples.least = 5;  // a step on a CPU may take a minute
  if (flags.steps > 0) plan.samples.least = plan.samples.most = static_cast<std::size_t>(flags.steps);

  const Measured measured = measure(runtime, plan);
  const Predicted predicted = predict(scenario, model, plan.job.precision);
  const harness::Json environment = harness::environment_of(runtime);
  if (!runtime.leads()) return harness::done;
  fmt::print("{}", table_of(plan.job, scenario, measured, predicted));
  if (!flags.common.json.empty()) {
    harness::write_results(flags.common.json, environment, {record_of(plan.job, scenario, measured, predicted)});
  }
  if (!measured.equal_weights) fmt::print(stderr, "The weights are not the same on all ranks.\n");
  if (!std::isfinite(measured.loss)) fmt::print(stderr, "The loss is no number.\n");
  return measured.equal_weights && std::isfinite(measured.loss) ? harness::done : harness::wrong_results;
}

}  // namespace meshgauge::step

namespace meshgauge::harness {

int run_step(std::string_view, std::span<const std::string> arguments) {
  step::StepFlags flags;
  if (const auto status = step::read_step_flags(arguments, flags)) return *status;
  return with_ranks(flags.common, [&](Runtime& runtime) { return step::measure_step(runtime, flags); });
}

}  // namespace meshgauge::harness
