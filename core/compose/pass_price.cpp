#include "core/compose/pass_price.hpp"

#include <algorithm>
#include <cstring>

#include "core/compose/transfer_cost.hpp"

namespace meshgauge {
namespace {

Seconds of_one_call(const PricedTransfer& p, Seconds all) {
  return all / (p.transfer.count_per_step * p.transfer.messages);
}

/// Calls in a step of the transfer that stands next in the list, if it is the wanted one: what a chunk moves is in the
/// order of what its rank moves, less what it has no part in.
double take_count(const std::vector<Transfer>& traffic, std::size_t& next, const Transfer& wanted) {
  if (next == traffic.size()) return 0;
  const char* id = traffic[next].id;
  if (id != wanted.id && std::strcmp(id, wanted.id) != 0) return 0;
  return traffic[next++].count_per_step;
}

/// Seconds that a backward waits for the host, in its input and its weight gradients.
struct BackwardWait {
  Seconds input{}, weight{};
};
BackwardWait backward_wait(bool splits, Seconds host, Seconds input, Seconds weight) {
  if (!splits) return {.input = max(Seconds{}, host - (input + weight))};
  // The two run at different times, each with its own launches: a third of them are weight gradients.
  return {.input = max(Seconds{}, host * (2.0 / 3) - input), .weight = max(Seconds{}, host / 3 - weight)};
}

}  // namespace

void PassPricer::start(const Scenario& scenario, const CostTable& table) {
  scenario_ = &scenario;
  table_ = &table;
  pipeline_ = pipeline_of(scenario);
  const bool halves = pipeline_.schedule == Schedule::dualpipe && pipeline_.stages > 1;
  passes_ = static_cast<double>(pipeline_.micro_batches) / (halves ? 2 : 1);
}

void PassPricer::chunk_shapes(std::int64_t rank, std::span<const StageShape> of_model,
                              std::vector<StageShape>& out) const {
  out.clear();
  for (std::int64_t chunk = 0; chunk < pipeline_.chunks_of_rank(); ++chunk) {
    out.push_back(of_model[static_cast<std::size_t>(model_chunk_at(pipeline_, {rank, chunk}))]);
  }
}

bool PassPricer::alike(std::int64_t a, std::int64_t b) const {
  if (std::min(a, b) < 1 || std::max(a, b) >= pipeline_.stages - 1) return false;
  if (pipeline_.schedule == Schedule::dualpipe) return false;  // the pair may share a node or not
  const auto same = [&](auto apart) {
    return apart(*scenario_, a - 1, a) == apart(*scenario_, b - 1, b) &&
           apart(*scenario_, a, a + 1) == apart(*scenario_, b, b + 1);
  };
  return same(stages_span_nodes) && same(stages_span_blocks);
}

RankPasses PassPricer::price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others,
                             std::vector<ChunkTime>& chunks) {
  RankPasses out;
  StageShape all;
  find_kinds(shapes);
  for (const Kind& kind : kinds_) out.kernels += kind.chunks * kind.kernels;
  for (const StageShape& shape : shapes) all += shape;
  pass_traffic(*scenario_, rank, all, traffic_);
  price_transfers(*scenario_, profile_, collectives_, rank, all.blocks(), out.kernels, traffic_, priced_);
  find_boundaries();
  share_out_transfers(rank);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Kind& kind = kinds_[kind_of_[i]];
    PassSeconds transfers = kind.transfers;
    if (i + 1 == shapes.size()) transfers.forward += others / passes_;
    chunks.push_back(chunk_time({rank, static_cast<std::int64_t>(i)}, kind.kernels, transfers, out));
  }
  add_parts(out);
  return out;
}

void PassPricer::find_boundaries() {
  messages_.clear();
  unpacking_ = {};
  for (const PricedTransfer& p : priced_) {
    if (p.transfer.when != When::stage_boundary) continue;
    if (p.transfer.collective != Collective::send_recv) {
      unpacking_ += of_one_call(p, p.exposed);
    } else {
      messages_.push_back(
          {p.transfer.peer,
           {.blocking = of_one_call(p, p.exposed), .travelling = of_one_call(p, p.seconds - p.exposed)}});
    }
  }
}

Message PassPricer::message_to(std::int64_t rank, ChunkPlace to) const {
  if (!to.exists() || to.rank == rank) return {};
  for (const auto& [peer, message] : messages_) {
    if (peer == to.rank) return message;
  }
  return {};
}

Seconds PassPricer::unpacking(std::int64_t rank, ChunkPlace from) const {
  return !from.exists() || from.rank == rank ? Seconds{} : unpacking_;
}

/// Chunks of the same shape are one kind.
void PassPricer::find_kinds(std::span<const StageShape> shapes) {
  kinds_.clear();
  kind_of_.clear();
  for (const StageShape& shape : shapes) {
    std::size_t i = 0;
    while (i < kinds_.size() && !(kinds_[i].shape == shape)) ++i;
    if (i == kinds_.size()) {
      kinds_.push_back({.shape = shape, .kernels = stage_kernels(*scenario_, *table_, shape), .transfers = {}});
    }
    kinds_[i].chunks += 1;
    kind_of_.push_back(i);
  }
}

/// Transfers inside the passes, to the chunks that cause them.
void PassPricer::share_out_transfers(std::int64_t rank) {
  const bool one = kinds_.size() == 1;
  if (chunk_traffic_.size() < kinds_.size()) chunk_traffic_.resize(kinds_.size());
  for (std::size_t i = 0; i < kinds_.size() && !one; ++i) {
    layer_traffic(*scenario_, rank, kinds_[i].shape, chunk_traffic_[i]);
  }
  for (const PricedTransfer& p : priced_) {
    double all = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      Kind& kind = kinds_[i];
      kind.count = one ? 1 : take_count(chunk_traffic_[i], kind.next, p.transfer);
      all += kind.chunks * kind.count;
    }
    if (!inside_passes(p.transfer) || p.transfer.when == When::stage_boundary || all <= 0) continue;
    const bool backward = p.transfer.when == When::backward_layer || p.transfer.when == When::recompute_layer;
    for (Kind& kind : kinds_) {
      (backward ? kind.transfers.backward : kind.transfers.forward) += kind.count / all * (p.exposed / passes_);
    }
  }
}

ChunkTime PassPricer::chunk_time(ChunkPlace at, const LayerCost& kernels, const PassSeconds& transfers,
                                 RankPasses& rank) const {
  const ChunkPlace before = place_before(pipeline_, at), after = place_after(pipeline_, at);
  const Seconds forward = kernels.forward + kernels.forward_gaps + transfers.forward + unpacking(at.rank, before);
  const Seconds input = kernels.backward_input + kernels.recompute + kernels.backward_gaps + kernels.recompute_gaps +
                        transfers.backward + unpacking(at.rank, after);
  const Seconds wait_forward = max(Seconds{}, kernels.host_forward - forward);
  const BackwardWait wait =
      backward_wait(pipeline_.splits_backward(), kernels.host_backward, input, kernels.backward_weight);
  const ChunkTime time{.forward = forward + wait_forward,
                       .backward_input = input + wait.input,
                       .backward_weight = kernels.backward_weight + wait.weight,
                       .activations = message_to(at.rank, after),
                       .gradients = message_to(at.rank, before)};
  rank.time.forward += time.forward + time.activations.blocking;
  rank.time.backward_input += time.backward_input + time.gradients.blocking;
  rank.time.backward_weight += time.backward_weight;
  rank.waiting_for_host += passes_ * (wait_forward + wait.input + wait.weight);
  return time;
}

void PassPricer::add_parts(RankPasses& rank) const {
  const LayerCost& k = rank.kernels;
  const auto part = [&](Part which) -> Seconds& { return rank.parts[static_cast<std::size_t>(which)]; };
  part(Part::compute) = passes_ * (k.forward + k.backward_input + k.backward_weight);
  part(Part::recompute) = passes_ * k.recompute;
  part(Part::overhead) = passes_ * (k.forward_gaps + k.backward_gaps + k.recompute_gaps) + rank.waiting_for_host;
  for (const PricedTransfer& p : priced_) {
    part(part_of(p.transfer)) += p.exposed;
    if (!inside_passes(p.transfer)) rank.after += p.exposed;
  }
}

}  // namespace meshgauge
