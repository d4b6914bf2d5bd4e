#include "core/search/evaluator.hpp"

#include <algorithm>
#include <array>

#include "core/compose/schedule.hpp"
#include "core/engine/engine.hpp"
#include "core/resolve/resolve.hpp"
#include "core/search/grid_bound.hpp"

namespace meshgauge {
namespace {

/// Whether kernels of the two take the same: they differ in the ZeRO stage alone.
bool same_kernels(const Scenario& a, const Scenario& b) {
  if (&describe_engine(a.training.engine, a.parallelism.zero_stage) !=
      &describe_engine(b.training.engine, b.parallelism.zero_stage)) {
    return false;
  }
  return accumulates_gradients(a) == accumulates_gradients(b);
}

constexpr std::array communication{Part::tensor_parallel, Part::context_parallel, Part::expert_parallel,
                                   Part::pipeline_parallel, Part::data_parallel};

}  // namespace

Evaluator::Evaluator(const ScenarioRequest& request, const Profile& profile, std::span<const Scenario> stages)
    : request_(request),
      profile_(profile),
      factor_(bound_factor(profile)),
      kernels_(stages.size()),
      collectives_(profile, stages.front().cluster),
      pricer_(profile, collectives_) {
  for (const Scenario& s : stages)
    stages_.push_back({.scenario = s, .updates = {}, .contexts = {}, .outside = {}, .states = {}});
}

void Evaluator::set_grid(const Grid& grid) {
  kernel_count_ = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Scenario& s = stages_[i].scenario;
    meshgauge::set_grid(grid, s);
    s.parallelism.schedule = request_.parallelism.schedule.value_or(Schedule::one_f_one_b);
    std::size_t k = 0;
    while (k < kernel_count_ && !same_kernels(stages_[kernels_[k].stage].scenario, s)) ++k;
    if (k == kernel_count_) {
      ++kernel_count_;
      kernels_[k].stage = i;
      kernels_[k].has_prices = kernels_[k].has_table = false;
      kernels_[k].layers.clear();
    }
    stages_[i].kernels = k;
  }
  has_split_costs_ = false;
}

const CostTable& Evaluator::priced_kernels(Kernels& kernels) {
  const Scenario& s = stages_[kernels.stage].scenario;
  if (!kernels.has_prices) price_model(s, profile_, kernels.prices, kernels.table);
  if (!kernels.has_table) meshgauge::set_recompute(s, profile_, kernels.prices, kernels.table);
  kernels.has_prices = kernels.has_table = true;
  return kernels.table;
}

void Evaluator::set_recompute(const RecomputeChoice& choice) {
  const bool same_kernels = choice.kind == recompute_.kind && choice.modules == recompute_.modules;
  recompute_ = choice;
  for (Stage& stage : stages_) meshgauge::set_recompute(choice, stage.scenario);
  for (Kernels& kernels : kernels_) {
    kernels.has_table = kernels.has_table && same_kernels;
    kernels.priced = kernels.counted = false;
  }
}

bool Evaluator::set_schedule(const ScheduleChoice& choice) {
  const auto set = [&](Scenario& s) {
    s.parallelism.schedule = choice.schedule;
    s.parallelism.virtual_pipeline = choice.virtual_pipeline;
    follow_schedule(request_, s);
  };
  Scenario& first = stages_.front().scenario;
  set(first);
  first.parallelism.stage_layers.clear();
  if (request_.parallelism.stage_layers) first.parallelism.stage_layers = *request_.parallelism.stage_layers;
  if (choice.by_cost) {
    if (!has_split_costs_) split_costs(first, priced_kernels(kernels_.front()), split_costs_);
    has_split_costs_ = true;
    const std::int64_t chunks = model_chunks(first.parallelism);
    split_by_cost(split_costs_, chunks, first.parallelism.stage_layers);
    balanced_split(first.model.encoder_layers + first.model.layers, chunks, even_);
    if (first.parallelism.stage_layers == even_) return false;
  }
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    set(stages_[i].scenario);
    stages_[i].scenario.parallelism.stage_layers = first.parallelism.stage_layers;
  }
  classify();
  for (Stage& stage : stages_) stage.priced = stage.counted = false;
  for (Kernels& kernels : kernels_) {
    kernels.has_plain = kernels.has_held = kernels.priced = kernels.counted = false;
  }
  return true;
}

void Evaluator::classify() {
  const Scenario& s = stages_.front().scenario;
  pricer_.start(s, kernels_.front().table);
  class_count_ = 0;
  class_of_.clear();
  all_chunks_quickly(s, of_model_);
  largest_chunk_ = 0;
  kinds_of_chunks_.clear();
  kinds_of_model_.clear();
  for (const StageShape& chunk : of_model_) {
    largest_chunk_ = std::max(largest_chunk_, chunk.layers() + chunk.encoder_layers);
    std::size_t kind = kinds_of_chunks_.size();  // mostly the last one
    while (kind > 0 && !(kinds_of_chunks_[kind - 1] == chunk)) --kind;
    if (kind == 0) kinds_of_chunks_.push_back(chunk);
    kinds_of_model_.push_back(kind > 0 ? kind - 1 : kinds_of_chunks_.size() - 1);
  }
  for (std::int64_t rank = 0; rank < s.parallelism.pipeline; ++rank) {
    pricer_.chunk_kinds(rank, kinds_of_model_, kinds_);
    std::size_t i = class_count_;
    while (i > 0 && !(classes_[i - 1].kinds == kinds_ && pricer_.alike(classes_[i - 1].first, rank))) --i;
    if (i > 0) {
      class_of_.push_back(i - 1);
      continue;
    }
    if (class_count_ == classes_.size()) classes_.emplace_back();
    class_of_.push_back(class_count_);
    RankClass& next = classes_[class_count_++];
    next.first = rank;
    next.kinds = kinds_;
    next.chunks.clear();
    StageShape all;
    for (const std::size_t kind : kinds_) {
      next.chunks.push_back(kinds_of_chunks_[kind]);
      all += kinds_of_chunks_[kind];
    }
    const auto chunk = [&](std::int64_t c) { return next.chunks[static_cast<std::size_t>(c)]; };
    next.contents = rank_contents(s, rank, all, chunk);
  }
}

void Evaluator::price(Stage& stage) {
  if (stage.updates.size() < class_count_) stage.updates.resize(class_count_);
  for (std::size_t i = 0; i < class_count_; ++i) {
    price_update(stage.scenario, profile_, collectives_, classes_[i].first, classes_[i].contents.shape, traffic_,
                 stage.updates[i]);
  }
  stage.priced = true;
}

void Evaluator::count(Stage& stage) {
  stage.contexts.clear();
  stage.outside.clear();
  stage.states.assign(class_count_, {});
  for (std::size_t i = 0; i < class_count_; ++i) {
    const MemoryContext& context = stage.contexts.emplace_back(memory_context(stage.scenario, classes_[i].contents));
    stage.outside.push_back(outside_tensors(context, profile_.overhead));
    count_held_by_states(context, stage.states[i]);
  }
  stage.counted = true;
}

void Evaluator::price(Kernels& kernels) {
  Stage& stage = stages_[kernels.stage];
  if (!stage.priced) price(stage);
  pricer_.start(stage.scenario, priced_kernels(kernels));
  kernels.passes.resize(class_count_);
  if (kernels.plain.size() < class_count_) kernels.plain.resize(class_count_);
  const bool in_parts = pricer_.recompute_adds();
  for (std::size_t i = 0; i < class_count_; ++i) {
    const RankClass& ranks = classes_[i];
    if (!in_parts) {
      chunk_times_.clear();
      kernels.passes[i] = pricer_.price(ranks.first, ranks.chunks, stage.updates[i].inside, chunk_times_);
      continue;
    }
    if (!kernels.has_plain) pricer_.price(ranks.first, ranks.chunks, stage.updates[i].inside, kernels.plain[i]);
    kernels.passes[i] = pricer_.with_recompute(kernels.plain[i]);
  }
  kernels.has_plain = in_parts;
  times_.resize(class_of_.size());
  for (std::size_t rank = 0; rank < times_.size(); ++rank) times_[rank] = kernels.passes[class_of_[rank]].time;
  const Pipeline& pipeline = pricer_.pipeline();
  kernels.least = makespan(pipeline.schedule, times_, pipeline.chunks, pipeline.micro_batches).total;
  kernels.priced = true;
}

void Evaluator::count(Kernels& kernels) {
  Stage& stage = stages_[kernels.stage];
  if (!stage.counted) count(stage);
  if (!kernels.has_held) {
    kernels.held_beside.assign(class_count_, {});
    for (std::size_t i = 0; i < class_count_; ++i) {
      count_held_by_passes(stage.contexts[i], profile_.overhead, kernels.held_beside[i]);
    }
    kernels.has_held = true;
  }
  kernels.held = kernels.held_beside;
  kernels.layers.count(stage.contexts, kernels.held);
  kernels.counted = true;
}

Bytes Evaluator::memory(std::size_t which) {
  Stage& stage = stages_[which];
  Kernels& kernels = kernels_[stage.kernels];
  if (!stage.counted) count(stage);
  if (!kernels.counted) count(kernels);
  Bytes most{};
  for (std::size_t i = 0; i < class_count_; ++i) {
    PhaseTotals tensors = stage.states[i];
    tensors += kernels.held[i];
    most = max(most, peak_with_outside(stage.outside[i], tensors));
  }
  return most;
}

/// The schedule over the passes alone: data parallelism, optimizer and what else comes after it only add to it.
Seconds Evaluator::least_seconds(std::size_t which) {
  const Stage& stage = stages_[which];
  Kernels& kernels = kernels_[stage.kernels];
  if (!kernels.priced) price(kernels);
  return factor_ * (kernels.least + fixed_time(stage.scenario, profile_));
}

Seconds Evaluator::least_seconds() {
  Seconds least = least_seconds(kernels_.front().stage);
  for (std::size_t k = 1; k < kernel_count_; ++k) least = min(least, least_seconds(kernels_[k].stage));
  return least;
}

/// What runs again is added to backwards of inputs, and no schedule's closed form becomes less with them. Not so where
/// it also hides what was exposed in forwards, or makes the host late for weight gradients that fill bubbles.
bool Evaluator::recompute_only_adds() const {
  return !stages_.front().scenario.training.overlap_expert_parallel && !pricer_.pipeline().splits_backward();
}

Seconds Evaluator::seconds(std::size_t which) {
  Stage& stage = stages_[which];
  Kernels& kernels = kernels_[stage.kernels];
  if (!stage.priced) price(stage);
  if (!kernels.priced) price(kernels);
  const Scenario& s = stage.scenario;
  const Pipeline& pipeline = pricer_.pipeline();
  const HidingPasses hiding = hiding_passes(s, pricer_.passes());
  priced_.clear();
  bool agree = false;
  for (std::size_t i = 0; i < class_count_; ++i) {
    const RankUpdate& update = stage.updates[i];
    const ExposedShares shares = shown_beside(profile_, hiding, kernels.passes[i], update);
    priced_.push_back(whole_rank(kernels.passes[i], update, placed(update, shares)));
    agree = agree || update.agrees;
  }
  const auto slowest = static_cast<std::size_t>(
      std::max_element(priced_.begin(), priced_.end(),
                       [](const auto& a, const auto& b) { return a.time.total() < b.time.total(); }) -
      priced_.begin());
  std::array<Seconds, part_count>& parts = priced_[slowest].parts;
  DrainingRanks ranks{kernels.least, drained(pipeline.schedule, pipeline.chunks)};
  const Seconds end = end_of_step(
      class_of_.size(), agree, [&](std::size_t rank) -> const StageEnd& { return priced_[class_of_[rank]].end; },
      [&](std::size_t rank) { return ranks.next(priced_[class_of_[rank]].time); });
  const Seconds step = complete_parts(s, profile_, end, parts);
  if (profile_.measured.runs.empty()) return step;
  Seconds exposed{};
  for (const Part p : communication) exposed += parts[static_cast<std::size_t>(p)];
  return run_ratio(profile_.measured, run_point(s, classes_[slowest].contents.shape, exposed, step)) * step;
}

}  // namespace meshgauge
