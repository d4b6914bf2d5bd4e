// The fields of a whole run, one entry each.
#include "core/scenario/field_slots.hpp"

namespace meshgauge {
namespace {

std::optional<Written> storage(const Scenario& s) { return s.run.storage.value; }
std::optional<Written> checkpoint_interval(const Scenario& s) { return positive(s.run.checkpoint_interval.value); }
std::optional<Written> restart(const Scenario& s) { return s.run.restart.value; }

constexpr auto run_table = std::to_array<Field<RunRequest>>({
    {{"mtbf_gpu_hours", "GPU hours", 1, limit::hours,
      "50,677: Llama 3 was interrupted 419 times in 54 days on 16,384 GPUs",
      "GPU hours between unexpected interruptions of the job."},
     &RunRequest::mtbf_gpu_hours,
     &member<&Scenario::run, &RunPlan::mtbf_gpu_hours>},
    {{"storage_bytes_per_second", "bytes/s", 1e6, limit::rate, "1e9 for each node",
      "Rate at which the storage takes and gives a checkpoint of the whole job."},
     &RunRequest::storage_bytes_per_second,
     &storage},
    {{"checkpoint_interval_seconds", "seconds", 1, limit::wait, "the best one, by Daly's formula",
      "Training time between two checkpoints."},
     &RunRequest::checkpoint_interval_seconds,
     &checkpoint_interval},
    {{"restart_seconds", "seconds", 0, limit::wait, "600",
      "From an interruption to the next step, without reading the checkpoint."},
     &RunRequest::restart_seconds,
     &restart},
    {{"straggler_slowdown", "", 1, limit::slowdown, "1: none",
      "Factor by which slow machines stretch every step of the run."},
     &RunRequest::straggler_slowdown,
     &member<&Scenario::run, &RunPlan::straggler_slowdown>},
    {{"power_share", "", 0, limit::power, "1", "Mean power of a GPU over its TDP."},
     &RunRequest::power_share,
     &member<&Scenario::run, &RunPlan::power_share>},
    {{"pue", "", 1, limit::power, "1.1", "Power of the data centre over that of its machines."},
     &RunRequest::pue,
     &member<&Scenario::run, &RunPlan::pue>},
});

}  // namespace

std::span<const Field<RunRequest>> run_fields() { return run_table; }

}  // namespace meshgauge
