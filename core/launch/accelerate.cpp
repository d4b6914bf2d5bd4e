// Hugging Face accelerate: accelerate.yaml by accelerate/commands/config/{config_args,cluster}.py, fsdp_* and the
// deepspeed keys by accelerate/commands/launch.py (1.10).
#include <array>

#include "core/launch/configurations.hpp"
#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines =
    std::to_array<Engine>({Engine::hf, Engine::fsdp1, Engine::fsdp2, Engine::deepspeed, Engine::ddp, Engine::single});
constexpr auto carries = program_fields_and("/parallelism/reshard_after_forward");

bool shards_with_fsdp(const Scenario& s) {
  const Engine e = s.training.engine;
  return e == Engine::fsdp1 || e == Engine::fsdp2 || (e == Engine::hf && s.parallelism.zero_stage > 0);
}

void check(const Scenario& s, Findings& findings) {
  const Training& t = s.training;
  check_program(s, std::array{Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16},
                std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::momentum}, findings);
  if (s.parallelism.replicas > 1) {
    reject("/parallelism/data_parallel_replicate_size", "above 1", std::array<std::string_view, 1>{"1"}, findings);
  }
  const auto offloads = std::array{Offload::none, Offload::cpu};
  const bool can = shards_with_fsdp(s) || t.engine == Engine::deepspeed;
  allow_only<Offload>("/training/optimizer_offload", t.optimizer_offload,
                      std::span<const Offload>(offloads).first(can ? 2 : 1), findings);
  if (shards_with_fsdp(s) && t.optimizer_offload != t.parameter_offload) {  // fsdp_offload_params moves both
    reject("/training/optimizer_offload", name_of(t.optimizer_offload), std::array{name_of(t.parameter_offload)},
           findings);
  } else if (!shards_with_fsdp(s)) {
    allow_only<Offload>("/training/parameter_offload", t.parameter_offload,
                        std::span<const Offload>(offloads).first(
                            t.engine == Engine::deepspeed && s.parallelism.zero_stage == 3 ? 2 : 1),
                        findings);
  }
}

Settings fsdp_settings(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  const bool second = s.training.engine == Engine::fsdp2;
  Settings fsdp = {{"fsdp_version", std::int64_t{second ? 2 : 1}}};
  if (second) {
    fsdp.push_back({"fsdp_reshard_after_forward", p.reshard_after_forward});
  } else {
    fsdp.push_back({"fsdp_sharding_strategy", std::string(p.zero_stage == 3 ? "FULL_SHARD" : "SHARD_GRAD_OP")});
    fsdp.push_back({"fsdp_backward_prefetch", std::string("BACKWARD_PRE")});
    fsdp.push_back({"fsdp_use_orig_params", true});
  }
  fsdp.push_back({"fsdp_auto_wrap_policy", std::string("TRANSFORMER_BASED_WRAP")});
  fsdp.push_back({"fsdp_transformer_layer_cls_to_wrap", std::string("Block"), "the class of your model's layers"});
  fsdp.push_back({"fsdp_activation_checkpointing", s.training.recompute == Recompute::full});
  fsdp.push_back({"fsdp_offload_params", s.training.parameter_offload == Offload::cpu});
  fsdp.push_back({"fsdp_state_dict_type", std::string("SHARDED_STATE_DICT")});
  return fsdp;
}

Settings deepspeed_settings(const Scenario& s) {
  const Training& t = s.training;
  return {{"zero_stage", s.parallelism.zero_stage},
          {"gradient_accumulation_steps", s.micro_batches()},
          {"gradient_clipping", literal(1.0)},
          {"offload_optimizer_device", std::string(name_of(t.optimizer_offload))},
          {"offload_param_device", std::string(name_of(t.parameter_offload))},
          {"zero3_init_flag", s.parallelism.zero_stage == 3},
          {"zero3_save_16bit_model", s.parallelism.zero_stage == 3}};
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, accelerate_program(s));
  set.warnings = program_warnings(s);
  return set;
}

}  // namespace

std::string accelerate_yaml(const Scenario& s) {
  const Training& t = s.training;
  const bool sharded = shards_with_fsdp(s);
  const bool mixed = t.precision == Precision::bf16 || t.precision == Precision::fp16;
  const char* type = sharded                         ? "FSDP"
                     : t.engine == Engine::deepspeed ? "DEEPSPEED"
                     : s.cluster.gpus > 1            ? "MULTI_GPU"
                                                     : "NO";
  Settings settings = {{"compute_environment", std::string("LOCAL_MACHINE")},
                       {"distributed_type", std::string(type)},
                       {"mixed_precision", std::string(mixed ? name_of(t.precision) : "no")},
                       {"num_machines", s.cluster.nodes()},
                       {"num_processes", s.cluster.gpus, "of all machines together"},
                       {"machine_rank", std::int64_t{0}, "each machine gives its own on the command line"},
                       {"main_training_function", std::string("main")},
                       {"same_network", true},
                       {"use_cpu", false},
                       {"debug", false}};
  if (sharded) settings.push_back({"fsdp_config", fsdp_settings(s)});
  if (t.engine == Engine::deepspeed) settings.push_back({"deepspeed_config", deepspeed_settings(s)});
  if (t.kernels == Kernels::compiled) {
    settings.push_back({"dynamo_config", Settings{{"dynamo_backend", std::string("INDUCTOR")}}});
  }
  return to_yaml(settings);
}

const Target accelerate{.name = "accelerate",
                        .summary = "Hugging Face accelerate: DDP, FSDP or DeepSpeed",
                        .version = "accelerate 1.10",
                        .engines = engines,
                        .carries = carries,
                        .check = check,
                        .emit = emit};

}  // namespace meshgauge::launch
