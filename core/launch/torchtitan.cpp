// torchtitan 0.2.2, the last release that reads TOML: torchtitan/config/job_config.py; the flavors of models are those
// of torchtitan/models/*/__init__.py, how stages are cut is in torchtitan/distributed/pipeline_parallel.py.
#include <algorithm>
#include <array>

#include "core/count/stage.hpp"
#include "core/launch/configurations.hpp"
#include "core/launch/program.hpp"
#include "core/launch/start.hpp"
#include "core/launch/targets.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::launch {
namespace {

struct Flavor {
  std::string_view id;  ///< of the catalog
  std::string_view model, flavor, assets;
};
constexpr auto flavors = std::to_array<Flavor>({
    {"llama-3-8b", "llama3", "8B", "Meta-Llama-3-8B"},
    {"llama-3.1-8b", "llama3", "8B", "Llama-3.1-8B"},
    {"llama-3-70b", "llama3", "70B", "Meta-Llama-3-70B"},
    {"llama-3.1-70b", "llama3", "70B", "Llama-3.1-70B"},
    {"llama-3.3-70b", "llama3", "70B", "Llama-3.3-70B"},
    {"llama-3.1-405b", "llama3", "405B", "Llama-3.1-405B"},
    {"llama-4-scout", "llama4", "17bx16e", "Llama-4-Scout-17B-16E"},
    {"llama-4-maverick", "llama4", "17bx128e", "Llama-4-Maverick-17B-128E"},
    {"qwen3-0.6b", "qwen3", "0.6B", "Qwen3-0.6B"},
    {"qwen3-1.7b", "qwen3", "1.7B", "Qwen3-1.7B"},
    {"qwen3-4b", "qwen3", "4B", "Qwen3-4B"},
    {"qwen3-8b", "qwen3", "8B", "Qwen3-8B"},
    {"qwen3-14b", "qwen3", "14B", "Qwen3-14B"},
    {"qwen3-32b", "qwen3", "32B", "Qwen3-32B"},
    {"qwen3-30b-a3b", "qwen3", "30B-A3B", "Qwen3-30B-A3B"},
    {"qwen3-235b-a22b", "qwen3", "235B-A22B", "Qwen3-235B-A22B"},
    {"deepseek-v2-lite", "deepseek_v3", "16B", "deepseek-moe-16b-base"},
    {"deepseek-v2", "deepseek_v3", "236B", "DeepSeek-V2"},
    {"deepseek-v3", "deepseek_v3", "671B", "DeepSeek-V3.1-Base"},
});

constexpr auto engines = std::to_array<Engine>({Engine::torchtitan});
constexpr auto carries = std::to_array<std::string_view>({"/parallelism/tensor_parallel_size",
                                                          "/parallelism/sequence_parallel",
                                                          "/parallelism/pipeline_parallel_size",
                                                          "/parallelism/virtual_pipeline_size",
                                                          "/parallelism/pipeline_schedule",
                                                          "/parallelism/stage_layers",
                                                          "/parallelism/context_parallel_size",
                                                          "/parallelism/context_parallel_kind",
                                                          "/parallelism/expert_parallel_size",
                                                          "/parallelism/expert_tensor_parallel_size",
                                                          "/parallelism/data_parallel_size",
                                                          "/parallelism/data_parallel_replicate_size",
                                                          "/parallelism/zero_stage",
                                                          "/parallelism/reshard_after_forward",
                                                          "/training/engine",
                                                          "/training/engine_version",
                                                          "/training/precision",
                                                          "/training/optimizer",
                                                          "/training/sequence_length",
                                                          "/training/micro_batch_size",
                                                          "/training/global_batch_size",
                                                          "/training/recompute",
                                                          "/training/kernels",
                                                          "/training/overlap_tensor_parallel",
                                                          "/training/fp8_parameters",
                                                          "/training/optimizer_offload",
                                                          "/training/parameter_offload",
                                                          "/training/deterministic",
                                                          "/training/tokens",
                                                          "/training/expandable_segments",
                                                          "/training/attention",
                                                          "/training/peft",
                                                          "/training/objective",
                                                          "/training/reduce_dtype"});

const Flavor* flavor_of(const ModelShape& m) {
  const auto found = std::find_if(flavors.begin(), flavors.end(), [&](const Flavor& f) { return f.id == m.id; });
  return found == flavors.end() ? nullptr : &*found;
}

std::string_view schedule_name(Schedule schedule) {
  switch (schedule) {
    case Schedule::gpipe:
      return "GPipe";
    case Schedule::interleaved:
      return "Interleaved1F1B";
    case Schedule::zb_v:
      return "ZBVZeroBubble";
    default:
      return "1F1B";
  }
}

void check_model(const ModelShape& m, Findings& findings) {
  if (flavor_of(m) != nullptr) return;
  std::vector<std::string_view> known;
  for (const Flavor& flavor : flavors) known.push_back(flavor.id);
  findings.add(path::model, "torchtitan 0.2.2 has no flavor for " + in_quotes(m.id.empty() ? m.name : m.id) +
                                ". Allowed: " + list_text(known) + '.');
}

void check(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  const Training& t = s.training;
  check_model(s.model, findings);
  check_nodes(s, findings);
  allow_only<Precision>(
      path::precision, t.precision,
      std::array{Precision::bf16, Precision::fp32, Precision::pure_bf16, Precision::fp8, Precision::mxfp8}, findings);
  allow_only<Optimizer>("/training/optimizer", t.optimizer, std::array{Optimizer::adamw}, findings);
  allow_only<DataType>("/training/reduce_dtype", t.reduce_dtype, std::array{DataType::fp32}, findings);
  allow_only<Kernels>("/training/kernels", t.kernels, std::array{Kernels::compiled, Kernels::eager}, findings);
  allow_only<Peft>(path::peft, t.peft, std::array{Peft::none}, findings);
  allow_only<Objective>("/training/objective", t.objective, std::array{Objective::next_token}, findings);
  if (p.pipeline > 1) {
    allow_only<Schedule>(path::schedule, p.schedule,
                         std::array{Schedule::one_f_one_b, Schedule::gpipe, Schedule::interleaved, Schedule::zb_v},
                         findings);
  }
  if (p.context > 1) {
    allow_only<ContextParallelKind>(path::context_kind, p.context_kind,
                                    std::array{ContextParallelKind::ring, ContextParallelKind::all_gather}, findings);
  }
  if (p.expert > 1 && p.expert_tensor != 1 && p.expert_tensor != p.tensor) {  // parallel_dims.py _validate
    reject(path::expert_tensor, number_text(p.expert_tensor),
           std::array<std::string_view, 2>{"1", "tensor_parallel_size"}, findings);
  }
  const bool whole_layers = t.recompute_method == RecomputeMethod::uniform && t.recompute_layers == 1;
  const bool operators =
      t.recompute != Recompute::selective || t.recompute_modules == RecomputeModules{.operators = true};
  if (!whole_layers || !operators) {
    reject(path::recompute, name_of(t.recompute),
           std::array<std::string_view, 3>{"none", "full", "modules [operators]"}, findings);
  }
  if (t.optimizer_offload != t.parameter_offload || t.parameter_offload == Offload::nvme) {
    reject("/training/optimizer_offload", name_of(t.optimizer_offload),
           std::array<std::string_view, 2>{"none", "cpu, together with parameter_offload"}, findings);
  }
}

/// ["tok_embeddings", "layers.0", ...] for each model chunk.
Literal modules_of(const std::vector<std::int64_t>& layers) {
  std::string text = "[";
  std::int64_t next = 0;
  for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
    std::string list = chunk == 0 ? "\"tok_embeddings\"" : "";
    for (std::int64_t i = 0; i < layers[chunk]; ++i) {
      list += (list.empty() ? "\"layers." : ", \"layers.") + std::to_string(next++) + '"';
    }
    if (chunk + 1 == layers.size()) list += std::string(list.empty() ? "" : ", ") + "\"norm\", \"output\"";
    text += "\n  [" + list + "],";
  }
  return {text + "\n]"};
}

Settings parallelism(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  Settings list = {{"data_parallel_replicate_degree", p.replicas},
                   {"data_parallel_shard_degree", p.data / p.replicas},
                   {"fsdp_reshard_after_forward", std::string(p.reshard_after_forward ? "always" : "never")},
                   {"tensor_parallel_degree", p.tensor},
                   {"enable_async_tensor_parallel", s.training.overlap_tensor_parallel},
                   {"context_parallel_degree", p.context}};
  if (p.context > 1) {
    const bool gathers = p.context_kind == ContextParallelKind::all_gather;
    list.push_back({"context_parallel_rotate_method", std::string(gathers ? "allgather" : "alltoall")});
  }
  list.push_back({"pipeline_parallel_degree", p.pipeline});
  if (p.pipeline > 1) {
    const std::int64_t chunks = model_chunks(p);
    list.push_back({"pipeline_parallel_schedule", std::string(schedule_name(p.schedule))});
    list.push_back({"pipeline_parallel_microbatch_size", s.training.micro_batch_size});
    if (p.stage_layers.empty() && s.model.layers % chunks == 0) {
      list.push_back({"pipeline_parallel_layers_per_stage", s.model.layers / chunks});
      list.push_back({"pipeline_parallel_first_stage_less_layers", std::int64_t{0}});
      list.push_back({"pipeline_parallel_last_stage_less_layers", std::int64_t{0}});
    } else {
      list.push_back({"module_fqns_per_model_part",
                      modules_of(p.stage_layers.empty() ? balanced_split(s.model.layers, chunks) : p.stage_layers)});
    }
  }
  if (s.model.moe.used()) {
    list.push_back({"expert_parallel_degree", p.expert});
    list.push_back({"expert_tensor_parallel_degree", p.expert_tensor});
  }
  return list;
}

Settings training(const Scenario& s) {
  const Training& t = s.training;
  // With a pipeline a rank's whole share of the batch is cut into micro-batches by the schedule.
  const bool pipelined = s.parallelism.pipeline > 1;
  const bool pure = t.precision == Precision::pure_bf16;
  return {{"dataset", std::string("c4_test"), "an example"},
          {"seq_len", t.sequence_length},
          {"local_batch_size", pipelined ? t.micro_batch_size * s.micro_batches() : t.micro_batch_size},
          {"global_batch_size", t.global_batch_size},
          {"steps", steps_of(s)},
          {"max_norm", literal(1.0)},
          {"dtype", std::string(pure ? "bfloat16" : "float32")},
          {"mixed_precision_param", std::string(t.precision == Precision::fp32 ? "float32" : "bfloat16")},
          {"mixed_precision_reduce", std::string("float32")},
          {"enable_cpu_offload", t.parameter_offload == Offload::cpu}};
}

LaunchSet emit(const Scenario& s) {
  LaunchSet set = with_start_scripts(s, program_of(s));
  if (s.parallelism.tensor > 1 && !s.parallelism.sequence_parallel) {
    set.warnings.push_back(
        {path::sequence_parallel, "sequence_parallel is false, and torchtitan always has it with tensor parallelism."});
  }
  set.warnings.push_back({path::model, "The weights' configuration and the tokenizer are read from " +
                                           ("assets/hf/" + std::string(flavor_of(s.model)->assets)) +
                                           ": scripts/download_hf_assets.py fetches them."});
  return set;
}

}  // namespace

std::string torchtitan_toml(const Scenario& s) {
  const Training& t = s.training;
  const Flavor& flavor = *flavor_of(s.model);
  Settings model = {{"name", std::string(flavor.model)},
                    {"flavor", std::string(flavor.flavor)},
                    {"hf_assets_path", "./assets/hf/" + std::string(flavor.assets)}};
  if (t.precision == Precision::fp8) model.push_back({"converters", Literal{"[\"quantize.linear.float8\"]"}});
  if (t.precision == Precision::mxfp8) model.push_back({"converters", Literal{"[\"quantize.linear.mx\"]"}});
  const char* mode = t.recompute == Recompute::full        ? "full"
                     : t.recompute == Recompute::selective ? "selective"
                                                           : "none";
  Settings settings = {
      {"job", Settings{{"description", "torchtitan 0.2.2: " + s.model.name}}},
      {"model", std::move(model)},
      {"optimizer",
       Settings{{"name", std::string("AdamW")}, {"lr", Literal{std::string(learning_rate)}, "an example"}}},
      {"lr_scheduler", Settings{{"warmup_steps", std::min<std::int64_t>(200, steps_of(s) / 10)}}},
      {"training", training(s)},
      {"parallelism", parallelism(s)},
      {"activation_checkpoint", Settings{{"mode", std::string(mode)}, {"selective_ac_option", std::string("op")}}},
      {"compile", Settings{{"enable", t.kernels == Kernels::compiled}}},
      {"debug", Settings{{"deterministic", t.deterministic}}}};
  if (t.precision == Precision::fp8) {
    settings.push_back({"quantize.linear.float8", Settings{{"enable_fsdp_float8_all_gather", t.fp8_parameters},
                                                           {"filter_fqns", Literal{"[\"output\"]"}}}});
  }
  return to_toml(settings);
}

const Target torchtitan{.name = "torchtitan",
                        .summary = "torchtitan's TOML, started by torchrun",
                        .version = "torchtitan 0.2.2",
                        .engines = engines,
                        .carries = carries,
                        .check = check,
                        .emit = emit};

}  // namespace meshgauge::launch
