// What hides a transfer is known from when it runs; how much of it, from the profile.
#include "core/compose/transfer_cost.hpp"

#include <algorithm>

#include "core/engine/engine.hpp"

namespace meshgauge {
namespace {

Route route_of(const Scenario& scenario, std::int64_t stage, const Transfer& t) {
  if (t.peer >= 0) {
    return {2, stages_span_nodes(scenario, stage, t.peer) ? 1 : 2, stages_span_blocks(scenario, stage, t.peer) ? 1 : 2};
  }
  const std::int64_t per_node = group_members_per_node(scenario, t.group);
  const std::int64_t per_block = group_members_within(scenario, t.group, scenario.cluster.gpus_per_block());
  if (t.collective == Collective::send_recv) {  // the slowest of a ring
    return {2, per_node < t.group_size ? 1 : 2, per_block < t.group_size ? 1 : 2};
  }
  return {t.group_size, std::min(t.group_size, per_node), std::min(t.group_size, per_block)};
}

/// Exposed seconds of one ring message of keys and values. Forward it hides behind the attention of one of c blocks,
/// backward that block also hides the message of their gradients.
Seconds exposed_ring_message(const Scenario& scenario, const Profile& profile, const LayerCost& kernels, double layers,
                             const Transfer& t, Seconds message) {
  const bool backward = t.when == When::backward_layer;
  const Seconds attention = backward ? kernels.attention_backward : kernels.attention_forward;
  const double blocks = layers * static_cast<double>(scenario.parallelism.context) * (backward ? 2 : 1);
  const Seconds hidden = profile.context_hidden / blocks * attention;
  return min(message, max(profile.context_step, message - hidden));
}

/// Share of gradients and gathers that does not hide, for a total `cost` beside a `window` of compute.
/// FSDP waits unit by unit: max(compute, cost) + overlap_cost * min(compute, cost) for the two together.
double exposed_units(const Profile& profile, Seconds cost, Seconds window, Seconds first) {
  const double k = profile.overlap_cost;
  const Seconds exposed = cost < window ? k * cost : cost - (1 - k) * window;
  return std::min(1.0, (exposed + (1 - k) * first) / cost);
}

/// Buckets, the last of which is reduced after the backward.
double exposed_buckets(const Profile& profile, Seconds cost, Seconds window, Seconds last_bucket) {
  const Seconds beyond = max(min(last_bucket, cost), cost - profile.overlap_window * window);
  return (beyond + profile.overlap_cost * (cost - beyond)) / cost;
}

/// Of a tensor-parallel collective that overlaps: beside weight gradients, or in pieces beside its own product.
double hidden_share(const Training& training, const Profile& profile, const Transfer& t) {
  if (training.overlap_tensor_parallel) {
    return t.when == When::backward_layer ? profile.tensor_hidden_backward : profile.tensor_hidden_forward;
  }
  return t.collective == Collective::all_reduce ? profile.tensor_hidden_all_reduce : profile.tensor_hidden_sequence;
}

/// The first unit to be gathered and the last bucket to be reduced are layers, not the root unit.
double exposed_share(const Profile& profile, bool by_units, const HiddenTransfers& of, Seconds window) {
  if (of.cost.value <= 0) return 0;
  return by_units ? exposed_units(profile, of.cost, window, of.smallest)
                  : exposed_buckets(profile, of.cost, window, of.largest);
}

/// Messages in another format than the activations' are cast before they leave and after they arrive.
Seconds casts(const Training& training, const Profile& profile, const Transfer& t) {
  const DataType activation = activation_dtype(training.precision);
  if (t.when != When::stage_boundary || t.collective != Collective::send_recv || t.dtype == activation) return {};
  const double elements = t.bytes / bytes_of(t.dtype);
  return Bytes{2 * (bytes_of(activation) + bytes_of(t.dtype)) * elements} / profile.hbm;
}

bool is_expert_exchange(const Transfer& t) {
  return t.group == Group::expert_parallel && t.collective == Collective::all_to_all;
}

/// DualPipe pairs the forward of one micro-batch with the backward of another, so that the all-to-alls of each run
/// beside the other's kernels (DeepSeek-V3, arXiv:2412.19437 section 3.2.1); Megatron's combined 1F1B does the same.
void hide_expert_exchange(const Scenario& scenario, const Profile& profile, const LayerCost& kernels,
                          std::vector<PricedTransfer>& priced) {
  Seconds cost{};
  for (const PricedTransfer& p : priced) {
    if (is_expert_exchange(p.transfer)) cost += p.seconds;
  }
  if (cost.value <= 0) return;
  const Seconds work = kernels.forward + kernels.backward_input + kernels.backward_weight + kernels.recompute;
  const double share = exposed_units(profile, cost, static_cast<double>(scenario.micro_batches()) * work, Seconds{});
  for (PricedTransfer& p : priced) {
    if (!is_expert_exchange(p.transfer)) continue;
    p.transfer.overlap = Overlap::with_compute;
    p.exposed = share * p.seconds;
  }
}

/// Passes of a rank, in micro-batches, beside which its buckets can move once a step: the last backward and the first
/// forward. Interleaved chunks run for a group of p micro-batches each, one chunk after the other, so all but one
/// chunk's buckets have p times as long (Megatron-LM core/pipeline_parallel/schedules.py: grad_sync_func,
/// param_sync_func).
double chunk_windows(const Scenario& scenario) {
  const Parallelism& p = scenario.parallelism;
  if (p.schedule != Schedule::interleaved) return 1;
  const auto v = static_cast<double>(p.virtual_pipeline);
  const auto group = static_cast<double>(std::min(p.micro_batch_group, scenario.micro_batches()));
  return std::max(1.0, group * (v - 1) / v);
}

}  // namespace

Part part_of(const Transfer& t) {
  if (t.when == When::stage_boundary) return Part::pipeline_parallel;
  switch (t.group) {
    case Group::tensor_parallel:
      return Part::tensor_parallel;
    case Group::context_parallel:
      return Part::context_parallel;
    case Group::pipeline_parallel:
    case Group::embedding:
      return Part::pipeline_parallel;
    case Group::expert_parallel:
    case Group::expert_tensor_parallel:
      return Part::expert_parallel;
    case Group::data_parallel:
    case Group::data_parallel_in_node:
    case Group::data_parallel_across_nodes:
    case Group::expert_data_parallel:
    case Group::replica_data_parallel:
    case Group::world:
      return Part::data_parallel;
  }
  return Part::data_parallel;
}

bool inside_passes(const Transfer& t) {
  switch (t.when) {
    case When::forward_layer:
    case When::backward_layer:
    case When::recompute_layer:
    case When::loss:
    case When::stage_boundary:
      return true;
    case When::forward_gather:
    case When::backward_gather:
    case When::gradient_reduce:
    case When::step_end:
      return false;
  }
  return false;
}

void price_transfers(const Scenario& scenario, const Profile& profile, CollectiveTimes& times, std::int64_t stage,
                     std::int64_t blocks, const LayerCost& kernels, const std::vector<Transfer>& traffic,
                     std::vector<PricedTransfer>& priced) {
  priced.clear();
  const double layers = std::max<double>(1, static_cast<double>(blocks));
  for (const Transfer& t : traffic) {
    const Route route = route_of(scenario, stage, t);
    const Seconds message = times(t.collective, t.bytes / t.messages, route);
    const double calls = t.count_per_step * t.messages;
    const Seconds cast = casts(scenario.training, profile, t);
    PricedTransfer p{.transfer = t,
                     .route = route,
                     .seconds = calls * (message + cast),
                     .exposed = calls * (message + cast),
                     .first_stage = stage,
                     .last_stage = stage};
    if (t.overlap == Overlap::with_compute) {
      if (t.when == When::stage_boundary) {
        p.exposed = calls * (times(t.collective, 0, route) + cast);
      } else if (t.group == Group::tensor_parallel) {
        p.exposed = (1 - hidden_share(scenario.training, profile, t)) * p.seconds;
      } else if (t.group == Group::context_parallel) {
        p.exposed = calls * exposed_ring_message(scenario, profile, kernels, layers, t, message);
      }
    }
    priced.push_back(p);
  }
  const bool pairs = scenario.parallelism.schedule == Schedule::dualpipe || scenario.training.overlap_expert_parallel;
  if (pairs) hide_expert_exchange(scenario, profile, kernels, priced);
}

Beside::Which beside_which(const Transfer& t) {
  if (t.overlap == Overlap::none) return Beside::nothing;
  if (t.when == When::forward_gather) return Beside::forwards;
  return t.when == When::gradient_reduce || t.when == When::backward_gather ? Beside::backwards : Beside::nothing;
}

void HiddenTransfers::add(const PricedTransfer& p) {
  const Seconds unit = p.seconds / (p.transfer.count_per_step * p.transfer.messages);  // one call, or one bucket of it
  smallest = cost.value == 0 ? unit : min(smallest, unit);
  largest = max(largest, unit);
  cost += p.seconds;
}

HidingPasses hiding_passes(const Scenario& scenario, double passes) {
  const DataParallelRules& rules = data_parallel_rules(scenario.training.engine, scenario.parallelism.zero_stage);
  const auto m = static_cast<double>(scenario.micro_batches());
  // Units that are moved for each micro-batch hide in all of them, what is moved once hides in one.
  const bool each_use = rules.gather == ParameterGather::each_use && scenario.parallelism.pipeline == 1;
  const double once = chunk_windows(scenario), crossing = passes / m;
  return {.by_units = each_use,
          .forwards = crossing * (each_use ? m : once),
          .backwards = crossing * (each_use || rules.reduce_each_micro_batch ? m : once)};
}

ExposedShares exposed_shares(const Profile& profile, bool by_units, const Windows& windows,
                             const HiddenTransfers& forwards, const HiddenTransfers& backwards) {
  return {.forwards = exposed_share(profile, by_units, forwards, windows.forward),
          .backwards = exposed_share(profile, by_units, backwards, windows.backward)};
}

}  // namespace meshgauge
