// Grids are walked through with the least bound first, until no bound is below what was found. Some rank holds its
// share of the layers' states or more, and with at least one layer everything that a layer's backward needs.
#include "core/search/least_memory.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/count/memory.hpp"
#include "core/count/outside.hpp"
#include "core/search/evaluator.hpp"
#include "core/search/memory_bound.hpp"
#include "core/search/space.hpp"

namespace meshgauge {
namespace {

/// Choices of which another one holds the least. A layer that keeps everything holds no less than one that keeps its
/// input, so that none of the blocks of layers holds less than all of them recomputed.
std::vector<RecomputeChoice> sparing_choices(const LayoutQuestion& question, const Scenario& s, std::int64_t pipeline) {
  std::vector<RecomputeChoice> choices = recompute_choices(question, s, pipeline);
  if (choices.size() > 1) {
    std::erase_if(choices, [](const RecomputeChoice& c) { return c.method == RecomputeMethod::block; });
  }
  std::reverse(choices.begin(), choices.end());  // full recompute first
  return choices;
}

PhaseTotals least_of_each(const PhaseTotals& a, const PhaseTotals& b) {
  PhaseTotals least;
  for (std::size_t i = 0; i < phase_count; ++i) least.totals[i] = min(a.totals[i], b.totals[i]);
  return least;
}

/// One engine's part of the space.
class MemoryOfSpace {
 public:
  MemoryOfSpace(const LayoutQuestion& question, const Profile& profile, EngineSpace space)
      : question_(question),
        profile_(profile),
        space_(std::move(space)),
        memory_bound_(profile, space_.stages),
        evaluator_(question.request, profile, space_.stages),
        stages_(space_.stages) {
    for (Scenario& s : stages_) {
      s.parallelism.schedule = Schedule::one_f_one_b;
      s.parallelism.virtual_pipeline = 1;
      s.parallelism.stage_layers.clear();
    }
    const ModelShape& m = stages_.front().model;
    for (std::int64_t i = 0; i < m.encoder_layers + m.layers; ++i) {
      const StageShape layer = one_layer(m, i);
      if (std::find(layers_.begin(), layers_.end(), layer) == layers_.end()) layers_.push_back(layer);
    }
  }

  [[nodiscard]] const std::vector<Grid>& grids() const { return space_.grids; }

  /// No layout of the grid holds less.
  [[nodiscard]] Bytes bound(const Grid& grid) {
    Bytes least{};
    for (Scenario& s : stages_) {
      set_grid(grid, s);
      const Bytes bytes = of_a_layer(s);
      least = &s == &stages_.front() ? bytes : min(least, bytes);
    }
    return max(memory_bound_(grid), least);
  }

  [[nodiscard]] Bytes room() const { return space_.stages.front().cluster.gpu.memory; }

  /// Of the grid's layouts, unless the least is sought until one fits.
  void search(const Grid& grid, Sought sought, Exclusions& exclusions, LeastMemory& least) {
    evaluator_.set_grid(grid);
    const Scenario& s = evaluator_.scenario(0);
    const std::vector<RecomputeChoice> choices = sparing_choices(question_, space_.stages.front(), grid.pipeline);
    const std::size_t stages = evaluator_.distinct_stages();
    for (const ScheduleChoice& schedule : schedule_choices(question_, s)) {
      evaluator_.set_recompute(choices.front());
      if (!evaluator_.set_schedule(schedule) || !exclusions.keeps(Dimension::schedule, s)) continue;
      for (const RecomputeChoice& choice : choices) {
        evaluator_.set_recompute(choice);
        if (choices.size() == 1 && !exclusions.keeps(Dimension::recompute, s)) continue;
        for (std::size_t stage = stages; stage-- > 0;) {
          const Bytes bytes = evaluator_.memory(stage);
          least.bytes = least.bytes ? min(*least.bytes, bytes) : bytes;
          least.fits = least.fits || bytes <= room();
          if (least.fits && sought != Sought::least) return;
        }
      }
    }
  }

 private:
  /// A rank that holds the mean of the layers' states, none of the model's ends, and one layer at work.
  [[nodiscard]] Bytes of_a_layer(Scenario& s) const {
    StageShape layers = whole_model(s.model);
    layers.embedding = layers.head = false;
    layers.mtp_layers = 0;
    PhaseTotals states;
    count_states_alone(memory_context(s, 0, layers), states);
    bool is_first = true;
    PhaseTotals work;
    for (const StageShape& layer : layers_) {
      const MemoryContext context = memory_context(s, s.parallelism.pipeline - 1, layer);
      PhaseTotals passes;
      count_held_by_passes(context, profile_.overhead, passes);
      for (const RecomputeChoice& choice : sparing_choices(question_, space_.stages.front(), 1)) {
        set_recompute(choice, s);
        PhaseTotals held = passes;
        count_rebuilt(context, held);
        work = is_first ? held : least_of_each(work, held);
        is_first = false;
      }
    }
    constexpr double rounding = 64;  // half a byte for each line
    for (std::size_t i = 0; i < phase_count; ++i) {
      const double mean = (states.totals[i].value - rounding) / static_cast<double>(s.parallelism.pipeline);
      work.totals[i] += Bytes{std::max(0.0, mean)};
    }
    OutsideTensors outside = outside_tensors(memory_context(s, 0, layers), profile_.overhead);
    outside.keeps_blocks = false;
    return peak_with_outside(outside, work) - Bytes{rounding};
  }

  const LayoutQuestion& question_;
  const Profile& profile_;
  EngineSpace space_;
  MemoryBound memory_bound_;
  Evaluator evaluator_;
  std::vector<Scenario> stages_;
  std::vector<StageShape> layers_;  ///< one of each kind
};

}  // namespace

LeastMemory least_memory(const LayoutQuestion& question, const Profile& profile, Sought sought) {
  struct Branch {
    MemoryOfSpace* part;
    const Grid* grid;
    Bytes bound;
  };
  LeastMemory least;
  Exclusions exclusions;
  std::vector<std::unique_ptr<MemoryOfSpace>> parts;
  std::vector<Branch> branches;
  for (EngineSpace& space : engine_spaces(question, profile, exclusions, least.issues)) {
    MemoryOfSpace& part = *parts.emplace_back(std::make_unique<MemoryOfSpace>(question, profile, std::move(space)));
    for (const Grid& grid : part.grids()) branches.push_back({&part, &grid, part.bound(grid)});
  }
  std::stable_sort(branches.begin(), branches.end(),
                   [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
  for (const Branch& branch : branches) {
    const bool may_fit = !least.fits && sought != Sought::least && branch.bound <= branch.part->room();
    const bool may_be_least = (!least.fits && sought == Sought::fitting_or_least) || sought == Sought::least;
    const bool is_open = !least.bytes || may_fit || (may_be_least && branch.bound < *least.bytes);
    if (is_open) branch.part->search(*branch.grid, sought, exclusions, least);
  }
  return least;
}

}  // namespace meshgauge
