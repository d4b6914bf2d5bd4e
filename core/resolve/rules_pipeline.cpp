// Pipeline stages, model chunks and what each schedule asks for.
#include <array>

#include "core/count/stage.hpp"
#include "core/resolve/divisors.hpp"
#include "core/resolve/rules.hpp"

namespace meshgauge {
namespace {

std::string schedule_name(const Scenario& s) { return std::string(name_of(s.parallelism.schedule)); }

std::int64_t all_layers(const ModelShape& m) { return m.layers + m.encoder_layers; }

bool is_undivided(const Scenario& s) { return s.parallelism.pipeline == 1; }

/// A pipeline that nothing more is said of.
bool cuts_two_stacks(const Scenario& s) {
  return s.model.kind == ModelKind::encoder_decoder && s.parallelism.pipeline > 1;
}
bool rules_apply(const Scenario& s, const Findings& findings) {
  return findings.known({path::pipeline}) && !(cuts_two_stacks(s) && findings.known({path::model}));
}

void check_two_stacks(const Scenario& s, Findings& findings) {
  if (!cuts_two_stacks(s) || !findings.known({path::pipeline, path::model})) return;
  findings.add(path::pipeline, "pipeline_parallel_size is " + number_text(s.parallelism.pipeline) +
                                   ", and pipelines of encoder-decoder models are not modelled. Set 1.");
}

void check_one_stage(const Scenario& s, Findings& findings) {
  if (!rules_apply(s, findings) || !is_undivided(s)) return;
  const Parallelism& p = s.parallelism;
  if (p.schedule != Schedule::one_f_one_b && findings.known({path::schedule, path::virtual_pipeline})) {
    findings.add(path::schedule, "pipeline_schedule " + schedule_name(s) +
                                     " needs pipeline_parallel_size above 1 (is 1). Set 1f1b, or more stages.");
  }
  const bool follows = p.schedule == Schedule::zb_v && p.virtual_pipeline == 2;  // said with the schedule
  if (p.virtual_pipeline > 1 && !follows && findings.known({path::virtual_pipeline, path::schedule})) {
    findings.add(path::virtual_pipeline, "virtual_pipeline_size is " + number_text(p.virtual_pipeline) +
                                             ", but there is one stage. Set 1, or pipeline_parallel_size 2.");
  }
}

void check_chunks_of_schedule(const Scenario& s, Findings& findings) {
  if (!rules_apply(s, findings) || is_undivided(s)) return;
  if (!findings.known({path::schedule, path::virtual_pipeline})) return;
  const std::int64_t v = s.parallelism.virtual_pipeline;
  const Schedule schedule = s.parallelism.schedule;
  if (schedule == Schedule::interleaved && v == 1) {
    findings.add(path::virtual_pipeline, "virtual_pipeline_size is 1, and interleaved needs at least 2. Set 2.");
  }
  if (schedule == Schedule::zb_v && v != 2) {
    findings.add(path::virtual_pipeline,
                 "virtual_pipeline_size is " + number_text(v) + ", and zb-v has 2 chunks a rank. Set 2.");
  }
  if (schedule != Schedule::interleaved && schedule != Schedule::zb_v && v > 1) {
    findings.add(path::virtual_pipeline, "virtual_pipeline_size is " + number_text(v) + ", but " + schedule_name(s) +
                                             " has one chunk a rank. Set 1, or pipeline_schedule interleaved.");
  }
}

void check_micro_batches(const Scenario& s, Findings& findings) {
  if (!rules_apply(s, findings) || is_undivided(s)) return;
  if (!findings.known({path::schedule, path::pipeline, path::virtual_pipeline, path::global_batch, path::micro_batch,
                       path::data, path::gpus, path::tensor, path::context})) {
    return;
  }
  const std::int64_t p = s.parallelism.pipeline;
  const std::int64_t unit = s.training.micro_batch_size * s.parallelism.data;
  if (s.training.global_batch_size % unit != 0) return;  // said elsewhere
  const std::int64_t m = s.micro_batches();
  const auto report = [&](const std::string& what, std::int64_t count) {
    findings.add(path::global_batch, "global_batch_size " + number_text(s.training.global_batch_size) + " gives " +
                                         number_text(m) + " micro-batches, and " + what + ". Set global_batch_size " +
                                         number_text(count * unit) + '.');
  };
  // Megatron-LM megatron/core/pipeline_parallel/schedules.py: micro-batches in groups, none smaller than the pipeline.
  const std::int64_t group = s.parallelism.group_in_a_row();
  if (s.parallelism.schedule == Schedule::interleaved && findings.known({path::micro_batch_group})) {
    if (group < p || (group > m && group > p)) {
      findings.add(path::micro_batch_group, "micro_batch_group_size is " + number_text(group) + ". Allowed: " +
                                                number_text(p) + " to " + number_text(std::max(m, p)) + '.');
    } else if (m < group || (m % group > 0 && m % group < p)) {
      report("interleaved needs a multiple of " + number_text(group), (m / group + 1) * group);
    }
  }
  if (s.parallelism.schedule != Schedule::dualpipe) return;
  // dualpipe.py asserts both
  if (m < 2 * p) {
    report("dualpipe needs at least 2 x PP = " + number_text(2 * p), 2 * p);
  } else if (m % 2 != 0) {
    report("dualpipe needs an even number", m + 1);
  }
  if (p % 2 != 0) {
    findings.add(path::pipeline, "pipeline_parallel_size is " + number_text(p) +
                                     ", and dualpipe needs an even number of stages. Set " + number_text(p + 1) + '.');
  }
}

void check_layers(const Scenario& s, Findings& findings) {
  if (!rules_apply(s, findings)) return;
  if (!findings.known({path::model, path::schedule, path::pipeline, path::virtual_pipeline, path::stage_layers}))
    return;
  const Parallelism& p = s.parallelism;
  const std::int64_t layers = all_layers(s.model);
  const std::int64_t chunks = model_chunks(p);
  if (p.stage_layers.empty()) {
    if (chunks <= layers) return;
    const bool stages_alone = p.pipeline > layers;
    findings.add(stages_alone ? path::pipeline : path::virtual_pipeline,
                 number_text(chunks) + " model chunks (PP " + number_text(p.pipeline) + " x " +
                     number_text(chunks / p.pipeline) + ") need as many layers, and " + s.model.name + " has " +
                     number_text(layers) + ". Set " +
                     (stages_alone ? "pipeline_parallel_size " + number_text(layers)
                                   : "virtual_pipeline_size " + number_text(layers / p.pipeline)) +
                     " or less.");
    return;
  }
  if (static_cast<std::int64_t>(p.stage_layers.size()) != chunks) {
    findings.add(path::stage_layers,
                 "stage_layers lists " + number_text(static_cast<std::int64_t>(p.stage_layers.size())) +
                     " chunks, and the layout has " + number_text(chunks) + ". List one number for each.");
    return;
  }
  std::int64_t sum = 0;
  for (const std::int64_t count : p.stage_layers) sum += count;
  if (sum != layers) {
    findings.add(path::stage_layers, "stage_layers add up to " + number_text(sum) + ", and " + s.model.name + " has " +
                                         number_text(layers) + " layers. Let them add up to " + number_text(layers) +
                                         '.');
  }
}

}  // namespace

std::span<const Rule> pipeline_rules() {
  static constexpr auto rules = std::to_array<Rule>({
      {"encoder_decoder_stages", "encoder-decoder models are not cut into stages", Dimension::pipeline,
       check_two_stacks},
      {"layers", "there are layers for every model chunk", Dimension::schedule, check_layers},
      {"one_stage", "one stage has no schedule", Dimension::schedule, check_one_stage},
      {"chunks", "the schedule has so many chunks a rank", Dimension::schedule, check_chunks_of_schedule},
      {"micro_batches", "the schedule can run so many micro-batches", Dimension::schedule, check_micro_batches},
  });
  return rules;
}

}  // namespace meshgauge
