// DeepSpeed's configuration file: names of deepspeed/runtime/constants.py and deepspeed/runtime/zero/{config,
// offload_config}.py (0.17); "auto" as transformers/integrations/deepspeed.py fills it in.
#include <array>

#include "core/io/configs/reading.hpp"
#include "core/io/read_scenario.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto same = std::to_array<SameField>({
    {"train_batch_size", "/training/global_batch_size"},
    {"train_micro_batch_size_per_gpu", "/training/micro_batch_size"},
    {"zero_optimization.stage", "/parallelism/zero_stage"},
    {"zero_optimization.overlap_comm", "/training/overlap_gradient_reduction"},
    {"zero_optimization.reduce_bucket_size", "/training/reduce_bucket_size"},
    {"zero_optimization.stage3_prefetch_bucket_size", "/training/stage3_prefetch_bucket_size"},
    {"zero_optimization.stage3_max_reuse_distance", "/training/stage3_max_reuse_distance"},
    {"zero_optimization.sub_group_size", "/training/sub_group_size"},
    {"zero_optimization.zero_hpz_partition_size", "/training/zero_hpz_partition_size"},
    {"zero_optimization.zero_quantized_weights", "/training/zero_quantized_weights"},
    {"zero_optimization.zero_quantized_gradients", "/training/zero_quantized_gradients"},
    {"zero_optimization.offload_optimizer.device", "/training/optimizer_offload"},
    {"zero_optimization.offload_param.device", "/training/parameter_offload"},
    {"data_types.grad_accum_dtype", "/training/gradient_dtype"},
    {"communication_data_type", "/training/reduce_dtype"},
});

constexpr auto no_cost = std::to_array<std::string_view>({"gradient_clipping",
                                                          "scheduler.*",
                                                          "optimizer.params.*",
                                                          "steps_per_print",
                                                          "wall_clock_breakdown",
                                                          "memory_breakdown",
                                                          "dump_state",
                                                          "fp16.*",
                                                          "bf16.check_grad_overflow",
                                                          "bf16.check_overflow",
                                                          "tensorboard.*",
                                                          "wandb.*",
                                                          "csv_monitor.*",
                                                          "comet.*",
                                                          "flops_profiler.*",
                                                          "comms_logger.*",
                                                          "zero_allow_untested_optimizer",
                                                          "zero_force_ds_cpu_optimizer",
                                                          "dataloader_drop_last",
                                                          "checkpoint.*",
                                                          "prescale_gradients",
                                                          "gradient_predivide_factor",
                                                          "gradient_allreduce_op",
                                                          "seed",
                                                          "elasticity.*",
                                                          "autotuning.*",
                                                          "zero_optimization.ignore_unused_parameters",
                                                          "zero_optimization.elastic_checkpoint",
                                                          "zero_optimization.load_from_fp32_weights",
                                                          "zero_optimization.stage3_gather_16bit_weights_on_model_save",
                                                          "zero_optimization.stage3_gather_fp16_weights_on_model_save",
                                                          "zero_optimization.log_trace_cache_warnings",
                                                          "zero_optimization.pipeline_loading_checkpoint",
                                                          "zero_optimization.override_module_apply",
                                                          "zero_optimization.offload_optimizer.nvme_path",
                                                          "zero_optimization.offload_param.nvme_path",
                                                          "zero_optimization.offload_optimizer.fast_init"});
constexpr auto not_counted = std::to_array<std::string_view>(
    {"zero_optimization.contiguous_gradients", "zero_optimization.reduce_scatter",
     "zero_optimization.allgather_partitions", "zero_optimization.allgather_bucket_size",
     "zero_optimization.round_robin_gradients", "zero_optimization.use_multi_rank_bucket_allreduce",
     "zero_optimization.stage3_max_live_parameters", "zero_optimization.stage3_param_persistence_threshold",
     "zero_optimization.stage3_module_granularity_threshold", "zero_optimization.memory_efficient_linear",
     "zero_optimization.offload_optimizer.*", "zero_optimization.offload_param.*", "aio.*",
     "activation_checkpointing.*", "sparse_gradients"});

std::int64_t hidden_size(const ConfigReading& reading) {
  const Json* model = reading.find("/model");
  if (model == nullptr) return 0;
  Reading ignored;
  const auto shape = read_model(Json{{"model", *model}}, ignored);
  return shape ? shape->hidden : 0;
}

/// What the Trainer puts in the place of "auto" (HfTrainerDeepSpeedConfig.trainer_config_finalize).
void fill_auto(const ConfigEntry& entry, ConfigReading& reading) {
  const double h = static_cast<double>(hidden_size(reading));
  if (entry.key == "zero_optimization.reduce_bucket_size" && h > 0) {
    return reading.use(entry, "/training/reduce_bucket_size", static_cast<std::int64_t>(h * h));
  }
  if (entry.key == "zero_optimization.stage3_prefetch_bucket_size" && h > 0) {
    return reading.use(entry, "/training/stage3_prefetch_bucket_size", static_cast<std::int64_t>(0.9 * h * h));
  }
  for (const SameField& field : same) {
    if (field.key == entry.key) {
      return reading.not_understood(entry, "left to the Trainer: name the model, or set " + std::string(field.path));
    }
  }
  reading.irrelevant(entry, "the Trainer fills it in");
}

void read_optimizer(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  const std::string type = entry.value.is_string() ? entry.value.get<std::string>() : "";
  if (type == "Adam" || type == "AdamW" || type == "FusedAdam") {
    reading.use(entry, "/training/optimizer", "adamw");
  } else if (type == "Lion" || type == "Muon") {
    reading.use(entry, "/training/optimizer", type == "Lion" ? "lion" : "muon");
  } else if (type == "SGD") {
    const Json momentum = config.value(Json::json_pointer("/optimizer/params/momentum"), Json(0));
    const bool moves = momentum.is_number() && momentum.get<double>() > 0;
    reading.use(entry, "/training/optimizer", moves ? "momentum" : "sgd");
  } else {
    reading.not_understood(entry, "no optimizer that is counted");
  }
}

void read_entry(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  if (entry.key == "optimizer.type") return read_optimizer(entry, config, reading);
  if (entry.key == "bf16.enabled" || entry.key == "bfloat16.enabled") return reading.precision_flag(entry, "bf16");
  if (entry.key == "fp16.enabled") return reading.precision_flag(entry, "fp16");
  if (ConfigReading::is_auto(entry.value)) return fill_auto(entry, reading);
  if (entry.key == "gradient_accumulation_steps") {
    if (!entry.value.is_number_integer()) return reading.not_understood(entry, "no whole number");
    reading.accumulation = entry.value.get<std::int64_t>();
    return reading.used(entry, "micro-batches of a step on one rank");
  }
  if (entry.key == "zero_optimization.cpu_offload" && entry.value.is_boolean()) {
    return reading.use(entry, "/training/optimizer_offload", entry.value.get<bool>() ? "cpu" : "none");
  }
  if (reading.use_same(entry, same)) return;
  if (reading.drop_irrelevant(entry, no_cost, "changes neither memory nor time")) return;
  if (reading.drop_irrelevant(entry, not_counted, "not counted")) return;
  reading.not_understood(entry);
}

}  // namespace

void read_deepspeed(const Json& config, ConfigReading& reading) {
  reading.set("/training/engine", "deepspeed");
  for (const ConfigEntry& entry : flattened(config)) read_entry(entry, config, reading);
  if (!config.contains("zero_optimization")) reading.set("/parallelism/zero_stage", 0);
  if (reading.find("/training/precision") == nullptr && !config.contains("bf16") && !config.contains("fp16") &&
      !config.contains("bfloat16")) {
    reading.set("/training/precision", "fp32");  // neither is on by default
  }
}

}  // namespace meshgauge
