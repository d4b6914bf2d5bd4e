// Context parallelism (ring, all-gather, Ulysses) and expert parallelism: what attention and mixture layers exchange.
#include <algorithm>

#include "core/count/traffic_sink.hpp"

namespace meshgauge {
namespace {

constexpr const char* ring_source =
    "Liu et al. 2023, arXiv:2310.01889; Transformer Engine attention/dot_product_attention/context_parallel.py";
constexpr const char* ulysses_source =
    "Jacobs et al. 2023, arXiv:2309.14509 section 3; Transformer Engine context_parallel.py";
constexpr const char* expert_source =
    "Lepikhin et al. 2020, arXiv:2006.16668; Megatron-LM core/transformer/moe/token_dispatcher.py";

/// Runs of a kind of layer in a step, and how many of them recompute runs again.
struct Runs {
  double forward = 0;
  double again = 0;
};

Runs runs(const TrafficSink& sink, double layers, bool selected) {
  Runs r{.forward = layers * sink.passes};
  if (sink.training().recompute == Recompute::full) r.again = r.forward * sink.repeated_share();
  if (sink.training().recompute == Recompute::selective && selected) r.again = r.forward;
  return r;
}

struct Exchange {
  TrafficSink& sink;
  Group group;
  const char* source;

  void add(const char* id, Collective collective, double bytes, When when, double count,
           Overlap overlap = Overlap::none) {
    add(id, collective, sink.activation, bytes, when, count, overlap);
  }
  void add(const char* id, Collective collective, DataType dtype, double bytes, When when, double count,
           Overlap overlap) {
    if (!sink.wants(when) || count <= 0) return;
    sink.add({.id = id,
              .collective = collective,
              .group = group,
              .group_size = group_size(sink.scenario, group),
              .dtype = dtype,
              .bytes = bytes,
              .count_per_step = count,
              .when = when,
              .overlap = overlap,
              .source = source});
  }
};

/// Each rank passes its keys and values on c - 1 times, and again in backward together with their gradients.
void ring(Exchange& x, const Runs& attention, double key_value) {
  const double hops = static_cast<double>(x.sink.layout().context) - 1;
  constexpr auto send = Collective::send_recv;
  constexpr auto beside = Overlap::with_compute;
  x.add("cp_forward_key_value", send, key_value, When::forward_layer, hops * attention.forward, beside);
  x.add("cp_recompute_key_value", send, key_value, When::recompute_layer, hops * attention.again, beside);
  x.add("cp_backward_key_value", send, key_value, When::backward_layer, hops * attention.forward, beside);
  x.add("cp_backward_key_value_gradient", send, key_value, When::backward_layer, hops * attention.forward, beside);
}

void gather(Exchange& x, const Runs& attention, double key_value) {
  const double bytes = static_cast<double>(x.sink.layout().context) * key_value;
  x.add("cp_forward_all_gather", Collective::all_gather, bytes, When::forward_layer, attention.forward);
  x.add("cp_recompute_all_gather", Collective::all_gather, bytes, When::recompute_layer, attention.again);
  x.add("cp_backward_all_gather", Collective::all_gather, bytes, When::backward_layer, attention.forward);
  x.add("cp_backward_reduce_scatter", Collective::reduce_scatter, bytes, When::backward_layer, attention.forward);
}

/// Sequence shards become head shards: query, key and value one way, the output the other.
void ulysses(Exchange& x, const Runs& attention) {
  const WorkSizes& z = x.sink.z;
  constexpr auto exchange = Collective::all_to_all;
  const double keys = x.sink.model().mla.used() ? z.a : z.k;
  const double query = z.T * z.a / z.t * z.qk * z.w, output = z.T * z.a / z.t * z.dv * z.w;
  const double key_value = z.T * keys / z.t * (z.qk + z.dv) / 2 * z.w;  // of each, on average
  x.add("cp_forward_query", exchange, query, When::forward_layer, attention.forward);
  x.add("cp_forward_key_value", exchange, key_value, When::forward_layer, 2 * attention.forward);
  x.add("cp_forward_output", exchange, output, When::forward_layer, attention.forward);
  x.add("cp_recompute_query", exchange, query, When::recompute_layer, attention.again);
  x.add("cp_recompute_key_value", exchange, key_value, When::recompute_layer, 2 * attention.again);
  x.add("cp_recompute_output", exchange, output, When::recompute_layer, attention.again);
  x.add("cp_backward_output", exchange, output, When::backward_layer, attention.forward);
  x.add("cp_backward_query", exchange, query, When::backward_layer, attention.forward);
  x.add("cp_backward_key_value", exchange, key_value, When::backward_layer, 2 * attention.forward);
}

/// Megatron's all-gather dispatcher: every rank of the group gets every token, and the outputs are summed back.
void gather_tokens(Exchange& x, const Runs& moe) {
  const WorkSizes& z = x.sink.z;
  const double tokens = static_cast<double>(x.sink.layout().expert) * z.Tu * z.h * z.w;
  x.add("ep_forward_all_gather", Collective::all_gather, tokens, When::forward_layer, moe.forward);
  x.add("ep_forward_reduce_scatter", Collective::reduce_scatter, tokens, When::forward_layer, moe.forward);
  x.add("ep_recompute_all_gather", Collective::all_gather, tokens, When::recompute_layer, moe.again);
  x.add("ep_recompute_reduce_scatter", Collective::reduce_scatter, tokens, When::recompute_layer, moe.again);
  x.add("ep_backward_all_gather", Collective::all_gather, tokens, When::backward_layer, moe.forward);
  x.add("ep_backward_reduce_scatter", Collective::reduce_scatter, tokens, When::backward_layer, moe.forward);
}

/// Nodes that the experts of one token can lie in. With groups of experts (DeepSeek-V3, arXiv:2412.19437 section 2.1.2:
/// node-limited routing) they are those of `group_limit` groups, drawn evenly.
double reachable_nodes(const MixtureOfExperts& moe, double nodes) {
  if (moe.group_limit == 0 || moe.group_limit >= moe.groups) return nodes;
  const auto groups = static_cast<double>(moe.groups), limit = static_cast<double>(moe.group_limit);
  if (nodes >= groups) return limit * nodes / groups;
  double missed = 1;  // that none of the drawn groups lies in a given node
  for (std::int64_t drawn = 0; drawn < moe.group_limit; ++drawn) {
    const auto gone = static_cast<double>(drawn);
    missed *= std::max(0.0, groups - groups / nodes - gone) / (groups - gone);
  }
  return nodes * (1 - missed);
}

/// Copies of each token that leave: one for each expert, or, where the kernels forward inside a node, one for each of
/// the N nodes that its experts lie in, N (1 - (1 - 1/N)^K) of them with even routing (DeepEP, HybridEP).
double sent_copies(const TrafficSink& sink, double copies) {
  const MoeDispatcher dispatcher = sink.training().moe_dispatcher;
  if (dispatcher != MoeDispatcher::deepep && dispatcher != MoeDispatcher::hybridep) return copies;
  const MixtureOfExperts& moe = sink.model().moe;
  const auto inside = static_cast<double>(group_members_per_node(sink.scenario, Group::expert_parallel));
  const double all = std::max(1.0, static_cast<double>(sink.layout().expert) / std::max(1.0, inside));
  if (all <= 1) return copies;
  const double nodes = std::max(1.0, reachable_nodes(moe, all));
  double missed = 1;
  for (std::int64_t i = 0; i < moe.top_k; ++i) missed *= 1 - 1 / nodes;
  return copies * std::min(1.0, nodes * (1 - missed) / static_cast<double>(moe.top_k));
}

void token_exchange(Exchange& x, const Runs& moe, double copies) {
  if (x.sink.training().moe_dispatcher == MoeDispatcher::allgather) return gather_tokens(x, moe);
  const WorkSizes& z = x.sink.z;
  constexpr auto exchange = Collective::all_to_all;
  const double tokens = sent_copies(x.sink, copies) * z.h, probabilities = 4 * copies;
  // Dispatch and combine; backward runs both the other way. Router probabilities travel with the tokens.
  const DataType dispatch = x.sink.training().moe_dispatch_dtype;
  const bool apart = dispatch != x.sink.activation;  // DeepSeek-V3 section 3.3.2: both dispatches in fp8, combines not
  const double whole = apart ? 1 : 2;
  x.add("ep_forward_all_to_all", exchange, tokens * z.w, When::forward_layer, whole * moe.forward);
  x.add("ep_recompute_all_to_all", exchange, tokens * z.w, When::recompute_layer, whole * moe.again);
  x.add("ep_backward_all_to_all", exchange, tokens * z.w, When::backward_layer, whole * moe.forward);
  if (apart) {
    const double bytes = tokens * bytes_of(dispatch);
    x.add("ep_forward_dispatch", exchange, dispatch, bytes, When::forward_layer, moe.forward, Overlap::none);
    x.add("ep_recompute_dispatch", exchange, dispatch, bytes, When::recompute_layer, moe.again, Overlap::none);
    x.add("ep_backward_dispatch", exchange, dispatch, bytes, When::backward_layer, moe.forward, Overlap::none);
  }
  x.add("ep_forward_probabilities", exchange, DataType::fp32, probabilities, When::forward_layer, moe.forward,
        Overlap::none);
  x.add("ep_recompute_probabilities", exchange, DataType::fp32, probabilities, When::recompute_layer, moe.again,
        Overlap::none);
  x.add("ep_backward_probabilities", exchange, DataType::fp32, probabilities, When::backward_layer, moe.forward,
        Overlap::none);
}

/// Expert tensor parallelism: the ranks that share an expert gather their tokens and scatter the summed results.
void expert_tensor_exchange(Exchange& x, const Runs& moe, double copies) {
  const WorkSizes& z = x.sink.z;
  const double bytes = copies * static_cast<double>(x.sink.layout().expert_tensor) * z.h * z.w;
  x.add("etp_forward_all_gather", Collective::all_gather, bytes, When::forward_layer, moe.forward);
  x.add("etp_forward_reduce_scatter", Collective::reduce_scatter, bytes, When::forward_layer, moe.forward);
  x.add("etp_recompute_all_gather", Collective::all_gather, bytes, When::recompute_layer, moe.again);
  x.add("etp_recompute_reduce_scatter", Collective::reduce_scatter, bytes, When::recompute_layer, moe.again);
  x.add("etp_backward_all_gather", Collective::all_gather, bytes, When::backward_layer, moe.forward);
  x.add("etp_backward_reduce_scatter", Collective::reduce_scatter, bytes, When::backward_layer, moe.forward);
}

}  // namespace

void context_parallel_traffic(TrafficSink& sink) {
  if (sink.layout().context == 1) return;
  const WorkSizes& z = sink.z;
  // Linear attention passes on one small state instead of keys and values.
  const auto layers = static_cast<double>(sink.shape.blocks() - sink.shape.linear_layers);
  const Runs attention = runs(sink, layers, sink.training().recompute_modules.core_attention);
  const double keys = sink.model().mla.used() ? z.a : z.k;
  const double key_value = z.T * keys / z.t * (z.qk + z.dv) * z.w;
  Exchange x{sink, Group::context_parallel, ring_source};
  switch (sink.layout().context_kind) {
    case ContextParallelKind::ring:
      ring(x, attention, key_value);
      break;
    case ContextParallelKind::all_gather:
      gather(x, attention, key_value);
      break;
    case ContextParallelKind::ulysses:
      x.source = ulysses_source;
      ulysses(x, attention);
      break;
  }
}

void expert_parallel_traffic(TrafficSink& sink) {
  const Runs moe = runs(sink, sink.moe_layers(), false);
  if (moe.forward == 0) return;
  const double copies = sink.z.Tu * static_cast<double>(sink.model().moe.top_k) * sink.training().expert_load();
  Exchange tokens{sink, Group::expert_parallel, expert_source};
  token_exchange(tokens, moe, copies);
  if (sink.layout().sequence_parallel) {
    Exchange shards{sink, Group::expert_tensor_parallel, expert_source};
    expert_tensor_exchange(shards, moe, copies);
  }
}

}  // namespace meshgauge
