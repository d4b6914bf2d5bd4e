// DeepSpeed: ds_config.json by deepspeed/runtime/{constants,config}.py and deepspeed/runtime/zero/{config,
// offload_config}.py (0.17).
#include <array>

#include "core/launch/configurations.hpp"
#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"

namespace meshgauge::launch {
namespace {

constexpr auto engines = std::to_array<Engine>({Engine::deepspeed});
constexpr auto carries = program_fields_and(
    "/training/gradient_dtype", "/training/reduce_dtype", "/training/overlap_gradient_reduction",
    "/training/reduce_bucket_size", "/training/stage3_prefetch_bucket_size", "/training/stage3_max_reuse_distance",
    "/training/sub_group_size", "/training/zero_hpz_partition_size", "/training/zero_quantized_weights",
    "/training/zero_quantized_gradients");

void check(const Scenario& s, Findings& findings) {
  const Training& t = s.training;
  check_program(s, std::array{Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16},
                std::array{Optimizer::adamw, Optimizer::sgd, Optimizer::momentum}, findings);
  if (s.parallelism.zero_stage < 1 && t.optimizer_offload != Offload::none) {
    reject("/training/optimizer_offload", name_of(t.optimizer_offload), std::array<std::string_view, 1>{"none"},
           findings);
  }
  if (s.parallelism.zero_stage < 3 && t.parameter_offload != Offload::none) {
    reject("/training/parameter_offload", name_of(t.parameter_offload), std::array<std::string_view, 1>{"none"},
           findings);
  }
}

std::int64_t whole(double elements) { return static_cast<std::int64_t>(elements); }

Setting offload(const char* key, Offload device) {
  Settings settings = {{"device", std::string(name_of(device))}, {"pin_memory", true}};
  if (device == Offload::nvme) settings.push_back({"nvme_path", std::string("/local_nvme")});
  return {key, std::move(settings)};
}

Settings zero_settings(const Scenario& s) {
  const Training& t = s.training;
  const std::int64_t stage = s.parallelism.zero_stage;
  Settings zero = {{"stage", stage}};
  if (stage == 0) return zero;
  zero.push_back({"overlap_comm", t.overlap_gradient_reduction});
  zero.push_back({"contiguous_gradients", true});
  zero.push_back({"reduce_bucket_size", whole(t.zero_buffers.reduce_bucket)});
  if (t.optimizer_offload != Offload::none) zero.push_back(offload("offload_optimizer", t.optimizer_offload));
  if (stage < 3) return zero;
  zero.push_back({"stage3_prefetch_bucket_size", whole(t.zero_buffers.prefetch_bucket)});
  zero.push_back({"stage3_max_reuse_distance", whole(t.zero_buffers.reuse_distance)});
  zero.push_back({"sub_group_size", whole(t.zero_buffers.sub_group)});
  if (t.parameter_offload != Offload::none) zero.push_back(offload("offload_param", t.parameter_offload));
  if (t.zero_plus_plus.partition > 1) zero.push_back({"zero_hpz_partition_size", t.zero_plus_plus.partition});
  if (t.zero_plus_plus.quantised_weights) zero.push_back({"zero_quantized_weights", true});
  if (t.zero_plus_plus.quantised_gradients) zero.push_back({"zero_quantized_gradients", true});
  return zero;
}

Setting optimizer(Optimizer kind) {
  Settings parameters = {{"lr", Literal{std::string(learning_rate)}}};
  if (kind == Optimizer::momentum) parameters.push_back({"momentum", literal(0.9)});
  // Its own AdamW needs a compiler on the machine; torch's needs none.
  if (kind == Optimizer::adamw) parameters.push_back({"torch_adam", true});
  const char* type = kind == Optimizer::adamw ? "AdamW" : "SGD";
  return {"optimizer", Settings{{"type", std::string(type)}, {"params", std::move(parameters)}}};
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, program_of(s));
  set.warnings = program_warnings(s);
  return set;
}

}  // namespace

std::string deepspeed_json(const Scenario& s) {
  const Training& t = s.training;
  Settings settings = {{"train_batch_size", t.global_batch_size},
                       {"train_micro_batch_size_per_gpu", t.micro_batch_size},
                       {"gradient_accumulation_steps", s.micro_batches()},
                       {"gradient_clipping", literal(1.0)}};
  if (t.precision == Precision::bf16) settings.push_back({"bf16", Settings{{"enabled", true}}});
  if (t.precision == Precision::fp16) settings.push_back({"fp16", Settings{{"enabled", true}}});
  if (is_mixed(t.precision)) {
    settings.push_back({"data_types", Settings{{"grad_accum_dtype", std::string(name_of(t.gradient_dtype))}}});
    settings.push_back({"communication_data_type", std::string(name_of(t.reduce_dtype))});
  }
  settings.push_back(optimizer(t.optimizer));
  settings.push_back({"zero_optimization", zero_settings(s)});
  settings.push_back({"zero_allow_untested_optimizer", true});
  return to_json(settings);
}

const Target deepspeed{.name = "deepspeed",
                       .summary = "DeepSpeed ZeRO, started by torchrun",
                       .version = "DeepSpeed 0.17",
                       .engines = engines,
                       .carries = carries,
                       .check = check,
                       .emit = emit};

}  // namespace meshgauge::launch
