// Candidates are numbers that divide; which of them are legal, the rules say.
#include "core/search/space.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/count/memory.hpp"
#include "core/count/stage.hpp"
#include "core/engine/engine.hpp"
#include "core/price/fit.hpp"
#include "core/price/memory_spread.hpp"
#include "core/resolve/resolve.hpp"

namespace meshgauge {

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> low, high;
  for (std::int64_t i = 1; i * i <= n; ++i) {
    if (n % i != 0) continue;
    low.push_back(i);
    if (i != n / i) high.push_back(n / i);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

namespace {

/// What is asked for, else all divisors where the kind is open, else one.
std::vector<std::int64_t> degrees(const std::optional<std::int64_t>& asked, bool open, std::int64_t of) {
  if (asked) return {*asked};
  return open ? divisors(of) : std::vector<std::int64_t>{1};
}

/// Walks the grids of one engine, dimension by dimension.
class GridWalk {
 public:
  GridWalk(const LayoutQuestion& question, const Scenario& base, Exclusions& exclusions, std::vector<Grid>& out)
      : question_(question),
        engine_(describe_engine(base.training.engine)),
        s_(base),
        out_(out),
        exclusions_(exclusions) {}

  void walk(std::int64_t gpus) {
    set_grid({.gpus = static_cast<std::int32_t>(gpus)}, s_);
    const ParallelismRequest& p = question_.request.parallelism;
    for (const std::int64_t t : degrees(p.tensor, engine_.tensor_parallel && question_.kinds.tensor, gpus)) {
      s_.parallelism.tensor = t;
      if (exclusions_.keeps(Dimension::tensor, s_)) contexts(gpus / t);
    }
  }

 private:
  void contexts(std::int64_t room) {
    const ParallelismRequest& p = question_.request.parallelism;
    for (const std::int64_t c : degrees(p.context, engine_.context_parallel && question_.kinds.context, room)) {
      s_.parallelism.context = c;
      s_.parallelism.sequence_parallel = false;
      if (!exclusions_.keeps(Dimension::context, s_)) continue;
      for (const bool sequence : {false, true}) {
        const bool possible = sequence ? s_.parallelism.tensor > 1 && engine_.tensor_parallel : true;
        const bool asked = p.sequence_parallel ? *p.sequence_parallel == sequence : possible;
        s_.parallelism.sequence_parallel = sequence;
        if (asked && exclusions_.keeps(Dimension::sequence_parallel, s_))
          pipelines(std::max<std::int64_t>(1, room / c));
      }
    }
  }

  void pipelines(std::int64_t room) {
    const ParallelismRequest& p = question_.request.parallelism;
    for (const std::int64_t stages : degrees(p.pipeline, engine_.pipeline_parallel && question_.kinds.pipeline, room)) {
      s_.parallelism.pipeline = stages;
      s_.parallelism.data = p.data.value_or(std::max<std::int64_t>(1, room / stages));
      for (const std::int64_t copies : replicas()) {
        s_.parallelism.replicas = copies;
        if (exclusions_.keeps(Dimension::pipeline, s_)) experts();
        s_.parallelism.expert = s_.parallelism.expert_tensor = 1;
      }
    }
  }

  /// One rank alone shards nothing: that is DDP.
  [[nodiscard]] std::vector<std::int64_t> replicas() const {
    const std::int64_t data = s_.parallelism.data;
    std::vector<std::int64_t> list =
        degrees(question_.request.parallelism.replicas, engine_.hybrid_shards && question_.kinds.sharding, data);
    if (list.size() > 1) list.pop_back();
    return list;
  }

  void experts() {
    const ParallelismRequest& p = question_.request.parallelism;
    const bool open = s_.model.moe.used() && engine_.expert_parallel && question_.kinds.expert;
    // Experts are cut no finer than the layers beside them.
    for (const std::int64_t cut : degrees(p.expert_tensor, open, s_.parallelism.tensor)) {
      for (const std::int64_t e : degrees(p.expert, open, std::max<std::int64_t>(1, s_.model.moe.experts))) {
        s_.parallelism.expert_tensor = cut;
        s_.parallelism.expert = e;
        const bool shares = s_.parallelism.replicas == 1 || !open || shares_experts();
        if (shares && exclusions_.keeps(Dimension::expert, s_)) micro_batches();
      }
    }
  }

  /// torchtitan's mesh of experts (parallel_dims.py): the ranks that hold the same ones make up whole groups.
  [[nodiscard]] bool shares_experts() const { return s_.parallelism.expert_data() % s_.parallelism.replicas == 0; }

  void micro_batches() {
    const auto& asked = question_.request.training.micro_batch_size;
    s_.training.micro_batch_size = 1;
    if (!asked && !exclusions_.keeps(Dimension::micro_batch, s_)) return;  // the batch is no multiple of the replicas
    for (const std::int64_t b : degrees(asked, true, s_.training.global_batch_size / s_.parallelism.data)) {
      s_.training.micro_batch_size = b;
      if (asked && !exclusions_.keeps(Dimension::micro_batch, s_)) continue;
      out_.push_back(grid_of(s_));
    }
  }

  const LayoutQuestion& question_;
  const EngineDescription& engine_;
  Scenario s_;
  std::vector<Grid>& out_;
  Exclusions& exclusions_;
};

std::vector<Scenario> stages_of(const LayoutQuestion& question, const Profile& profile, Engine engine,
                                Exclusions& exclusions) {
  std::vector<Scenario> stages;
  ScenarioRequest request = question.request;
  request.training.engine = engine;
  const auto asked = request.parallelism.zero_stage;
  for (std::int64_t zero = 0; zero < 4; ++zero) {
    if (asked && *asked != zero) continue;
    if (!asked && zero > 0 && !question.kinds.sharding) continue;
    if (!asked && !describe_engine(engine).zero[static_cast<std::size_t>(zero)].supported) continue;
    request.parallelism.zero_stage = zero;
    Scenario s = filled_in(request);
    s.cluster.gpu.memory = room_of(question, profile, s);
    if (exclusions.keeps(Dimension::zero_stage, s)) stages.push_back(std::move(s));
  }
  return stages;
}

}  // namespace

Bytes room_of(const LayoutQuestion& question, const Profile& profile, const Scenario& s) {
  const Bytes capacity = s.cluster.gpu.memory;
  if (question.surety <= as_predicted) return capacity;
  return {std::floor(room_for(capacity, memory_spread(s, profile).fit, question.surety).value)};
}

bool fits_surely(const LayoutQuestion& question, const Profile& profile, Scenario s) {
  s.cluster.gpu.memory = room_of(question, profile, s);
  return device_peak(s, profile.overhead) <= s.cluster.gpu.memory;
}

std::vector<EngineSpace> engine_spaces(const LayoutQuestion& question, const Profile& profile, Exclusions& exclusions,
                                       Issues& issues) {
  std::vector<EngineSpace> spaces;
  for (const Engine engine : question.engines) {
    EngineSpace space{.engine = engine, .stages = stages_of(question, profile, engine, exclusions), .grids = {}};
    if (space.stages.empty()) continue;
    GridWalk walk(question, space.stages.front(), exclusions, space.grids);
    for (const std::int64_t gpus : question.gpus) {
      space.stages.front().cluster.gpus = gpus;
      if (exclusions.keeps(Dimension::scenario, space.stages.front())) {
        walk.walk(gpus);
      } else if (issues.empty()) {
        issues = Exclusions::broken(Dimension::scenario, space.stages.front());
      }
    }
    if (!space.grids.empty()) spaces.push_back(std::move(space));
  }
  if (!spaces.empty()) issues.clear();
  return spaces;
}

bool offers(const LayoutQuestion& question, Engine engine, Schedule schedule) {
  const auto& asked = question.request.parallelism.schedule;
  if (asked) return *asked == schedule;
  return describe_engine(engine).schedules.has(schedule) ||
         (question.every_schedule && schedule != Schedule::naive && keeps_one_version(schedule));
}

std::vector<ScheduleChoice> schedule_choices(const LayoutQuestion& question, const Scenario& s) {
  const ParallelismRequest& asked = question.request.parallelism;
  std::vector<ScheduleChoice> choices;
  const std::int64_t p = s.parallelism.pipeline;
  if (p == 1) {
    choices.push_back({asked.schedule.value_or(Schedule::one_f_one_b),
                       static_cast<std::int32_t>(asked.virtual_pipeline.value_or(1)), false});
    return choices;
  }
  const std::int64_t layers = s.model.layers + s.model.encoder_layers;
  const auto add = [&](Schedule schedule, std::int64_t v) {
    if (asked.virtual_pipeline && *asked.virtual_pipeline != v) return;
    const auto chunks = static_cast<std::int32_t>(v);
    if (asked.stage_layers || p * v <= layers) choices.push_back({schedule, chunks, false});
    // Embedding and head may be chunks of their own.
    if (!asked.stage_layers && !question.even_splits && p * v <= layers + 2)
      choices.push_back({schedule, chunks, true});
  };
  for (std::size_t i = 0; i < all_names<Schedule>().size(); ++i) {
    const auto schedule = static_cast<Schedule>(i);
    if (!offers(question, s.training.engine, schedule)) continue;
    if (schedule == Schedule::interleaved) {
      for (std::int64_t v = 2; p * v <= layers + 2; ++v) add(schedule, v);
      if (asked.virtual_pipeline && p * *asked.virtual_pipeline > layers + 2) add(schedule, *asked.virtual_pipeline);
    } else {
      add(schedule, schedule == Schedule::zb_v ? 2 : 1);
    }
  }
  return choices;
}

std::vector<RecomputeChoice> recompute_choices(const LayoutQuestion& question, const Scenario& s,
                                               std::int64_t pipeline) {
  const Training& t = s.training;
  if (question.request.training.recompute) {
    return {recompute_of(s)};
  }
  std::vector<RecomputeChoice> choices{{}};
  const auto selective = [&](const RecomputeModules& modules) {
    choices.push_back({.kind = Recompute::selective, .modules = modules});
  };
  const bool megatron = has_megatron_layers(t.engine);
  if (megatron) {
    const bool scores = t.attention == Attention::unfused;  // without them core attention saves nothing
    const bool dense = !s.model.moe.used() || s.model.moe.first_dense_layers > 0 || s.model.moe.layer_freq > 1 ||
                       s.model.moe.shared_ffn > 0;
    for (unsigned bits = 1; bits < 32; ++bits) {
      const RecomputeModules modules{.core_attention = (bits & 1U) != 0,
                                     .layernorm = (bits & 2U) != 0,
                                     .mlp = (bits & 4U) != 0,
                                     .moe_activation = (bits & 8U) != 0,
                                     .mla_up_projection = (bits & 16U) != 0};
      const bool useful = (scores || !modules.core_attention) && (dense || !modules.mlp) &&
                          (s.model.moe.used() || !modules.moe_activation) &&
                          (s.model.mla.used() || !modules.mla_up_projection);
      if (useful) selective(modules);
    }
  } else {
    selective({.operators = true});
  }
  choices.push_back({.kind = Recompute::full});
  if (megatron) {  // the first layers of each chunk alone; all of them is the same as uniform
    const std::int64_t most = (s.model.layers + s.model.encoder_layers + pipeline - 1) / pipeline;
    for (std::int64_t n = 1; n < most; ++n) {
      choices.push_back(
          {.kind = Recompute::full, .method = RecomputeMethod::block, .layers = static_cast<std::int32_t>(n)});
    }
  }
  return choices;
}

}  // namespace meshgauge
