// Pipeline parallelism: activations and their gradients between stages, and copies of weights that stages share.
#include "core/count/parameters.hpp"
#include "core/count/traffic_sink.hpp"

namespace meshgauge {
namespace {

constexpr const char* boundary_source =
    "Narayanan et al. 2021, arXiv:2104.04473 section 4.1 (scatter/gather); Megatron-LM "
    "core/pipeline_parallel/{schedules,p2p_communication}.py";

/// Messages that a stage sends in a step, in the direction of the forward of its first chunk, and against it.
struct Sends {
  double forward_up = 0, forward_down = 0;     ///< activations to stage + 1, to stage - 1
  double backward_up = 0, backward_down = 0;   ///< gradients
  double wrap_forward = 0, wrap_backward = 0;  ///< between the last stage and the first, interleaved
};

Sends count_sends(const TrafficSink& sink) {
  const Parallelism& p = sink.layout();
  const auto m = static_cast<double>(sink.scenario.micro_batches());
  const auto v = static_cast<double>(p.virtual_pipeline);
  const bool first = sink.stage == 0, last = sink.stage == p.pipeline - 1;
  const double up = last ? 0 : 1, down = first ? 0 : 1;
  switch (p.schedule) {
    case Schedule::interleaved:
      return {.forward_up = up * m * v,
              .backward_down = down * m * v,
              .wrap_forward = last ? m * (v - 1) : 0,
              .wrap_backward = first ? m * (v - 1) : 0};
    case Schedule::zb_v:  // the second chunk runs back down
      return {.forward_up = up * m, .forward_down = down * m, .backward_up = up * m, .backward_down = down * m};
    case Schedule::dualpipe:  // half of the micro-batches enter at each end
      return {.forward_up = up * m / 2,
              .forward_down = down * m / 2,
              .backward_up = up * m / 2,
              .backward_down = down * m / 2};
    default:
      return {.forward_up = up * m, .backward_down = down * m};
  }
}

/// A decoder stage of an encoder-decoder model also passes the encoder's output on.
double tensors_per_message(const TrafficSink& sink) {
  const bool decodes = sink.model().kind == ModelKind::encoder_decoder && sink.shape.layers() > 0;
  return decodes ? 2 : 1;
}

void boundaries(TrafficSink& sink) {
  const Parallelism& p = sink.layout();
  const double tensors = tensors_per_message(sink);
  const DataType dtype = sink.training().boundary_dtype;
  const double message = tensors * sink.z.T * sink.z.h * bytes_of(dtype) / sink.z.t;
  const Overlap overlap = sink.training().overlap_pipeline ? Overlap::with_compute : Overlap::none;
  const auto send = [&](const char* id, double count, std::int64_t peer) {
    sink.add({.id = id,
              .collective = Collective::send_recv,
              .group = Group::pipeline_parallel,
              .group_size = p.pipeline,
              .dtype = dtype,
              .bytes = message,
              .count_per_step = count,
              .when = When::stage_boundary,
              .overlap = overlap,
              .source = boundary_source,
              .peer = peer});
  };
  const Sends sends = count_sends(sink);
  send("pp_send_forward", sends.forward_up, sink.stage + 1);
  send("pp_send_forward_down", sends.forward_down, sink.stage - 1);
  send("pp_send_backward_up", sends.backward_up, sink.stage + 1);
  send("pp_send_backward", sends.backward_down, sink.stage - 1);
  send("pp_send_forward", sends.wrap_forward, 0);
  send("pp_send_backward", sends.wrap_backward, p.pipeline - 1);
  if (!p.sequence_parallel) {  // each rank sent a slice; the receiver's tensor group puts them together
    const double received = sends.forward_up + sends.forward_down + sends.backward_up + sends.backward_down +
                            sends.wrap_forward + sends.wrap_backward;
    sink.add({.id = "pp_all_gather",
              .collective = Collective::all_gather,
              .group = Group::tensor_parallel,
              .group_size = p.tensor,
              .dtype = dtype,
              .bytes = message * sink.z.t,
              .count_per_step = received,
              .when = When::stage_boundary,
              .overlap = overlap,
              .source = boundary_source});
  }
}

/// Stages that hold the token table, when more than one does: its gradient is summed over them.
void shared_embedding(TrafficSink& sink) {
  const bool shares = sink.model().tie_embeddings || sink.model().mtp_depth > 0;
  const bool holds = sink.shape.embedding || sink.shape.head;
  if (!shares || sink.scenario.padded_vocab() == 0 || !holds) return;
  // Under ZB-V the first rank holds both ends, under DualPipe both ends hold both: the pair is reduced below.
  const Schedule schedule = sink.layout().schedule;
  const std::int64_t holders = schedule == Schedule::zb_v || schedule == Schedule::dualpipe ? 1 : 2;
  const DataType dtype = sink.training().gradient_dtype;
  sink.add({.id = "embedding_all_reduce",
            .collective = Collective::all_reduce,
            .group = Group::embedding,
            .group_size = holders,
            .dtype = dtype,
            .bytes = bytes_of(dtype) * static_cast<double>(sink.scenario.padded_vocab() * sink.model().token_width()) /
                     sink.z.t,
            .count_per_step = 1,
            .when = When::step_end,
            .overlap = Overlap::none,
            .source = "Megatron-LM core/distributed/finalize_model_grads.py: embedding group"});
}

/// DualPipe holds every chunk on two ranks, which sum their gradients.
void chunk_copies(TrafficSink& sink) {
  if (sink.layout().schedule != Schedule::dualpipe) return;
  const DataType dtype = sink.training().gradient_dtype;
  sink.add({.id = "dualpipe_all_reduce",
            .collective = Collective::all_reduce,
            .group = Group::pipeline_parallel,
            .group_size = 2,
            .dtype = dtype,
            .bytes = bytes_of(dtype) * rank_parameters(sink.scenario, sink.shape).total(),
            .count_per_step = 1,
            .when = When::step_end,
            .overlap = Overlap::none,
            .source = "DeepSeek-V3, arXiv:2412.19437 section 3.2.1: two copies of the parameters",
            .peer = sink.layout().pipeline - 1 - sink.stage});
}

}  // namespace

void pipeline_traffic(TrafficSink& sink) {
  if (sink.layout().pipeline == 1) return;
  boundaries(sink);
  shared_embedding(sink);
  chunk_copies(sink);
}

}  // namespace meshgauge
