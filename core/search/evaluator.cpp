#include "core/search/evaluator.hpp"

#include <algorithm>

#include "core/compose/schedule.hpp"
#include "core/compose/transfer_cost.hpp"
#include "core/engine/engine.hpp"
#include "core/resolve/resolve.hpp"

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

constexpr Part communication[] = {Part::tensor_parallel, Part::context_parallel, Part::expert_parallel,
                                  Part::pipeline_parallel, Part::data_parallel};

}  // namespace

Evaluator::Evaluator(const ScenarioRequest& request, const Profile& profile, std::span<const Scenario> stages)
    : request_(request), profile_(profile), kernels_(stages.size()) {
  for (const Scenario& s : stages) stages_.push_back({.scenario = s, .updates = {}, .contexts = {}});
}

void Evaluator::set_grid(const Grid& grid, std::size_t recompute_choices) {
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
      kernels_[k].tables.resize(std::max(kernels_[k].tables.size(), recompute_choices));
      kernels_[k].has_table.assign(recompute_choices, 0);
    }
    stages_[i].kernels = k;
  }
  has_split_costs_ = false;
}

const CostTable& Evaluator::table(Kernels& kernels) {
  CostTable& table = kernels.tables[recompute_];
  if (kernels.has_table[recompute_] == 0) table = cost_table(stages_[kernels.stage].scenario, profile_);
  kernels.has_table[recompute_] = 1;
  return table;
}

void Evaluator::set_recompute(const RecomputeChoice& choice, std::size_t index) {
  recompute_ = index;
  for (Stage& stage : stages_) meshgauge::set_recompute(choice, stage.scenario);
  for (Kernels& kernels : kernels_) kernels.priced = false;
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
    if (!has_split_costs_) split_costs(first, table(kernels_.front()), split_costs_);
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
  for (Stage& stage : stages_) stage.updated = false;
  for (Kernels& kernels : kernels_) kernels.priced = false;
  return true;
}

void Evaluator::classify() {
  const Scenario& s = stages_.front().scenario;
  pricer_.start(s, profile_, kernels_.front().tables.front());
  class_count_ = 0;
  all_chunks(s, of_model_);
  for (std::int64_t rank = 0; rank < s.parallelism.pipeline; ++rank) {
    pricer_.chunk_shapes(rank, of_model_, shapes_);
    if (class_count_ > 0 && pricer_.repeats(rank, shapes_, classes_[class_count_ - 1].chunks)) {
      ++classes_[class_count_ - 1].count;
      continue;
    }
    if (class_count_ == classes_.size()) classes_.emplace_back();
    RankClass& next = classes_[class_count_++];
    next.first = rank;
    next.count = 1;
    next.chunks = shapes_;
    next.all = {};
    for (const StageShape& shape : shapes_) next.all += shape;
  }
}

void Evaluator::update(Stage& stage) {
  stage.contexts.clear();
  if (stage.updates.size() < class_count_) stage.updates.resize(class_count_);
  for (std::size_t i = 0; i < class_count_; ++i) {
    Update& update = stage.updates[i];
    price_update(stage.scenario, profile_, classes_[i].first, classes_[i].all, traffic_, update.price);
    stage.contexts.push_back(memory_context(stage.scenario, classes_[i].first, classes_[i].all));
    update.states = {};
    count_held_by_states(stage.contexts.back(), update.states);
  }
  stage.updated = true;
}

void Evaluator::price(Kernels& kernels) {
  Stage& stage = stages_[kernels.stage];
  if (!stage.updated) update(stage);
  kernels.passes.resize(std::max(kernels.passes.size(), class_count_));
  kernels.held.resize(std::max(kernels.held.size(), class_count_));
  pricer_.start(stage.scenario, profile_, table(kernels));
  for (std::size_t i = 0; i < class_count_; ++i) {
    chunk_times_.clear();
    kernels.passes[i] =
        pricer_.price(classes_[i].first, classes_[i].chunks, stage.updates[i].price.inside, chunk_times_);
    kernels.held[i] = {};
    count_held_by_passes(stage.contexts[i], profile_.overhead, kernels.held[i]);
  }
  kernels.priced = true;
}

/// Every rank spends at least its kernels and what of tensor parallelism stays exposed on each micro-batch, one after
/// the other, and the step takes at least as long as the busiest rank and the fixed time: all other terms of a stage's
/// time are sums of positive ones, schedules and ends of the step only add waits, and neither kernels nor exposed
/// tensor-parallel seconds become less with schedule, ZeRO stage, recompute or split. The busiest rank has at least the
/// mean of the ranks, and the ranks together run the whole model once for each micro-batch, however it is split (under
/// DualPipe twice, with half of the micro-batches each). The last factor makes up for rounding: sums of up to a
/// thousand terms, each off by less than 2^-53. Where runs were measured the step is multiplied by a mean of their
/// ratios and of 1, which is at least the least of them.
Seconds Evaluator::least_seconds() {
  Kernels& kernels = kernels_.front();
  const Scenario& s = stages_[kernels.stage].scenario;
  const StageShape all = whole_model(s.model);
  const LayerCost cost = stage_kernels(s, table(kernels), all);
  const auto m = static_cast<double>(s.micro_batches());
  Seconds busy = m * (cost.forward + cost.backward_input + cost.backward_weight);
  if (s.parallelism.tensor > 1) {
    layer_traffic(s, 0, all, traffic_);
    price_transfers(s, profile_, 0, all.blocks(), cost, traffic_, priced_);
    for (const PricedTransfer& p : priced_) {
      const bool repeated = p.transfer.when == When::recompute_layer;
      if (part_of(p.transfer) == Part::tensor_parallel && inside_passes(p.transfer) && !repeated) busy += p.exposed;
    }
  }
  constexpr double rounding = 1 - 1e-12;
  double ratio = rounding;
  for (const RunPoint& run : profile_.measured.runs) ratio = std::min(ratio, rounding * run.ratio);
  return ratio * (busy / static_cast<double>(s.parallelism.pipeline) + fixed_time(s, profile_));
}

Evaluation Evaluator::evaluate(std::size_t which) {
  Stage& stage = stages_[which];
  Kernels& kernels = kernels_[stage.kernels];
  if (!stage.updated) update(stage);
  if (!kernels.priced) price(kernels);
  const Scenario& s = stage.scenario;
  const Pipeline& pipeline = pricer_.pipeline();

  Evaluation out;
  times_.clear();
  ends_.clear();
  std::array<Seconds, part_count> parts{};
  Seconds busiest{-1};
  std::size_t slowest = 0;
  bool agree = false;
  for (std::size_t i = 0; i < class_count_; ++i) {
    const PricedStage rank =
        whole_rank(s, profile_, kernels.passes[i], pricer_.passes(), stage.updates[i].price, nullptr);
    agree = agree || rank.agrees;
    if (rank.time.total() > busiest) {
      busiest = rank.time.total();
      parts = rank.parts;
      slowest = i;
    }
    times_.insert(times_.end(), static_cast<std::size_t>(classes_[i].count), rank.time);
    ends_.insert(ends_.end(), static_cast<std::size_t>(classes_[i].count), rank.end);

    PhaseTotals held = stage.updates[i].states;
    held += kernels.held[i];
    const PhaseTotals tensors = held;
    count_outside_tensors(stage.contexts[i], profile_.overhead, tensors, held);
    out.memory = max(out.memory, held.peak());
  }
  const Seconds end =
      closed_form_step(pipeline.schedule, times_, ends_, agree, pipeline.chunks, pipeline.micro_batches);
  out.seconds = complete_parts(s, profile_, end, parts);
  if (!profile_.measured.runs.empty()) {
    Seconds exposed{};
    for (const Part p : communication) exposed += parts[static_cast<std::size_t>(p)];
    const RunPoint like = run_point(s, classes_[slowest].all, exposed, out.seconds);
    out.seconds = run_ratio(profile_.measured, like) * out.seconds;
  }
  return out;
}

}  // namespace meshgauge
