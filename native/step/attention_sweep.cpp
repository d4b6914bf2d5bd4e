// The command attention: causal self-attention, forward and backward, over shapes.
#include "native/step/attention_sweep.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>

#include "core/catalog/catalog.hpp"
#include "core/price/kernel.hpp"
#include "core/scenario/words.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/model.hpp"
#include "native/harness/results.hpp"
#include "native/step/commands.hpp"

namespace meshgauge::step {
namespace {

using harness::BadInput;
using harness::Record;
using harness::Runtime;

[[noreturn]] void refuse_shape(std::string_view shape) {
  throw BadInput("--shapes: " + in_quotes(shape) +
                 " is no shape of attention. Expected: SEQUENCESxTOKENSxHEADSxWIDTH, or HEADS/KEY_VALUE_HEADS, like "
                 "1x1024x32/8x128.");
}

std::size_t number(std::string_view text, std::string_view shape) {
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value == 0 || value > 100'000'000)
    refuse_shape(shape);
  return value;
}

AttentionShape shape_of_text(std::string_view text) {
  const std::vector<std::string_view> parts = harness::parts_of(text, 'x');
  if (parts.size() != 4) refuse_shape(text);
  const std::vector<std::string_view> heads = harness::parts_of(parts[2], '/');
  if (heads.size() > 2) refuse_shape(text);
  const AttentionShape shape{.batch = number(parts[0], text),
                             .sequence = number(parts[1], text),
                             .heads = number(heads.front(), text),
                             .kv_heads = number(heads.back(), text),
                             .head_dim = number(parts[3], text)};
  if (shape.heads % shape.kv_heads != 0) {
    throw BadInput("--shapes: " + in_quotes(text) + ": " + std::string(heads.back()) +
                   " key-value heads do not divide " + std::string(heads.front()) + " query heads.");
  }
  return shape;
}

std::string text_of(const AttentionShape& s) {
  const std::string heads =
      s.heads == s.kv_heads ? fmt::format("{}", s.heads) : fmt::format("{}/{}", s.heads, s.kv_heads);
  return fmt::format("{}x{}x{}x{}", s.batch, s.sequence, heads, s.head_dim);
}

/// Heads and width of GPT-2 and LLaMA, from short sequences to long ones.
std::vector<AttentionShape> usual_shapes(bool gpu) {
  if (!gpu) return {{1, 128, 12, 12, 64}, {1, 512, 12, 12, 64}, {1, 1024, 12, 12, 64}, {1, 512, 32, 8, 128}};
  return {{4, 1024, 12, 12, 64}, {1, 2048, 32, 32, 128}, {1, 4096, 32, 32, 128},
          {1, 4096, 32, 8, 128}, {1, 8192, 32, 8, 128},  {1, 16384, 32, 8, 128}};
}

AttentionShape shape_of_model(const AttentionFlags& flags) {
  const Result<ModelShape> found = find_model(flags.model, "");
  if (!found.ok()) throw BadInput("--model: " + found.issues.front().message);
  const ModelShape& m = *found.value;
  const std::int64_t t = flags.tensor_parallel;
  if (m.kind != ModelKind::decoder || m.mla.used() || m.linear_per_full > 0 || m.window > 0) {
    throw BadInput("--model " + in_quotes(flags.model) + ": only causal attention over all tokens is measured.");
  }
  if (m.heads % t != 0 || m.kv_heads % t != 0) {
    throw BadInput(fmt::format("--tp {} does not divide {} attention heads, {} key-value heads of {}.", t, m.heads,
                               m.kv_heads, m.name));
  }
  const std::int64_t made_for = m.max_sequence > 0 ? std::min<std::int64_t>(m.max_sequence, 4096) : 4096;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {size(flags.micro_batch), size(flags.sequence > 0 ? flags.sequence : made_for), size(m.heads / t),
          size(m.kv_heads / t), size(m.head_dim)};
}

std::vector<bool> halves_of(const std::string& formats, bool gpu) {
  if (formats.empty()) return gpu ? std::vector{true} : std::vector{false};
  std::vector<bool> halves;
  for (const std::string_view format : harness::parts_of(formats, ',')) {
    if (format != "bf16" && format != "fp32") {
      throw BadInput("--formats: " + in_quotes(format) + ". Allowed: bf16, fp32.");
    }
    halves.push_back(format == "bf16");
  }
  return halves;
}

/// Products that a causal mask leaves: two forward, five backward (Dao 2023, arXiv:2307.08691 sections 2.2, 4.1).
double flops_of(const AttentionShape& s, AttentionDirection direction) {
  const double tokens = static_cast<double>(s.sequence);
  const double forward = 2 * static_cast<double>(s.batch * s.heads * s.head_dim) * tokens * tokens;
  return direction == AttentionDirection::forward ? forward : 2.5 * forward;
}

/// Queries, keys, values and outputs at least once; backward their gradients too.
double bytes_of(const AttentionShape& s, AttentionDirection direction, bool half) {
  const double once =
      static_cast<double>(s.batch * s.sequence * s.head_dim * 2 * (s.heads + s.kv_heads)) * (half ? 2 : 4);
  return direction == AttentionDirection::forward ? once : 2 * once;
}

std::unique_ptr<AttentionKernel> kernel_on(Runtime& runtime, const AttentionShape& shape, AttentionDirection direction,
                                           bool half) {
#ifdef MESHGAUGE_CUDA
  if (runtime.device->is_gpu()) return attention_on_gpu(runtime, shape, direction, half);
#endif
#ifdef MESHGAUGE_OPENBLAS
  return attention_on_cpu(runtime, shape, direction, half);
#else
  throw harness::Failure("This build cannot multiply on " + runtime.device->name() + ": it was made without OpenBLAS.");
#endif
}

/// FlashAttention-2's time: the step's products and passes are separate kernels, which take longer.
std::optional<double> predicted(const std::optional<Gpu>& gpu, const AttentionShape& s, AttentionDirection direction,
                                bool half) {
  if (!gpu || !half) return std::nullopt;
  KernelCall call;
  call.op = direction == AttentionDirection::forward ? KernelOp::attention_forward : KernelOp::attention_backward;
  call.batch = static_cast<double>(s.batch);
  call.heads = static_cast<double>(s.heads);
  call.kv_heads = static_cast<double>(s.kv_heads);
  call.head_width = static_cast<double>(s.head_dim);
  call.sequence = static_cast<double>(s.sequence);
  call.causal = true;
  return kernel_time(*gpu, call).seconds.value;
}

Record measure(Runtime& runtime, const AttentionShape& shape, AttentionDirection direction, bool half,
               const std::optional<Gpu>& gpu, double budget) {
  const std::unique_ptr<AttentionKernel> kernel = kernel_on(runtime, shape, direction, half);
  const harness::KernelTiming timing = harness::time_of(runtime, *kernel, budget);
  Record record;
  record.kind = "attention";
  record.what = {{"direction", direction == AttentionDirection::forward ? "forward" : "backward"},
                 {"kernel", "step"},
                 {"batch", shape.batch},
                 {"sequence_length", shape.sequence},
                 {"heads", shape.heads},
                 {"kv_heads", shape.kv_heads},
                 {"head_dim", shape.head_dim},
                 {"causal", true},
                 {"format", half ? "bf16" : "fp32"}};
  record.bytes = bytes_of(shape, direction, half);
  record.time = timing.time;
  const std::array mine{static_cast<double>(kernel->wrong())};
  record.wrong = static_cast<std::int64_t>(runtime.largest(mine).front());
  record.predicted = predicted(gpu, shape, direction, half);
  const double flops = flops_of(shape, direction);
  record.more = {{"flops", flops},
                 {"flops_per_s", flops / timing.time.median},
                 {"launches_per_sample", timing.launches},
                 {"predicted_kernel", record.predicted ? harness::Json("flash2") : harness::Json()}};
  return record;
}

void print_row(const AttentionShape& shape, const Record& r) {
  fmt::print("  {:>20} {:>8} {:>6} {:>12.2f} {:>12.2f} {:>12.2f} {:>10.4f} {:>12} {}\n", text_of(shape),
             r.what["direction"].get<std::string>(), r.what["format"].get<std::string>(), r.time.median * 1e6,
             r.time.p5 * 1e6, r.time.p95 * 1e6, r.more["flops_per_s"].get<double>() / 1e12,
             r.predicted ? fmt::format("{:.2f}", *r.predicted * 1e6) : "-",
             *r.wrong > 0 ? fmt::format("WRONG: {} elements of those looked at", *r.wrong) : "");
  std::fflush(stdout);
}

}  // namespace

std::vector<AttentionShape> attention_shapes_of_text(const std::string& text) {
  std::vector<AttentionShape> shapes;
  for (const std::string_view part : harness::parts_of(text, ',')) shapes.push_back(shape_of_text(part));
  return shapes;
}

int measure_attention(Runtime& runtime, const AttentionFlags& flags) {
  if (flags.kernel != "step") {
    throw BadInput("--kernel " + in_quotes(flags.kernel) +
                   ": this build has no cuDNN. Allowed: step, the kernels of meshgauge-bench step.");
  }
  if (runtime.leads()) harness::check_writable(flags.common.json);
  const bool on_gpu = runtime.device->is_gpu();
  std::vector<AttentionShape> shapes;
  if (!flags.shapes.empty()) shapes = attention_shapes_of_text(flags.shapes);
  if (!flags.model.empty()) shapes.push_back(shape_of_model(flags));
  if (shapes.empty()) shapes = usual_shapes(on_gpu);
  const std::vector<bool> halves = halves_of(flags.formats, on_gpu);
  const std::optional<harness::Model> model = harness::model_of(runtime);
  const bool known = model && !model->cluster.gpu.is_cpu();
  const std::optional<Gpu> gpu = known ? std::optional(model->cluster.gpu) : std::nullopt;
  const harness::Json environment = harness::environment_of(runtime);
  std::vector<Record> records;
  std::int64_t wrong = 0;
  if (runtime.leads()) {
    fmt::print("# attention: causal, the step's kernels; {} rank{} at once, each on {}; the slowest rank counts\n",
               runtime.size, runtime.size == 1 ? "" : "s", runtime.device->name());
    fmt::print("# {:>20} {:>8} {:>6} {:>12} {:>12} {:>12} {:>10} {:>12}\n", "sequences x tokens x", "", "", "", "", "",
               "", "");
    fmt::print("# {:>20} {:>8} {:>6} {:>12} {:>12} {:>12} {:>10} {:>12}\n", "heads x width", "pass", "format",
               "median us", "p5 us", "p95 us", "TFLOP/s", "flash2 us");
  }
  for (const bool half : halves) {
    for (const AttentionShape& shape : shapes) {
      for (const AttentionDirection direction : {AttentionDirection::forward, AttentionDirection::backward}) {
        runtime.progress("attention " + text_of(shape));
        records.push_back(measure(runtime, shape, direction, half, gpu, flags.budget_seconds));
        if (runtime.leads()) print_row(shape, records.back());
        wrong += *records.back().wrong;
      }
    }
  }
  if (runtime.leads() && !flags.common.json.empty()) harness::write_results(flags.common.json, environment, records);
  return wrong > 0 ? harness::wrong_results : harness::done;
}

}  // namespace meshgauge::step

namespace meshgauge::harness {

int run_attention(std::string_view name, std::span<const std::string> arguments) {
  step::AttentionFlags flags;
  CLI::App app("How fast causal self-attention is, forward and backward: the kernels of meshgauge-bench step.",
               "meshgauge-bench " + std::string(name));
  add_common_flags(app, flags.common);
  app.add_option("--shapes", flags.shapes, "SEQUENCESxTOKENSxHEADSxWIDTH,...; HEADS/KEY_VALUE_HEADS where they differ");
  app.add_option("--model", flags.model, "attention of this model of the catalog");
  app.add_option("--tp", flags.tensor_parallel, "tensor parallel size (with --model)")->check(CLI::Range(1, 1024));
  app.add_option("--micro-batch", flags.micro_batch, "sequences (with --model)")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seq", flags.sequence, "tokens of a sequence (with --model; default: up to 4096)")
      ->check(CLI::Range(1, 100'000'000));
  app.add_option("--formats", flags.formats, "bf16,fp32 (default: bf16 on a GPU, fp32 on a CPU)");
  app.add_option("--kernel", flags.kernel, "step (default); cudnn where a build has it")
      ->check(CLI::IsMember({"step", "cudnn"}));
  app.add_option("--budget", flags.budget_seconds, "seconds of samples for each row at most (default 1)")
      ->check(CLI::Range(0.01, 3600.0));
  if (const std::optional<int> status = read_flags(app, arguments)) return *status;
  return with_ranks(flags.common, [&](Runtime& runtime) { return step::measure_attention(runtime, flags); });
}

}  // namespace meshgauge::harness
