// accelerate's configuration: fields of ClusterConfig (accelerate/commands/config/config_args.py) and the keys of its
// sections (accelerate/commands/config/cluster.py, accelerate/utils/dataclasses.py), 1.10.
#include <array>
#include <string>

#include "core/io/configs/reading.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto same = std::to_array<SameField>({
    {"num_processes", "/cluster/gpus"},
    {"deepspeed_config.zero_stage", "/parallelism/zero_stage"},
    {"deepspeed_config.offload_optimizer_device", "/training/optimizer_offload"},
    {"deepspeed_config.offload_param_device", "/training/parameter_offload"},
    {"parallelism_config.parallelism_config_dp_replicate_size", "/parallelism/data_parallel_replicate_size"},
    {"parallelism_config.parallelism_config_tp_size", "/parallelism/tensor_parallel_size"},
    {"parallelism_config.parallelism_config_cp_size", "/parallelism/context_parallel_size"},
});

constexpr auto no_cost = std::to_array<std::string_view>({"compute_environment",
                                                          "debug",
                                                          "machine_rank",
                                                          "main_process_ip",
                                                          "main_process_port",
                                                          "main_training_function",
                                                          "rdzv_backend",
                                                          "same_network",
                                                          "tpu_*",
                                                          "commands",
                                                          "command_file",
                                                          "downcast_bf16",
                                                          "enable_cpu_affinity",
                                                          "gpu_ids",
                                                          "num_machines",
                                                          "fsdp_config.fsdp_auto_wrap_policy",
                                                          "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
                                                          "fsdp_config.fsdp_min_num_params",
                                                          "fsdp_config.fsdp_state_dict_type",
                                                          "fsdp_config.fsdp_cpu_ram_efficient_loading",
                                                          "fsdp_config.fsdp_sync_module_states",
                                                          "fsdp_config.fsdp_use_orig_params",
                                                          "fsdp_config.fsdp_forward_prefetch",
                                                          "fsdp_config.fsdp_backward_prefetch*",
                                                          "deepspeed_config.gradient_clipping",
                                                          "deepspeed_config.zero3_init_flag",
                                                          "deepspeed_config.zero3_save_16bit_model",
                                                          "deepspeed_config.deepspeed_multinode_launcher",
                                                          "deepspeed_config.deepspeed_hostfile",
                                                          "deepspeed_config.deepspeed_inclusion_filter",
                                                          "deepspeed_config.deepspeed_exclusion_filter",
                                                          "deepspeed_config.offload_optimizer_nvme_path",
                                                          "deepspeed_config.offload_param_nvme_path",
                                                          "deepspeed_config.deepspeed_moe_layer_cls_names",
                                                          "dynamo_config.dynamo_mode",
                                                          "dynamo_config.dynamo_use_dynamic",
                                                          "dynamo_config.dynamo_use_fullgraph",
                                                          "parallelism_config.parallelism_config_dp_shard_size"});

std::string word(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void read_distributed_type(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  const std::string type = word(entry.value);
  if (type == "FSDP") {
    const Json version = config.value(Json::json_pointer("/fsdp_config/fsdp_version"), Json(1));
    reading.use(entry, "/training/engine", word(version) == "2" ? "fsdp2" : "fsdp1");
  } else if (type == "DEEPSPEED") {
    reading.use(entry, "/training/engine", "deepspeed");
  } else if (type == "MULTI_GPU") {
    reading.use(entry, "/training/engine", "ddp");
  } else if (type == "NO") {
    reading.use(entry, "/training/engine", "single");
  } else {
    reading.not_understood(entry, "no engine that is counted");
  }
}

/// Names and numbers of torch's ShardingStrategy (accelerate/utils/constants.py FSDP_SHARDING_STRATEGY).
void read_strategy(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  const std::string strategy = word(entry.value);
  const bool full = strategy == "FULL_SHARD" || strategy == "1";
  const bool hybrid = strategy == "HYBRID_SHARD" || strategy == "4";
  const bool hybrid_2 = strategy == "HYBRID_SHARD_ZERO2" || strategy == "5";
  if (full || hybrid) {
    reading.use(entry, "/parallelism/zero_stage", 3);
  } else if (strategy == "SHARD_GRAD_OP" || strategy == "2" || hybrid_2) {
    reading.use(entry, "/parallelism/zero_stage", 2);
  } else {
    return reading.not_understood(entry, "no strategy that is counted under FSDP");
  }
  const Json machines = config.value("num_machines", Json(1));
  if ((hybrid || hybrid_2) && machines.is_number_integer() && machines.get<std::int64_t>() > 1) {
    reading.set("/parallelism/data_parallel_replicate_size", machines);  // a copy on each node
  }
}

void read_reshard(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  const std::string text = word(entry.value);
  if (text == "true" || text == "false") {
    reading.use(entry, "/parallelism/reshard_after_forward", text == "true");
  } else {
    read_strategy(entry, config, reading);
  }
}

void read_flag(const ConfigEntry& entry, ConfigReading& reading, std::string_view path, const Json& value) {
  if (entry.value == Json(true)) {
    reading.use(entry, path, value);
  } else if (entry.value == Json(false)) {
    reading.irrelevant(entry, "off");
  } else {
    reading.not_understood(entry, "no truth value");
  }
}

void read_entry(const ConfigEntry& entry, const Json& config, ConfigReading& reading) {
  const std::string& key = entry.key;
  if (entry.value.is_null() || (entry.value.is_object() && entry.value.empty())) {
    return reading.irrelevant(entry, "empty");
  }
  if (key == "distributed_type") return read_distributed_type(entry, config, reading);
  if (key == "mixed_precision") {
    const std::string precision = word(entry.value);
    const bool none = precision == "no" || precision == "false";  // YAML 1.1 reads a bare no as false
    return reading.use(entry, "/training/precision", none ? "fp32" : precision);
  }
  if (key == "use_cpu") {
    if (entry.value == Json(false)) return reading.irrelevant(entry, "off");
    return reading.not_understood(entry, "training on CPUs is not counted");
  }
  if (key == "fsdp_config.fsdp_version") return reading.used(entry, "the engine");
  if (key == "fsdp_config.fsdp_sharding_strategy") return read_strategy(entry, config, reading);
  if (key == "fsdp_config.fsdp_reshard_after_forward") return read_reshard(entry, config, reading);
  if (key == "fsdp_config.fsdp_activation_checkpointing") {
    return read_flag(entry, reading, "/training/recompute", "full");
  }
  if (key == "fsdp_config.fsdp_offload_params") {
    if (entry.value == Json(true)) reading.set("/training/optimizer_offload", "cpu");
    return read_flag(entry, reading, "/training/parameter_offload", "cpu");
  }
  if (key == "deepspeed_config.gradient_accumulation_steps" && entry.value.is_number_integer()) {
    reading.accumulation = entry.value.get<std::int64_t>();
    return reading.used(entry, "micro-batches of a step on one rank");
  }
  if (key == "deepspeed_config.deepspeed_config_file") {
    return reading.not_understood(entry, "the rest stands in that file: read it as well");
  }
  if (key == "dynamo_config.dynamo_backend") {
    const std::string backend = word(entry.value);
    if (backend == "NO" || backend == "no") return reading.irrelevant(entry, "off");
    return reading.use(entry, "/training/kernels", "compiled");
  }
  if (reading.use_same(entry, same)) return;
  if (reading.drop_irrelevant(entry, no_cost, "changes neither memory nor time")) return;
  reading.not_understood(entry);
}

}  // namespace

void read_accelerate(const Json& config, ConfigReading& reading) {
  for (const ConfigEntry& entry : flattened(config)) read_entry(entry, config, reading);
  const Json processes = config.value("num_processes", Json());
  const Json machines = config.value("num_machines", Json(1));
  const bool counted = processes.is_number_integer() && machines.is_number_integer() &&
                       machines.get<std::int64_t>() > 0 && reading.find("/cluster/system") == nullptr;
  if (counted && machines.get<std::int64_t>() > 1) {
    reading.set("/cluster/gpus_per_node", processes.get<std::int64_t>() / machines.get<std::int64_t>());
  }
}

}  // namespace meshgauge
