#include "core/compose/pass_price.hpp"

#include <algorithm>
#include <cstring>

#include "core/compose/transfer_cost.hpp"
#include "core/engine/engine.hpp"

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

bool PassPricer::alike(std::int64_t a, std::int64_t b) const {
  if (std::min(a, b) < 1 || std::max(a, b) >= pipeline_.stages - 1) return false;
  if (pipeline_.schedule == Schedule::dualpipe) return false;  // the pair may share a node or not
  const auto same = [&](auto apart) {
    return apart(*scenario_, a - 1, a) == apart(*scenario_, b - 1, b) &&
           apart(*scenario_, a, a + 1) == apart(*scenario_, b, b + 1);
  };
  return same(stages_span_nodes) && same(stages_span_blocks);
}

/// Expert exchanges that hide behind kernels hide behind those of recompute too; a head that is rebuilt gathers its
/// logits once more.
bool PassPricer::recompute_adds() const {
  const bool pairs = pipeline_.schedule == Schedule::dualpipe || scenario_->training.overlap_expert_parallel;
  return !pairs && !describe_engine(scenario_->training.engine).gathers_logits;
}

RankPasses PassPricer::price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others,
                             std::vector<ChunkTime>& chunks) {
  price(rank, shapes, others, Repeats::with, plain_);
  added_.clear();
  for (PlainPasses::Kind& kind : plain_.kinds) {
    added_.push_back({.kernels = repeated_kernels(*scenario_, *table_, kind.shape), .transfers = {}});
  }
  return put_together(plain_, &chunks);
}

void PassPricer::price(std::int64_t rank, std::span<const StageShape> shapes, Seconds others, Repeats repeats,
                       PlainPasses& out) {
  out.rank = rank;
  out.all = {};
  for (const StageShape& shape : shapes) out.all += shape;
  find_kinds(shapes, out);
  out.kernels = {};
  for (const PlainPasses::Kind& kind : out.kinds) out.kernels += kind.chunks * kind.kernels;
  LayerCost behind = out.kernels;  // what transfers may hide behind
  if (repeats == Repeats::with) {
    for (const PlainPasses::Kind& kind : out.kinds) {
      behind.recompute += kind.chunks * repeated_kernels(*scenario_, *table_, kind.shape).kernels;
    }
  }
  pass_traffic(*scenario_, rank, out.all, repeats, traffic_);
  price_transfers(*scenario_, profile_, collectives_, rank, out.all.blocks(), behind, traffic_, out.transfers);
  find_boundaries(out);
  count_calls(out, out.transfers, repeats, [&](std::size_t i, std::span<const double> calls, double all) {
    const Transfer& t = out.transfers[i].transfer;
    if (!inside_passes(t) || t.when == When::stage_boundary || all <= 0) return;
    const bool backward = t.when == When::backward_layer || t.when == When::recompute_layer;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      PassSeconds& own = out.kinds[k].transfers;
      (backward ? own.backward : own.forward) += calls[k] / all * (out.transfers[i].exposed / passes_);
    }
  });
  for (PlainPasses::Again& again : out.again) again.known = false;
  for (std::size_t i = 0; i < out.chunks.size(); ++i) {
    PlainPasses::Chunk& chunk = out.chunks[i];
    const ChunkPlace at{rank, static_cast<std::int64_t>(i)};
    const ChunkPlace before = place_before(pipeline_, at), after = place_after(pipeline_, at);
    chunk.transfers = {.forward = unpacking(rank, before), .backward = unpacking(rank, after)};
    if (i + 1 == out.chunks.size()) chunk.transfers.forward += others / passes_;
    chunk.activations = message_to(rank, after);
    chunk.gradients = message_to(rank, before);
  }
  out.parts = {};
  out.after = {};
  for (const PricedTransfer& p : out.transfers) {
    out.parts[static_cast<std::size_t>(part_of(p.transfer))] += p.exposed;
    if (!inside_passes(p.transfer)) out.after += p.exposed;
  }
}

const PlainPasses::Again& PassPricer::again(PlainPasses& plain) {
  const Training& t = scenario_->training;
  const std::size_t selected = (t.recompute_modules.mlp ? 1 : 0) + (t.recompute_modules.core_attention ? 2 : 0);
  PlainPasses::Again& again = plain.again[t.recompute == Recompute::full ? 4 : selected];
  if (again.known) return again;
  again.known = true;
  again.transfers.clear();
  pass_traffic(*scenario_, plain.rank, plain.all, Repeats::alone, traffic_);
  price_transfers(*scenario_, profile_, collectives_, plain.rank, plain.all.blocks(), plain.kernels, traffic_, again_);
  again.calls.assign(again_.size() * plain.kinds.size(), 0);
  for (const PricedTransfer& p : again_) again.transfers.emplace_back(part_of(p.transfer), p.exposed);
  count_calls(plain, again_, Repeats::alone, [&](std::size_t i, std::span<const double> calls, double) {
    std::copy(calls.begin(), calls.end(), again.calls.begin() + static_cast<std::ptrdiff_t>(i * calls.size()));
  });
  return again;
}

RankPasses PassPricer::with_recompute(PlainPasses& plain) {
  added_.clear();
  shares_.clear();
  const bool full = scenario_->training.recompute == Recompute::full;
  for (const PlainPasses::Kind& kind : plain.kinds) {
    added_.push_back({.kernels = repeated_kernels(*scenario_, *table_, kind.shape), .transfers = {}});
    shares_.push_back(full ? recomputed_share(*scenario_, kind.shape) : 1);
  }
  if (scenario_->training.recompute == Recompute::none) return put_together(plain, nullptr);
  const PlainPasses::Again& list = again(plain);
  const double share = full ? recomputed_share(*scenario_, plain.all) : 1;
  const std::size_t kinds = plain.kinds.size();
  for (std::size_t i = 0; i < list.transfers.size(); ++i) {
    double all = 0;
    for (std::size_t k = 0; k < kinds; ++k) all += plain.kinds[k].chunks * (shares_[k] * list.calls[i * kinds + k]);
    if (all <= 0) continue;
    const Seconds pass = share * list.transfers[i].second / passes_;
    for (std::size_t k = 0; k < kinds; ++k) added_[k].transfers += shares_[k] * list.calls[i * kinds + k] / all * pass;
  }
  RankPasses out = put_together(plain, nullptr);
  for (const auto& [part, exposed] : list.transfers) out.parts[static_cast<std::size_t>(part)] += share * exposed;
  return out;
}

void PassPricer::find_boundaries(const PlainPasses& plain) {
  messages_.clear();
  unpacking_ = {};
  for (const PricedTransfer& p : plain.transfers) {
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

void PassPricer::find_kinds(std::span<const StageShape> shapes, PlainPasses& out) const {
  out.kinds.clear();
  out.chunks.clear();
  for (const StageShape& shape : shapes) {
    std::size_t i = 0;
    while (i < out.kinds.size() && !(out.kinds[i].shape == shape)) ++i;
    if (i == out.kinds.size()) {
      out.kinds.push_back({.shape = shape, .kernels = kernels_once(*scenario_, *table_, shape), .transfers = {}});
    }
    out.kinds[i].chunks += 1;
    out.chunks.push_back({.kind = i, .transfers = {}, .activations = {}, .gradients = {}});
  }
}

template <class Visit>
void PassPricer::count_calls(const PlainPasses& plain, const std::vector<PricedTransfer>& priced, Repeats repeats,
                             Visit visit) {
  const std::size_t kinds = plain.kinds.size();
  const bool one = kinds == 1;
  if (kind_traffic_.size() < kinds) kind_traffic_.resize(kinds);
  for (std::size_t i = 0; i < kinds && !one && !priced.empty(); ++i) {
    layer_traffic(*scenario_, plain.rank, plain.kinds[i].shape, repeats, kind_traffic_[i]);
  }
  next_.assign(kinds, 0);
  calls_.assign(kinds, 1);
  for (std::size_t i = 0; i < priced.size(); ++i) {
    double all = 0;
    for (std::size_t k = 0; k < kinds; ++k) {
      if (!one) calls_[k] = take_count(kind_traffic_[k], next_[k], priced[i].transfer);
      all += plain.kinds[k].chunks * calls_[k];
    }
    visit(i, calls_, all);
  }
}

RankPasses PassPricer::put_together(const PlainPasses& plain, std::vector<ChunkTime>* chunks) const {
  RankPasses rank;
  const bool splits = pipeline_.splits_backward();
  for (const PlainPasses::Chunk& chunk : plain.chunks) {
    const PlainPasses::Kind& kind = plain.kinds[chunk.kind];
    const Added& added = added_[chunk.kind];
    const LayerCost& k = kind.kernels;
    const Seconds forward = k.forward + k.forward_gaps + kind.transfers.forward + chunk.transfers.forward;
    const Seconds input = k.backward_input + added.kernels.kernels + k.backward_gaps + added.kernels.gaps +
                          kind.transfers.backward + added.transfers + chunk.transfers.backward;
    const Seconds wait_forward = max(Seconds{}, k.host_forward - forward);
    const BackwardWait wait = backward_wait(splits, k.host_backward + added.kernels.host, input, k.backward_weight);
    const ChunkTime time{.forward = forward + wait_forward,
                         .backward_input = input + wait.input,
                         .backward_weight = k.backward_weight + wait.weight,
                         .activations = chunk.activations,
                         .gradients = chunk.gradients};
    rank.time.forward += time.forward + time.activations.blocking;
    rank.time.backward_input += time.backward_input + time.gradients.blocking;
    rank.time.backward_weight += time.backward_weight;
    rank.waiting_for_host += passes_ * (wait_forward + wait.input + wait.weight);
    if (chunks != nullptr) chunks->push_back(time);
  }
  RepeatedKernels again;
  for (std::size_t i = 0; i < plain.kinds.size(); ++i) {
    again.kernels += plain.kinds[i].chunks * added_[i].kernels.kernels;
    again.gaps += plain.kinds[i].chunks * added_[i].kernels.gaps;
  }
  const LayerCost& k = plain.kernels;
  rank.parts = plain.parts;
  const auto part = [&](Part which) -> Seconds& { return rank.parts[static_cast<std::size_t>(which)]; };
  part(Part::compute) += passes_ * (k.forward + k.backward_input + k.backward_weight);
  part(Part::recompute) += passes_ * again.kernels;
  part(Part::overhead) += passes_ * (k.forward_gaps + k.backward_gaps + again.gaps) + rank.waiting_for_host;
  rank.after = plain.after;
  return rank;
}

}  // namespace meshgauge
