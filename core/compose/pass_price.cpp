#include "core/compose/pass_price.hpp"

#include <algorithm>
#include <cstring>

#include "core/compose/transfer_cost.hpp"

namespace meshgauge {
namespace {

Seconds of_one_call(const PricedTransfer& p, Seconds all) {
  return all / (p.transfer.count_per_step * p.transfer.messages);
}

double count_of(const std::vector<Transfer>& traffic, const Transfer& wanted) {
  double count = 0;
  for (const Transfer& t : traffic) {
    if (t.id == wanted.id || std::strcmp(t.id, wanted.id) == 0) count += t.count_per_step;
  }
  return count;
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

void PassPricer::start(const Scenario& scenario, const Profile& profile, const CostTable& table) {
  scenario_ = &scenario;
  profile_ = &profile;
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

bool PassPricer::repeats(std::int64_t rank, std::span<const StageShape> shapes,
                         std::span<const StageShape> shapes_before) const {
  if (rank < 2 || rank >= pipeline_.stages - 1) return false;
  if (!std::equal(shapes.begin(), shapes.end(), shapes_before.begin(), shapes_before.end())) return false;
  if (pipeline_.schedule == Schedule::dualpipe) return false;  // the pair may share a node or not
  return stages_span_nodes(*scenario_, rank - 1, rank) == stages_span_nodes(*scenario_, rank - 2, rank - 1) &&
         stages_span_nodes(*scenario_, rank, rank + 1) == stages_span_nodes(*scenario_, rank - 1, rank);
}

RankPasses PassPricer::price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others,
                             std::vector<ChunkTime>& chunks) {
  RankPasses out;
  kernels_.clear();
  StageShape all;
  for (const StageShape& shape : shapes) {
    kernels_.push_back(stage_kernels(*scenario_, *table_, shape));
    out.kernels += kernels_.back();
    all += shape;
  }
  pass_traffic(*scenario_, rank, all, traffic_);
  price_transfers(*scenario_, *profile_, rank, all.blocks(), out.kernels, traffic_, priced_);
  find_boundaries();
  share_out_transfers(rank, shapes);
  of_chunk_.back().forward += others / passes_;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    chunks.push_back(chunk_time({rank, static_cast<std::int64_t>(i)}, kernels_[i], of_chunk_[i], out));
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

/// Transfers inside the passes, to the chunks that cause them.
void PassPricer::share_out_transfers(std::int64_t rank, std::span<const StageShape> shapes) {
  const std::size_t n = shapes.size();
  same_as_.assign(n, 0);
  if (n > 1) {
    if (chunk_traffic_.size() < n) chunk_traffic_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto first = std::find(shapes.begin(), shapes.end(), shapes[i]);
      same_as_[i] = static_cast<std::size_t>(first - shapes.begin());
      if (same_as_[i] == i) layer_traffic(*scenario_, rank, shapes[i], chunk_traffic_[i]);
    }
  }
  of_chunk_.assign(n, {});
  counts_.assign(n, 1);
  for (const PricedTransfer& p : priced_) {
    if (!inside_passes(p.transfer) || p.transfer.when == When::stage_boundary) continue;
    double all = n > 1 ? 0 : 1;
    for (std::size_t i = 0; i < n && n > 1; ++i) {
      counts_[i] = same_as_[i] < i ? counts_[same_as_[i]] : count_of(chunk_traffic_[i], p.transfer);
      all += counts_[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Seconds each = all > 0 ? counts_[i] / all * (p.exposed / passes_) : Seconds{};
      const bool backward = p.transfer.when == When::backward_layer || p.transfer.when == When::recompute_layer;
      (backward ? of_chunk_[i].backward : of_chunk_[i].forward) += each;
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
