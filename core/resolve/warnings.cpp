// Legal things that the user may not have meant.
#include <algorithm>

#include "core/count/stage.hpp"
#include "core/resolve/resolve.hpp"
#include "core/resolve/rules.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

void warn_tensor(const Scenario& s, Findings& warnings) {
  const Parallelism& p = s.parallelism;
  const std::int64_t node = s.cluster.gpus_per_node;
  if (p.tensor > 1 && (p.tensor > node || node % p.tensor != 0) && s.cluster.nodes() > 1) {
    warnings.add(path::tensor, "TP " + number_text(p.tensor) + " spans nodes of " + number_text(node) +
                                   " GPUs: each layer waits for the network. Legal, but slow.");
  }
  if (p.tensor > 1 && !p.sequence_parallel) {
    warnings.add(path::sequence_parallel,
                 "sequence_parallel is off: each tensor-parallel rank keeps whole norm and dropout activations.");
  }
  if (p.tensor == 1 && p.sequence_parallel) {
    warnings.add(path::sequence_parallel, "sequence_parallel has no effect without tensor parallelism.");
  }
  if (p.tensor > s.model.kv_heads) {
    warnings.add(path::tensor, "TP " + number_text(p.tensor) + " is above " + number_text(s.model.kv_heads) +
                                   " key-value heads: ranks hold copies of them.");
  }
}

void warn_pipeline(const Scenario& s, Findings& warnings) {
  const Parallelism& p = s.parallelism;
  if (p.pipeline == 1) return;
  const std::int64_t layers = s.model.layers + s.model.encoder_layers;
  const std::int64_t chunks = model_chunks(p);
  if (p.stage_layers.empty() && layers % chunks != 0) {
    warnings.add(path::pipeline, number_text(layers) + " layers do not split evenly into " + number_text(chunks) +
                                     " chunks: some hold " + number_text(layers / chunks) + ", some " +
                                     number_text(layers / chunks + 1) + '.');
  }
  if (s.micro_batches() < p.pipeline) {
    warnings.add(path::global_batch, "Micro-batches do not fill the pipeline: " + number_text(s.micro_batches()) +
                                         " for " + number_text(p.pipeline) +
                                         " stages. A larger global_batch_size would.");
  }
}

void warn_experts(const Scenario& s, Findings& warnings) {
  if (s.model.moe.used() && s.parallelism.expert > 1 && s.training.moe_load_factor == 1) {
    warnings.add(path::load_factor,
                 "Routing is taken as balanced. The fullest expert rank holds more: set moe_load_factor.");
  }
}

void warn_sequence(const Scenario& s, Findings& warnings) {
  const ModelShape& m = s.model;
  const bool scales = m.position == Position::rope || m.position == Position::alibi;
  if (scales && m.max_sequence > 0 && s.training.sequence_length > m.max_sequence) {
    warnings.add(path::sequence, "Sequence " + number_text(s.training.sequence_length) + " is beyond the model's " +
                                     number_text(m.max_sequence) + " positions. Allowed with position scaling.");
  }
}

void warn_recompute(const Scenario& s, Findings& warnings) {
  const Training& t = s.training;
  if (t.recompute != Recompute::selective) return;
  const RecomputeModules& modules = t.recompute_modules;
  if (modules.core_attention && t.attention != Attention::unfused) {  // Megatron-LM transformer_config.py warns too
    warnings.add(path::recompute,
                 "Recomputing core_attention saves nothing with flash attention, which keeps no score matrix.");
  }
  if (modules.moe_activation && !s.model.moe.used()) {
    warnings.add(path::recompute, "moe_activation saves nothing: the model has no experts.");
  }
  if (modules.mla_up_projection && !s.model.mla.used()) {
    warnings.add(path::recompute, "mla_up_projection saves nothing: the model has no latent attention.");
  }
  if (modules == RecomputeModules{})
    warnings.add(path::recompute, "Selective recompute without modules saves nothing.");
}

void warn_resharding(const Scenario& s, Findings& warnings) {
  const Parallelism& p = s.parallelism;
  if (!gathers_units(s)) {
    if (!p.reshard_after_forward) {
      warnings.add(path::reshard, "reshard_after_forward has no effect with engine " +
                                      std::string(name_of(s.training.engine)) + ": it is a setting of FSDP.");
    }
  } else if (p.zero_stage == 2 && p.reshard_after_forward) {
    warnings.add(
        path::reshard,
        "reshard_after_forward has no effect at zero_stage 2, which keeps the gathered parameters until backward.");
  }
}

void warn_preferences(const Scenario& s, Findings& warnings) {
  if (s.training.objective != Objective::dpo) return;
  warnings.add("/training/objective",
               "Step time counts the policy's passes. The reference model's forward adds up to a third.");
}

/// Dao-AILab flash-attention README: "Datatype fp16 and bf16".
void warn_attention(const Scenario& s, Findings& warnings) {
  const Precision precision = s.training.precision;
  if (s.training.attention != Attention::flash || s.cluster.gpu.before_ampere()) return;
  if (precision != Precision::fp32 && precision != Precision::tf32) return;
  warnings.add(path::attention, "FlashAttention-2 takes fp16 and bf16, and precision is " +
                                    std::string(name_of(precision)) +
                                    ". Other kernels without a score matrix come close.");
}

void warn_hardware(const Scenario& s, Findings& warnings) {
  const Gpu& gpu = s.cluster.gpu;
  if (gpu.before_ampere()) {
    const std::string why = "FlashAttention-2 needs Ampere or later, and " + gpu.name + " is " + gpu.architecture;
    warnings.add(path::attention, s.training.attention == Attention::unfused
                                      ? why + ": attention is unfused and keeps its score matrix."
                                      : why + ". Other kernels without a score matrix come close.");
  }
  if (s.cluster.system.empty() && s.cluster.inter.bandwidth == assumed_network && s.cluster.nodes() > 1) {
    warnings.add(path::inter_rate,
                 "The network between nodes is taken as 25 GB/s (200 Gb/s) a GPU. "
                 "Set inter_node_bytes_per_second, or name a system.");
  }
}

}  // namespace

Issues warnings_of(const Scenario& s) {
  Findings warnings;
  for (const auto warn : {warn_tensor, warn_pipeline, warn_experts, warn_sequence, warn_recompute, warn_resharding,
                          warn_preferences, warn_attention, warn_hardware}) {
    warn(s, warnings);
  }
  return std::move(warnings).take();
}

}  // namespace meshgauge
