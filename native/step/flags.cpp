#include "native/step/flags.hpp"

#include <CLI/CLI.hpp>

#include "core/catalog/catalog.hpp"
#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::step {
namespace {

using harness::BadInput;

/// Another width of the same proportions: heads keep their own.
void rescale(ModelShape& m, std::int64_t hidden) {
  const std::int64_t group = m.heads / m.kv_heads, unit = m.head_dim * group;
  if (hidden % unit != 0) {
    throw BadInput("--hidden is " + number_text(hidden) + ". " + m.name + " has heads of " + number_text(m.head_dim) +
                   (group > 1 ? " in groups of " + number_text(group) : "") + ": allowed are multiples of " +
                   number_text(unit) + '.');
  }
  m.ffn = m.ffn * hidden / m.hidden;
  m.hidden = hidden;
  m.heads = hidden / m.head_dim;
  m.kv_heads = m.heads / group;
}

}  // namespace

std::optional<int> read_step_flags(std::span<const std::string> arguments, StepFlags& flags) {
  CLI::App app("A real transformer training step: compute, communication and both, beside the prediction",
               "meshgauge-bench step");
  const auto many = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000});
  app.add_option("--model", flags.model, "of the catalog (default gpt2-124m): decoders with GELU or SwiGLU");
  app.add_option("--layers", flags.layers, "instead of the model's")->check(many);
  app.add_option("--hidden", flags.hidden, "instead of the model's; heads and MLP follow")->check(many);
  app.add_option("--vocab", flags.vocab, "instead of the model's")->check(many);
  app.add_option("--seq", flags.sequence, "tokens of a sequence (default: what the model was made for, up to 1024)")
      ->check(many);
  app.add_option("--micro-batch", flags.micro_batch, "sequences of one forward (default 1)")->check(many);
  app.add_option("--accumulation", flags.accumulation, "micro-batches of a step on each rank (default 1)")->check(many);
  app.add_option("--strategy", flags.strategy,
                 "ddp (as torch DDP), zero1 (as Megatron-LM), zero2 (as DeepSpeed), zero3 (as torch FSDP)")
      ->check(CLI::IsMember({"ddp", "zero1", "zero2", "zero3"}));
  app.add_option("--tp", flags.tensor, "neighbouring ranks that share a replica by tensor parallelism (default 1)")
      ->check(many);
  app.add_flag("--no-sequence-parallel", flags.no_sequence_parallel,
               "leave what lies between the cut matrices whole on each of them");
  app.add_flag("--recompute", flags.recompute, "keep the input of each layer alone and rebuild the rest");
  app.add_option("--precision", flags.precision,
                 "fp32 (default), bf16: mixed, as the strategy's engine does it, pure_bf16: optimizer states too")
      ->check(CLI::IsMember({"fp32", "bf16", "pure_bf16"}));
  app.add_option("--reduce-bucket", flags.reduce_bucket, "zero2: elements (default 5e8, or all if there are fewer)")
      ->check(many);
  app.add_option("--steps", flags.steps, "timed in each mode (default: until the median is known to 1 %)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--budget", flags.budget_seconds, "seconds for each of the four modes (default 20)")
      ->check(CLI::Range(0.0, 1e6));
  harness::add_common_flags(app, flags.common);
  return harness::read_flags(app, arguments);
}

Job job_of(const StepFlags& flags, std::int64_t ranks) {
  Result<ModelShape> found = find_model(flags.model, "");
  if (!found.ok()) throw BadInput("--model: " + found.issues.front().message);
  Job job;
  job.model = std::move(*found.value);
  if (const auto why = unsupported(job.model)) {
    throw BadInput("--model " + in_quotes(flags.model) + " cannot be trained here: " + *why +
                   ". Allowed: GPT-2, LLaMA "
                   "and their like.");
  }
  if (flags.hidden > 0) rescale(job.model, flags.hidden);
  if (flags.layers > 0) job.model.layers = flags.layers;
  if (flags.vocab > 0) job.model.vocab = flags.vocab;
  const std::int64_t made_for = job.model.max_sequence > 0 ? job.model.max_sequence : 1024;
  job.sequence = flags.sequence > 0 ? flags.sequence : std::min<std::int64_t>(made_for, 1024);
  if (job.model.position_rows > 0 && job.sequence > job.model.position_rows) {
    throw BadInput("--seq is " + number_text(job.sequence) + ", and " + job.model.name + " has " +
                   number_text(job.model.position_rows) + " positions. Set --seq up to that.");
  }
  job.strategy = *from_name<StrategyKind>(flags.strategy);
  job.ranks = ranks;
  job.micro_batch = flags.micro_batch;
  job.accumulation = flags.accumulation;
  job.recompute = flags.recompute;
  job.precision = *from_name<Precision>(flags.precision);
  job.reduce_bucket = flags.reduce_bucket;
  job.tensor = flags.tensor;
  job.sequence_parallel = flags.tensor > 1 && !flags.no_sequence_parallel;
  if (const auto why = uncut(job)) throw BadInput("--tp " + *why + '.');
  return job;
}

}  // namespace meshgauge::step
