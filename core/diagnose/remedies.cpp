#include "core/diagnose/remedies.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace meshgauge {
namespace {

void add_batch(const Scenario& s, std::vector<Remedy>& list) {
  const std::int64_t b = s.training.micro_batch_size;
  if (b % 2 == 0) list.push_back({"half_micro_batch", "Half the micro-batch", {{"/training/micro_batch_size", b / 2}}});
  if (b > 2)
    list.push_back({"micro_batch_of_one", "Micro-batches of one sequence", {{"/training/micro_batch_size", 1}}});
  const std::int64_t n = s.training.sequence_length;
  if (n % 2 == 0) list.push_back({"half_sequence", "Half the sequence length", {{"/training/sequence_length", n / 2}}});
}

void add_activations(const Scenario& s, std::vector<Remedy>& list) {
  const Training& training = s.training;
  if (training.recompute == Recompute::none) {
    list.push_back({"selective_recompute", "Selective recompute", {{"/training/recompute", "selective"}}});
  }
  if (training.recompute != Recompute::full) {
    list.push_back({"full_recompute", "Full recompute (gradient checkpointing)", {{"/training/recompute", "full"}}});
  }
  if (training.attention == Attention::unfused) {
    if (s.cluster.gpu.before_ampere()) {  // FlashAttention-2 does not run there, PyTorch's own kernel does
      list.push_back({"sdpa_attention", "Memory-efficient attention (sdpa)", {{"/training/attention", "sdpa"}}});
    } else {
      list.push_back({"flash_attention", "Flash attention", {{"/training/attention", "flash"}}});
    }
  }
  if (training.loss != Loss::fused && training.loss != Loss::chunked) {
    list.push_back({"fused_loss", "Fused loss", {{"/training/loss", "fused"}}});
  }
  if (training.loss != Loss::chunked) {
    list.push_back({"chunked_loss", "Loss in chunks with the head", {{"/training/loss", "chunked"}}});
  }
}

void add_layout(const Scenario& s, std::vector<Remedy>& list) {
  const Parallelism& layout = s.parallelism;
  for (std::int64_t stage = layout.zero_stage + 1; layout.data > 1 && stage <= 3; ++stage) {
    constexpr auto names = std::to_array<const char*>({"", "ZeRO stage 1", "ZeRO stage 2", "ZeRO stage 3"});
    constexpr auto ids = std::to_array<const char*>({"", "zero_1", "zero_2", "zero_3"});
    const auto i = static_cast<std::size_t>(stage);
    list.push_back({ids[i], names[i], {{"/parallelism/zero_stage", stage}}});
  }
  if (layout.tensor > 1 && !layout.sequence_parallel) {
    list.push_back({"sequence_parallel", "Sequence parallelism", {{"/parallelism/sequence_parallel", true}}});
  }
  const char* data = "/parallelism/data_parallel_size";
  if (layout.data % 2 == 0) {
    const std::int64_t half = layout.data / 2;
    list.push_back({"double_tensor_parallel",
                    "Twice the tensor parallelism",
                    {{"/parallelism/tensor_parallel_size", 2 * layout.tensor}, {data, half}}});
    list.push_back({"double_pipeline_parallel",
                    "Twice the pipeline stages",
                    {{"/parallelism/pipeline_parallel_size", 2 * layout.pipeline}, {data, half}}});
    list.push_back({"double_context_parallel",
                    "Twice the context parallelism",
                    {{"/parallelism/context_parallel_size", 2 * layout.context}, {data, half}}});
  }
  Remedy more{"more_gpus", "Twice the GPUs", {{"/cluster/gpus", 2 * s.cluster.gpus}, {data, 2 * layout.data}}};
  if (s.micro_batches() % 2 == 1) {  // else the same batch is shared out
    more.changes.push_back({"/training/global_batch_size", 2 * s.training.global_batch_size});
  }
  list.push_back(std::move(more));
}

void add_states(const Training& training, std::vector<Remedy>& list) {
  if (training.optimizer == Optimizer::adamw) {
    list.push_back({"adamw_8bit", "8-bit optimizer states", {{"/training/optimizer", "adamw_8bit"}}});
  }
  if (training.gradient_dtype == DataType::fp32 && activation_bytes(training.precision) == 2) {
    list.push_back({"gradients_16bit", "Gradients in bf16", {{"/training/gradient_dtype", "bf16"}}});
  }
  if (training.peft == Peft::none) {
    list.push_back({"lora", "LoRA: train adapters only", {{"/training/peft", "lora"}}});
    list.push_back({"qlora", "QLoRA: adapters on a 4-bit base", {{"/training/peft", "qlora"}}});
  } else if (training.peft == Peft::lora) {
    list.push_back({"qlora", "A 4-bit base (QLoRA)", {{"/training/peft", "qlora"}}});
  }
  if (training.optimizer_offload == Offload::none) {
    list.push_back({"optimizer_offload", "Optimizer states in host memory", {{"/training/optimizer_offload", "cpu"}}});
  }
  if (training.parameter_offload == Offload::none) {
    list.push_back({"parameter_offload", "Parameters in host memory", {{"/training/parameter_offload", "cpu"}}});
  }
}

}  // namespace

std::vector<Remedy> remedies(const Scenario& scenario) {
  std::vector<Remedy> list;
  add_batch(scenario, list);
  add_activations(scenario, list);
  add_layout(scenario, list);
  add_states(scenario.training, list);
  return list;
}

std::vector<Remedy> speedups(const Scenario& s) {
  std::vector<Remedy> list;
  const Training& t = s.training;
  const Parallelism& layout = s.parallelism;
  if (t.recompute != Recompute::none) {
    list.push_back({"no_recompute", "No recompute", {{"/training/recompute", "none"}}});
  }
  if (s.micro_batches() % 2 == 0) {
    list.push_back(
        {"double_micro_batch", "Twice the micro-batch", {{"/training/micro_batch_size", 2 * t.micro_batch_size}}});
  }
  list.push_back(
      {"double_global_batch", "Twice the global batch", {{"/training/global_batch_size", 2 * t.global_batch_size}}});
  const char* data = "/parallelism/data_parallel_size";
  const auto halve = [&](const char* id, const char* name, const char* path, std::int64_t degree) {
    if (degree % 2 == 0) list.push_back({id, name, {{path, degree / 2}, {data, 2 * layout.data}}});
  };
  halve("half_tensor_parallel", "Half the tensor parallelism", "/parallelism/tensor_parallel_size", layout.tensor);
  halve("half_pipeline_parallel", "Half the pipeline stages", "/parallelism/pipeline_parallel_size", layout.pipeline);
  halve("half_context_parallel", "Half the context parallelism", "/parallelism/context_parallel_size", layout.context);
  if (layout.pipeline > 1 && layout.virtual_pipeline == 1) {
    list.push_back({"interleaved",
                    "Two model chunks a rank (interleaved)",
                    {{"/parallelism/virtual_pipeline_size", 2}, {"/parallelism/pipeline_schedule", "interleaved"}}});
  }
  if (!t.overlap_gradient_reduction) {
    list.push_back({"overlap_gradient_reduction",
                    "Gradients reduced beside the backward",
                    {{"/training/overlap_gradient_reduction", true}}});
  }
  if (!t.overlap_parameter_gather && layout.zero_stage > 0) {
    list.push_back({"overlap_parameter_gather",
                    "Parameters gathered beside the forward",
                    {{"/training/overlap_parameter_gather", true}}});
  }
  if (!t.cuda_graphs) list.push_back({"cuda_graphs", "CUDA graphs", {{"/training/cuda_graphs", true}}});
  return list;
}

}  // namespace meshgauge
