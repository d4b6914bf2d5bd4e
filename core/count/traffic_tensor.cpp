// Tensor and sequence parallelism: what each block of a layer, the embedding, the head and the loss exchange.
#include "core/count/parameters.hpp"
#include "core/count/traffic_sink.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge {
namespace {

constexpr const char* all_reduce_source =
    "Shoeybi et al. 2019, arXiv:1909.08053 section 3; "
    "Megatron-LM core/tensor_parallel/{layers,mappings}.py";
constexpr const char* sequence_source =
    "Korthikanti et al. 2022, arXiv:2205.05198 section 4.2.2; Megatron-LM "
    "core/tensor_parallel/layers.py gathers inputs again for weight gradients";
constexpr const char* loss_source = "Megatron-LM core/tensor_parallel/cross_entropy.py: maximum, predicted logit, sum";

/// Pairs of a column-parallel and a row-parallel matrix: one attention block, one MLP.
struct Blocks {
  double forward = 0;
  double again = 0;   ///< of these, run again by recompute
  double inputs = 0;  ///< column-parallel products that each sum the gradient of their input
};

/// Packed matrices (query, key and value; gate and up) sum one gradient. Where a model's modules are separate products,
/// each column-parallel one all-reduces its own (eager PyTorch without sequence parallelism).
double input_gradients(const TrafficSink& sink, const Blocks& blocks) {
  if (sink.training().kernels != Kernels::eager) return blocks.forward;
  const auto layers = static_cast<double>(sink.shape.blocks());
  const double mlps = blocks.forward - layers;
  return 3 * layers + (sink.model().gated() ? 2 : 1) * mlps;
}

Blocks count_blocks(const TrafficSink& sink) {
  const auto layers = static_cast<double>(sink.shape.blocks());
  const double crossing =
      sink.model().kind == ModelKind::encoder_decoder ? static_cast<double>(sink.shape.layers()) : 0;
  // Routed experts exchange by themselves (expert parallelism); without sequence parallelism their output is summed
  // over the tensor ranks like any MLP's. Shared experts are an MLP.
  double per_moe_layer = sink.model().moe.shared_ffn > 0 ? 1 : 0;
  if (!sink.layout().sequence_parallel) per_moe_layer = 1;
  Blocks blocks{.forward = layers + crossing + sink.dense_layers() + sink.moe_layers() * per_moe_layer};
  if (sink.training().recompute == Recompute::full) {
    blocks.again = blocks.forward * sink.repeated_share();
  } else if (sink.training().recompute == Recompute::selective && sink.training().recompute_modules.mlp) {
    blocks.again = sink.dense_layers();
  }
  blocks.inputs = input_gradients(sink, blocks);
  return blocks;
}

/// Asynchronous backward collectives beside weight gradients are Megatron's and Transformer Engine's work.
bool is_asynchronous(const Training& training) {
  return training.kernels == Kernels::fused &&
         training.engine_version >= describe_engine(training.engine).asynchronous_input_gradients;
}

struct Tensor {
  TrafficSink& sink;
  double bytes;       ///< one hidden state of a micro-batch: T h
  bool asynchronous;  ///< gradients of inputs

  void add(const char* id, Collective collective, When when, double count, bool overlaps = false) {
    if (!sink.wants(when) || count <= 0) return;
    // User buffers cut the others into pieces that run beside the product before or after (--tp-comm-overlap).
    const bool hides = (overlaps && asynchronous) || sink.training().overlap_tensor_parallel;
    sink.add({.id = id,
              .collective = collective,
              .group = Group::tensor_parallel,
              .group_size = sink.layout().tensor,
              .dtype = sink.activation,
              .bytes = bytes,
              .count_per_step = count * sink.passes,
              .when = when,
              .overlap = hides ? Overlap::with_compute : Overlap::none,
              .source = sink.layout().sequence_parallel ? sequence_source : all_reduce_source});
  }
};

void sequence_parallel_layers(Tensor& tensor, const Blocks& blocks) {
  tensor.add("tp_forward_all_gather", Collective::all_gather, When::forward_layer, blocks.forward);
  tensor.add("tp_forward_reduce_scatter", Collective::reduce_scatter, When::forward_layer, blocks.forward);
  tensor.add("tp_recompute_all_gather", Collective::all_gather, When::recompute_layer, blocks.again);
  tensor.add("tp_recompute_reduce_scatter", Collective::reduce_scatter, When::recompute_layer, blocks.again);
  tensor.add("tp_backward_all_gather", Collective::all_gather, When::backward_layer, blocks.forward);
  tensor.add("tp_backward_input_gather", Collective::all_gather, When::backward_layer, blocks.forward, true);
  tensor.add("tp_backward_reduce_scatter", Collective::reduce_scatter, When::backward_layer, blocks.forward, true);
}

void replicated_layers(Tensor& tensor, const Blocks& blocks) {
  tensor.add("tp_forward_all_reduce", Collective::all_reduce, When::forward_layer, blocks.forward);
  tensor.add("tp_recompute_all_reduce", Collective::all_reduce, When::recompute_layer, blocks.again);
  tensor.add("tp_backward_all_reduce", Collective::all_reduce, When::backward_layer, blocks.inputs, true);
}

void embedding_and_head(Tensor& tensor) {
  const TrafficSink& sink = tensor.sink;
  if (sink.scenario.padded_vocab() == 0) return;
  const bool sequence = sink.layout().sequence_parallel;
  const double heads = sink.shape.head ? 1 + static_cast<double>(sink.shape.mtp_layers) : 0;
  const double tables = (sink.shape.embedding ? 1 : 0) + static_cast<double>(sink.shape.mtp_layers);
  if (sequence) {
    // Learned positions are added to whole sums, which are cut by tokens then (Megatron-LM
    // core/models/common/embeddings/language_model_embedding.py, reduce_scatter_embeddings).
    if (sink.model().position_rows > 0) {
      tensor.add("tp_embedding_all_reduce", Collective::all_reduce, When::forward_layer, tables);
    } else {
      tensor.add("tp_embedding_reduce_scatter", Collective::reduce_scatter, When::forward_layer, tables);
    }
    tensor.add("tp_embedding_all_gather", Collective::all_gather, When::backward_layer, tables);
    tensor.add("tp_head_all_gather", Collective::all_gather, When::loss, heads);
    tensor.add("tp_head_input_gather", Collective::all_gather, When::backward_layer, heads, true);
    tensor.add("tp_head_reduce_scatter", Collective::reduce_scatter, When::backward_layer, heads, true);
  } else {
    tensor.add("tp_embedding_all_reduce", Collective::all_reduce, When::forward_layer, tables);
    tensor.add("tp_head_all_reduce", Collective::all_reduce, When::backward_layer, heads, true);
  }
}

void vocabulary_parallel_loss(TrafficSink& sink) {
  if (!sink.shape.head || sink.scenario.padded_vocab() == 0) return;
  const double heads = 1 + static_cast<double>(sink.shape.mtp_layers);
  if (describe_engine(sink.training().engine).gathers_logits) {  // once in forward, again where the head is rebuilt
    const double times = sink.training().recompute == Recompute::full ? 2 : 1;
    sink.add({.id = "loss_logits_all_gather",
              .collective = Collective::all_gather,
              .group = Group::tensor_parallel,
              .group_size = sink.layout().tensor,
              .dtype = sink.activation,
              .bytes = bytes_of(sink.activation) * sink.z.T * static_cast<double>(sink.scenario.padded_vocab()),
              .count_per_step = times * heads * sink.passes,
              .when = When::loss,
              .overlap = Overlap::none,
              .source = "Aleph-Alpha/scaling src/scaling/core/nn/linear/column_parallel_linear.py"});
    return;
  }
  Transfer t{.id = "loss_all_reduce",
             .collective = Collective::all_reduce,
             .group = Group::tensor_parallel,
             .group_size = sink.layout().tensor,
             .dtype = DataType::fp32,
             .bytes = 4 * sink.z.T,
             .count_per_step = 3 * heads * sink.passes,
             .when = When::loss,
             .overlap = Overlap::none,
             .source = loss_source};
  if (sink.training().loss == Loss::fused) {  // one gather of three floats for each token
    t.id = "loss_all_gather";
    t.collective = Collective::all_gather;
    t.bytes = 12 * sink.z.T * sink.z.t;
    t.count_per_step = heads * sink.passes;
    t.source = "Transformer Engine pytorch/triton/cross_entropy.py";
  }
  sink.add(t);
}

/// Weights outside the cut matrices see a part of the sequence only, so their gradients are summed once a step.
void norm_gradients(TrafficSink& sink) {
  if (!sink.layout().sequence_parallel) return;
  const double small = rank_parameters(sink.scenario, sink.shape).replicated_small;
  sink.add({.id = "tp_norm_gradients",
            .collective = Collective::all_reduce,
            .group = Group::tensor_parallel,
            .group_size = sink.layout().tensor,
            .dtype = sink.training().gradient_dtype,
            .bytes = bytes_of(sink.training().gradient_dtype) * small,
            .count_per_step = 1,
            .when = When::step_end,
            .overlap = Overlap::none,
            .source = "Megatron-LM core/distributed/finalize_model_grads.py"});
}

}  // namespace

void tensor_parallel_traffic(TrafficSink& sink) {
  if (sink.layout().tensor == 1) return;
  Tensor tensor{sink, sink.z.T * sink.z.h * sink.z.w, is_asynchronous(sink.training())};
  const Blocks blocks = count_blocks(sink);
  if (sink.layout().sequence_parallel) {
    sequence_parallel_layers(tensor, blocks);
  } else {
    replicated_layers(tensor, blocks);
  }
  if (sink.repeats == Repeats::alone) return;
  embedding_and_head(tensor);
  vocabulary_parallel_loss(sink);
  norm_gradients(sink);
}

}  // namespace meshgauge
