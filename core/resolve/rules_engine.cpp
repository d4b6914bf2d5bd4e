// What the training engine can do, and what the GPU can.
#include <array>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

std::string engine_name(const Scenario& s) { return std::string(name_of(s.training.engine)); }

/// Engines for which `able` holds, as words.
template <class Able>
std::string engines_that(Able able) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < all_names<Engine>().size(); ++i) {
    if (able(describe_engine(static_cast<Engine>(i)))) names.push_back(all_names<Engine>()[i]);
  }
  return names.empty() ? "none" : list_text(names);
}

struct DegreeSupport {
  const char* path;
  const char* key;
  const char* what;
  std::int64_t degree;
  bool EngineDescription::*supported;
};

void check_degrees_supported(const Scenario& s, Findings& findings) {
  const Parallelism& p = s.parallelism;
  const auto degrees = std::to_array<DegreeSupport>({
      {path::tensor, "tensor_parallel_size", "tensor", p.tensor, &EngineDescription::tensor_parallel},
      {path::pipeline, "pipeline_parallel_size", "pipeline", p.pipeline, &EngineDescription::pipeline_parallel},
      {path::context, "context_parallel_size", "context", p.context, &EngineDescription::context_parallel},
      {path::expert, "expert_parallel_size", "expert", p.expert, &EngineDescription::expert_parallel},
      {path::expert_tensor, "expert_tensor_parallel_size", "expert tensor", p.expert_tensor,
       &EngineDescription::expert_parallel},
  });
  for (const DegreeSupport& d : degrees) {
    if (d.degree == 1 || describe_engine(s.training.engine).*d.supported || !findings.known({d.path, path::engine})) {
      continue;
    }
    findings.add(d.path, std::string(d.key) + " is " + number_text(d.degree) + ", but " + engine_name(s) + " has no " +
                             d.what + " parallelism. Set " + d.key + " 1, or engine " +
                             engines_that([&](const EngineDescription& e) { return e.*d.supported; }) + '.');
  }
}

void check_zero_stage(const Scenario& s, Findings& findings) {
  if (!findings.known({path::zero_stage, path::engine})) return;
  const EngineDescription& engine = describe_engine(s.training.engine);
  const std::int64_t stage = s.parallelism.zero_stage;
  if (engine.zero[static_cast<std::size_t>(stage)].supported) return;
  std::vector<std::int64_t> allowed;
  for (std::size_t i = 0; i < engine.zero.size(); ++i) {
    if (engine.zero[i].supported) allowed.push_back(static_cast<std::int64_t>(i));
  }
  findings.add(path::zero_stage, "zero_stage is " + number_text(stage) + ", which " + engine_name(s) +
                                     " does not have. Allowed: " + list_text(allowed) + ". Set " +
                                     number_text(engine.default_zero) + ", or engine deepspeed.");
}

void check_rank_count(const Scenario& s, Findings& findings) {
  if (!findings.known({path::gpus, path::engine})) return;
  const std::int64_t gpus = s.cluster.gpus;
  if (!describe_engine(s.training.engine).multi_rank && gpus > 1) {
    findings.add(path::engine, "engine " + engine_name(s) + " runs on 1 GPU, and the cluster has " + number_text(gpus) +
                                   ". Set gpus 1, or engine ddp.");
  }
  if (s.training.engine == Engine::dp && gpus > s.cluster.gpus_per_node && findings.known({path::gpus_per_node})) {
    findings.add(path::engine, "engine dp is one process on one node of " + number_text(s.cluster.gpus_per_node) +
                                   " GPUs, and the cluster has " + number_text(gpus) + ". Set engine ddp.");
  }
}

/// ZeRO++ is of DeepSpeed's stage 3, and its second copy is cut over ranks that divide the shard group.
void check_zero_plus_plus(const Scenario& s, Findings& findings) {
  if (!findings.known({path::engine, path::zero_stage})) return;
  const ZeroPlusPlus& z = s.training.zero_plus_plus;
  const bool stage_3 = s.training.engine == Engine::deepspeed && s.parallelism.zero_stage == 3;
  const auto reject = [&](const char* where, const std::string& what) {
    findings.add(where, what + " is of DeepSpeed's stage 3. Set engine deepspeed and zero_stage 3, or leave it out.");
  };
  if (!stage_3) {
    if (z.partition > 1) reject(path::hpz, "zero_hpz_partition_size");
    if (z.quantised_weights) reject(path::quantized_weights, "zero_quantized_weights");
    if (z.quantised_gradients) reject(path::quantized_gradients, "zero_quantized_gradients");
  } else if (s.parallelism.data % z.partition != 0 && findings.known({path::hpz, path::data, path::gpus})) {
    findings.add(path::hpz, "zero_hpz_partition_size " + number_text(z.partition) + " does not divide " +
                                number_text(s.parallelism.data) + " data-parallel ranks. Set 1.");
  }
}

FlopsPerSecond peak(const Gpu& gpu, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return gpu.fp32;
    case Precision::tf32:
      return gpu.tf32;
    case Precision::fp16:
      return gpu.fp16;
    case Precision::fp8:
    case Precision::mxfp8:
      return gpu.fp8;
    case Precision::nvfp4:
      return gpu.fp4;
    case Precision::bf16:
    case Precision::pure_bf16:
      return gpu.bf16;
  }
  return {};
}

void check_gpu(const Scenario& s, Findings& findings) {
  if (!findings.known({path::hardware})) return;
  const Gpu& gpu = s.cluster.gpu;
  if (gpu.memory.value <= 0 && findings.known({path::memory})) {
    findings.add(path::memory, "The usable memory of " + gpu.name + " is not known. Set memory_bytes.");
  }
  if (!findings.known({path::precision}) || peak(gpu, s.training.precision).value > 0) return;
  std::vector<std::string_view> allowed;
  for (std::size_t i = 0; i < all_names<Precision>().size(); ++i) {
    if (peak(gpu, static_cast<Precision>(i)).value > 0) allowed.push_back(all_names<Precision>()[i]);
  }
  findings.add(path::precision, "precision is " + std::string(name_of(s.training.precision)) + ", which " + gpu.name +
                                    " does not have. Allowed: " + list_text(allowed) + '.');
}

}  // namespace

std::span<const Rule> engine_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"engine_degrees", "the engine has this kind of parallelism", Dimension::expert, check_degrees_supported},
      {"zero_stage", "the engine has this ZeRO stage", Dimension::zero_stage, check_zero_stage},
      {"engine_ranks", "the engine runs on so many GPUs", Dimension::scenario, check_rank_count},
      {"zero_plus_plus", "ZeRO++ is of DeepSpeed's stage 3", Dimension::pipeline, check_zero_plus_plus},
      {"gpu", "the GPU has the precision, and its memory is known", Dimension::scenario, check_gpu},
  });
  return rules;
}

}  // namespace meshgauge
