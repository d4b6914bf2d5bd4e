// Hugging Face's TrainingArguments (transformers/training_args.py, 4.57) and what trl's configurations add to them.
#include <array>
#include <string>

#include "core/io/configs/reading.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto same = std::to_array<SameField>({
    {"per_device_train_batch_size", "/training/micro_batch_size"},
    {"per_gpu_train_batch_size", "/training/micro_batch_size"},
    {"max_seq_length", "/training/sequence_length"},
    {"max_length", "/training/sequence_length"},
    {"model_max_length", "/training/sequence_length"},
});

constexpr auto no_cost = std::to_array<std::string_view>({"output_dir",
                                                          "overwrite_output_dir",
                                                          "do_train",
                                                          "do_eval",
                                                          "do_predict",
                                                          "eval*",
                                                          "per_device_eval_batch_size",
                                                          "per_gpu_eval_batch_size",
                                                          "learning_rate",
                                                          "weight_decay",
                                                          "adam_*",
                                                          "max_grad_norm",
                                                          "num_train_epochs",
                                                          "max_steps",
                                                          "lr_scheduler*",
                                                          "warmup*",
                                                          "log*",
                                                          "logging*",
                                                          "save*",
                                                          "seed",
                                                          "data_seed",
                                                          "dataloader_*",
                                                          "disable_tqdm",
                                                          "remove_unused_columns",
                                                          "label_names",
                                                          "load_best_model_at_end",
                                                          "metric_for_best_model",
                                                          "greater_is_better",
                                                          "ignore_data_skip",
                                                          "report_to",
                                                          "ddp_*",
                                                          "push_to_hub*",
                                                          "hub_*",
                                                          "resume_from_checkpoint",
                                                          "run_name",
                                                          "project",
                                                          "trackio*",
                                                          "label_smoothing_factor",
                                                          "debug",
                                                          "length_column_name",
                                                          "group_by_length",
                                                          "include_*",
                                                          "jit_mode_eval",
                                                          "use_cpu",
                                                          "no_cuda",
                                                          "local_rank",
                                                          "past_index",
                                                          "skip_memory_metrics",
                                                          "full_determinism",
                                                          "prediction_loss_only",
                                                          "fp16_opt_level",
                                                          "half_precision_backend",
                                                          "bf16_full_eval",
                                                          "fp16_full_eval",
                                                          "tpu_*",
                                                          "average_tokens_across_devices",
                                                          "neftune_noise_alpha",
                                                          "optim_args",
                                                          "gradient_checkpointing_kwargs*",
                                                          "torch_compile_backend",
                                                          "torch_compile_mode",
                                                          "liger_kernel_config*",
                                                          "restore_callback_states_from_checkpoint",
                                                          "accelerator_config*",
                                                          "use_cache",
                                                          "dataset_*",
                                                          "model_name_or_path",
                                                          "trust_remote_code",
                                                          "batch_eval_metrics",
                                                          "use_legacy_prediction_loop",
                                                          "train_sampling_strategy"});

struct OptimizerName {
  std::string_view name, optimizer;
};
/// transformers/training_args.py OptimizerNames.
constexpr auto optimizers = std::to_array<OptimizerName>({
    {"adamw_torch", "adamw"},
    {"adamw_torch_fused", "adamw"},
    {"adamw_hf", "adamw"},
    {"adamw_apex_fused", "adamw"},
    {"adamw_bnb_8bit", "adamw_8bit"},
    {"adamw_8bit", "adamw_8bit"},
    {"paged_adamw_8bit", "adamw_8bit"},
    {"paged_adamw_32bit", "adamw"},
    {"paged_adamw", "adamw"},
    {"adafactor", "adafactor"},
    {"sgd", "sgd"},
    {"lion_32bit", "lion"},
    {"paged_lion_32bit", "lion"},
});

bool is_on(const Json& value) { return value == Json(true) || value == Json("True") || value == Json("true"); }
bool is_off(const Json& value) {
  return value == Json(false) || value.is_null() || value == Json("False") || value == Json("false") ||
         value == Json("");
}

void read_flag(const ConfigEntry& entry, std::string_view path, const Json& value, ConfigReading& reading) {
  if (is_on(entry.value)) {
    reading.use(entry, path, value);
  } else if (is_off(entry.value)) {
    reading.irrelevant(entry, "off");
  } else {
    reading.not_understood(entry, "no truth value");
  }
}

void read_optimizer(const ConfigEntry& entry, ConfigReading& reading) {
  for (const OptimizerName& row : optimizers) {
    if (entry.value == Json(row.name)) return reading.use(entry, "/training/optimizer", row.optimizer);
  }
  reading.not_understood(entry, "no optimizer that is counted");
}

/// "full_shard auto_wrap", or a list of such words.
void read_fsdp(const ConfigEntry& entry, ConfigReading& reading) {
  if (is_off(entry.value) || (entry.value.is_array() && entry.value.empty())) return reading.irrelevant(entry, "off");
  const std::string words = entry.value.is_string() ? entry.value.get<std::string>() : entry.value.dump();
  const bool has_stage_2 = words.find("shard_grad_op") != std::string::npos || words.find("zero2") != std::string::npos;
  const bool has_stage_3 =
      words.find("full_shard") != std::string::npos || words.find("hybrid_shard") != std::string::npos;
  if (!has_stage_2 && !has_stage_3 && !is_on(entry.value))
    return reading.not_understood(entry, "no strategy that is counted");
  if (words.find("offload") != std::string::npos) {
    reading.set("/training/parameter_offload", "cpu");
    reading.set("/training/optimizer_offload", "cpu");
  }
  reading.use(entry, "/parallelism/zero_stage", has_stage_2 ? 2 : 3);
}

void read_entry(const ConfigEntry& entry, ConfigReading& reading) {
  const std::string& key = entry.key;
  if (key == "gradient_accumulation_steps" && entry.value.is_number_integer()) {
    reading.accumulation = entry.value.get<std::int64_t>();
    return reading.used(entry, "micro-batches of a step on one rank");
  }
  if (key == "bf16" || key == "fp16") {
    const ConfigEntry flag{key, is_on(entry.value) ? Json(true) : is_off(entry.value) ? Json(false) : entry.value};
    return reading.precision_flag(flag, key);
  }
  if (key == "tf32") return read_flag(entry, "/training/precision", "tf32", reading);
  if (key == "gradient_checkpointing") return read_flag(entry, "/training/recompute", "full", reading);
  if (key == "torch_compile") return read_flag(entry, "/training/kernels", "compiled", reading);
  if (key == "use_liger_kernel") return read_flag(entry, "/training/loss", "chunked", reading);
  if (key == "optim") return read_optimizer(entry, reading);
  if (key == "fsdp") return read_fsdp(entry, reading);
  if (key == "fsdp_config.activation_checkpointing") return read_flag(entry, "/training/recompute", "full", reading);
  if (key == "deepspeed" && entry.value.is_string()) {
    return reading.not_understood(entry, "the rest stands in that file: read it as well");
  }
  if (reading.use_same(entry, same)) return;
  constexpr auto wrapping = std::to_array<std::string_view>({"fsdp_config.*", "fsdp_transformer_layer_cls_to_wrap"});
  if (reading.drop_irrelevant(entry, wrapping, "not counted")) return;
  if (reading.drop_irrelevant(entry, no_cost, "changes neither memory nor the time of a step")) return;
  reading.not_understood(entry);
}

}  // namespace

void read_training_arguments(const Json& config, ConfigReading& reading) {
  // bf16 wins over tf32, which Trainer allows beside it.
  Json rest = config;
  const bool half = is_on(config.value("bf16", Json())) || is_on(config.value("fp16", Json()));
  if (half && rest.contains("tf32")) {
    reading.irrelevant({"tf32", rest["tf32"]}, "beside 16-bit products");
    rest.erase("tf32");
  }
  if (rest.contains("deepspeed") && rest["deepspeed"].is_object()) {
    read_deepspeed(rest["deepspeed"], reading);
    rest.erase("deepspeed");
  }
  for (const ConfigEntry& entry : flattened(rest)) read_entry(entry, reading);
  reading.set_default("/training/engine", "hf");
  if (!half) reading.set_default("/training/precision", "fp32");
  if (!config.contains("per_device_train_batch_size") && !config.contains("per_gpu_train_batch_size")) {
    reading.set_default("/training/micro_batch_size", 8);  // its default
  }
}

}  // namespace meshgauge
