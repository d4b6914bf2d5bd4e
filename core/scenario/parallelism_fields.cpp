// The fields of the parallelism, one entry each.
#include "core/scenario/field_slots.hpp"

namespace meshgauge {
namespace {

std::optional<Written> stage_layers(const Scenario& s) {
  if (s.parallelism.stage_layers.empty()) return std::nullopt;
  return s.parallelism.stage_layers;
}
/// A layout string is answered as the list that it stands for.
std::optional<Written> written_as_stage_layers(const Scenario& /*unused*/) { return std::nullopt; }
/// Written where it says something: sharding has replicas, the schedule interleaves.
std::optional<Written> replicas(const Scenario& s) {
  if (s.parallelism.replicas == 1) return std::nullopt;
  return s.parallelism.replicas;
}
std::optional<Written> micro_batch_group(const Scenario& s) {
  if (s.parallelism.schedule != Schedule::interleaved) return std::nullopt;
  return s.parallelism.micro_batch_group;
}

constexpr auto parallelism_table = std::to_array<Field<ParallelismRequest>>({
    {{"tensor_parallel_size", "ranks", 1, limit::gpus, "1", "TP: ranks that share the matrices of each layer."},
     &ParallelismRequest::tensor,
     &member<&Scenario::parallelism, &Parallelism::tensor>},
    {{.key = "sequence_parallel",
      .fallback = "true for megatron with tensor parallelism",
      .help = "Also splits norms and dropout along the sequence over the tensor-parallel ranks."},
     &ParallelismRequest::sequence_parallel,
     &member<&Scenario::parallelism, &Parallelism::sequence_parallel>},
    {{"pipeline_parallel_size", "stages", 1, limit::pipeline, "1", "PP: pipeline stages."},
     &ParallelismRequest::pipeline,
     &member<&Scenario::parallelism, &Parallelism::pipeline>},
    {{"virtual_pipeline_size", "chunks", 1, limit::virtual_pipeline, "1; 2 for zb-v",
      "VPP: model chunks on each pipeline rank."},
     &ParallelismRequest::virtual_pipeline,
     &member<&Scenario::parallelism, &Parallelism::virtual_pipeline>},
    {{.key = "pipeline_schedule",
      .fallback = "1f1b; interleaved if virtual_pipeline_size is above 1",
      .help = "Order of forward and backward passes in the pipeline."},
     choice<&ParallelismRequest::schedule>(),
     &member<&Scenario::parallelism, &Parallelism::schedule>},
    {{"stage_layers", "layers", 0, limit::layers, "as even as possible",
      "Layers of each model chunk in model order, where the split is uneven."},
     &ParallelismRequest::stage_layers,
     &stage_layers},
    {{.key = "pipeline_layout",
      .fallback = "none: stage_layers, or as even as possible",
      .help = "Megatron's layout string, as in Et*3|(tt|)*6mL, instead of stage_layers and virtual_pipeline_size."},
     &ParallelismRequest::pipeline_layout,
     &written_as_stage_layers},
    {{"context_parallel_size", "ranks", 1, limit::gpus, "1", "CP: ranks that share each sequence, attention included."},
     &ParallelismRequest::context,
     &member<&Scenario::parallelism, &Parallelism::context>},
    {{.key = "context_parallel_kind", .fallback = "ring", .help = "How attention crosses context-parallel ranks."},
     choice<&ParallelismRequest::context_kind>(),
     &member<&Scenario::parallelism, &Parallelism::context_kind>},
    {{"expert_parallel_size", "ranks", 1, limit::gpus, "1", "EP: ranks that share the experts of a layer."},
     &ParallelismRequest::expert,
     &member<&Scenario::parallelism, &Parallelism::expert>},
    {{"expert_tensor_parallel_size", "ranks", 1, limit::gpus, "tensor_parallel_size for experts under megatron, else 1",
      "ETP: ranks that share the matrices of each expert."},
     &ParallelismRequest::expert_tensor,
     &member<&Scenario::parallelism, &Parallelism::expert_tensor>},
    {{"data_parallel_size", "ranks", 1, limit::gpus, "gpus / (TP x PP x CP)",
      "DP: replicas that split the global batch."},
     &ParallelismRequest::data,
     &member<&Scenario::parallelism, &Parallelism::data>},
    {{"data_parallel_replicate_size", "replicas", 1, limit::gpus, "1",
      "Groups that each hold a whole sharded copy: HSDP, or Megatron's optimizer instances."},
     &ParallelismRequest::replicas,
     &replicas},
    {{"micro_batch_group_size", "micro-batches", 1, limit::global_batch, "pipeline_parallel_size",
      "Interleaved schedule: micro-batches that one model chunk runs in a row."},
     &ParallelismRequest::micro_batch_group,
     &micro_batch_group},
    {{"zero_stage", "", 0, 3, "the engine's",
      "What data parallelism shards: 0 nothing, 1 optimizer states, 2 and gradients, 3 and parameters."},
     &ParallelismRequest::zero_stage,
     &member<&Scenario::parallelism, &Parallelism::zero_stage>},
    {{.key = "reshard_after_forward",
      .fallback = "true; false with FSDP at zero_stage 2",
      .help = "FSDP: frees gathered parameters between forward and backward."},
     &ParallelismRequest::reshard_after_forward,
     &member<&Scenario::parallelism, &Parallelism::reshard_after_forward>},
});

}  // namespace

std::span<const Field<ParallelismRequest>> parallelism_fields() { return parallelism_table; }

}  // namespace meshgauge
