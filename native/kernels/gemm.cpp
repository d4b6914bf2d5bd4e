// The command gemm: how fast matrix products are, over a sweep or over the shapes of a model.
#include "native/kernels/gemm.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "core/price/kernel.hpp"
#include "core/price/peak.hpp"
#include "core/scenario/words.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/model.hpp"
#include "native/harness/results.hpp"
#include "native/kernels/commands.hpp"

namespace meshgauge::harness {
namespace {

std::vector<MatmulFormat> formats_of(const std::string& text, bool gpu) {
  constexpr auto on_gpu =
      std::to_array({MatmulFormat::bf16, MatmulFormat::fp16, MatmulFormat::tf32, MatmulFormat::fp8});
  if (text.empty()) {
    return gpu ? std::vector<MatmulFormat>(on_gpu.begin(), on_gpu.end()) : std::vector{MatmulFormat::fp32};
  }
  std::vector<MatmulFormat> formats;
  for (const std::string_view name : parts_of(text, ',')) {
    const std::optional<MatmulFormat> format = from_name<MatmulFormat>(name);
    if (!format || format == MatmulFormat::fp4 || (!gpu && format != MatmulFormat::fp32)) {
      throw BadInput("--formats: " + in_quotes(name) + " is not measured. Allowed " +
                     (gpu ? "on a GPU: bf16, fp16, tf32, fp8, fp32." : "on a CPU: fp32."));
    }
    formats.push_back(*format);
  }
  return formats;
}

Precision precision_of(MatmulFormat format) {
  switch (format) {
    case MatmulFormat::fp32:
      return Precision::fp32;
    case MatmulFormat::tf32:
      return Precision::tf32;
    case MatmulFormat::fp16:
      return Precision::fp16;
    case MatmulFormat::fp8:
    case MatmulFormat::fp4:
      return Precision::fp8;
    case MatmulFormat::bf16:
      return Precision::bf16;
  }
  return Precision::bf16;
}

std::unique_ptr<Product> product_on([[maybe_unused]] Runtime& runtime, const ProductShape& shape,
                                    [[maybe_unused]] MatmulFormat format) {
#ifdef MESHGAUGE_CUDA
  if (runtime.device->is_gpu()) return cuda_product(*runtime.device, shape, format);
#endif
#ifdef MESHGAUGE_OPENBLAS
  return cpu_product(*runtime.device, shape, runtime.cpu_threads);
#else
  (void)shape;
  throw BadInput("gemm between CPUs needs OpenBLAS, which this build was configured without.");
#endif
}

std::string shape_text(const ProductShape& s) {
  const std::string sides = fmt::format("{}x{}x{}", s.m, s.n, s.k);
  return s.groups > 1 ? fmt::format("{}*{}", s.groups, sides) : sides;
}

/// Ranges of kernel_time are for a kernel in a test of its own, as here; `sustained`, for the chip is kept warm.
double predicted_seconds(const Model& model, const ProductShape& s, MatmulFormat format) {
  const auto side = [](std::size_t n) { return static_cast<double>(n); };
  if (model.cluster.gpu.is_cpu()) {  // which is no warmer in a step
    return gemm_time(model.profile, format, side(s.m), side(s.n), side(s.k), side(s.groups)).value;
  }
  return kernel_time(model.cluster.gpu, {.op = KernelOp::gemm,
                                         .format = format,
                                         .m = static_cast<double>(s.m),
                                         .n = static_cast<double>(s.n),
                                         .k = static_cast<double>(s.k),
                                         .groups = static_cast<double>(s.groups),
                                         .sustained = true})
      .seconds.value;
}

Record measure(Runtime& runtime, Product& kernel, const ProductShape& shape, MatmulFormat format,
               const std::optional<Model>& model, double budget_seconds) {
  const KernelTiming timing = time_of(runtime, kernel, budget_seconds);
  Record record;
  record.kind = "gemm";
  record.what = {{"m", shape.m},  {"n", shape.n}, {"k", shape.k}, {"groups", shape.groups}, {"format", name_of(format)},
                 {"of", shape.of}};
  record.bytes = static_cast<double>(bytes_of(shape, format));
  record.time = timing.time;
  const std::array mine{static_cast<double>(wrong_elements(*runtime.device, shape, format, kernel.first_set()))};
  record.wrong = static_cast<std::int64_t>(runtime.largest(mine).front());
  const double rate = shape.flops() / timing.time.median;
  record.more = {{"flops", shape.flops()}, {"flops_per_s", rate}, {"launches_per_sample", timing.launches}};
  if (model) {
    const Gpu& gpu = model->cluster.gpu;
    const double peak = gpu.is_cpu() ? model->profile.matmul_fp32.value : peak_of(gpu, precision_of(format)).value;
    record.predicted = predicted_seconds(*model, shape, format);
    record.more["share_of_peak"] = rate / peak;
  }
  return record;
}

void print_head(const Runtime& runtime) {
  fmt::print("# gemm: {} rank{} at once, each on {}; the slowest rank counts; C = A x B^T\n", runtime.size,
             runtime.size == 1 ? "" : "s", runtime.device->name());
  fmt::print("# {:>24} {:>6} {:>12} {:>12} {:>12} {:>10} {:>6} {:>12} {:>6}  {}\n", "shape MxNxK", "format",
             "median us", "p5 us", "p95 us", "TFLOP/s", "% peak", "model us", "ratio", "of");
}

void print_row(const ProductShape& shape, const Record& r, MatmulFormat format) {
  const auto optional = [](bool there, const char* form, double value) {
    return there ? fmt::format(fmt::runtime(form), value) : std::string("-");
  };
  const bool known = r.predicted.has_value();
  fmt::print("  {:>24} {:>6} {:>12.2f} {:>12.2f} {:>12.2f} {:>10.3f} {:>6} {:>12} {:>6}  {}\n", shape_text(shape),
             name_of(format), r.time.median * 1e6, r.time.p5 * 1e6, r.time.p95 * 1e6,
             shape.flops() / r.time.median / 1e12, optional(known, "{:.1f}", 100 * r.more.value("share_of_peak", 0.0)),
             optional(known, "{:.2f}", r.predicted.value_or(0) * 1e6),
             optional(known, "{:.2f}", r.time.median / r.predicted.value_or(1)),
             *r.wrong > 0 ? fmt::format("WRONG: {} elements of those looked at", *r.wrong) : shape.of);
  std::fflush(stdout);
}

}  // namespace

bool can_multiply([[maybe_unused]] const Device& device) {
#ifdef MESHGAUGE_OPENBLAS
  return true;
#else
  return device.is_gpu();
#endif
}

int measure_products(Runtime& runtime, const GemmFlags& flags) {
  if (runtime.leads()) check_writable(flags.common.json);
  const bool on_gpu = runtime.device->is_gpu();
  const std::optional<Model> model = model_of(runtime);
  const std::vector<MatmulFormat> formats = formats_of(flags.formats, on_gpu);
  std::vector<ProductShape> shapes;
  if (!flags.shapes.empty()) shapes = shapes_of_text("--shapes", flags.shapes);
  if (!flags.model.model.empty()) {
    for (ProductShape& shape : products_of(flags.model)) shapes.push_back(std::move(shape));
  }
  if (shapes.empty()) shapes = usual_shapes(on_gpu);

  const Json environment = environment_of(runtime);
  std::vector<Record> records;
  std::int64_t wrong = 0;
  if (runtime.leads()) print_head(runtime);
  for (const MatmulFormat format : formats) {
    for (const ProductShape& shape : shapes) {
      runtime.progress("gemm " + shape_text(shape));
      const std::unique_ptr<Product> kernel = product_on(runtime, shape, format);
      if (!kernel) {
        if (runtime.leads()) {
          fmt::print("  {:>24} {:>6}  cuBLASLt has no algorithm for it on this GPU\n", shape_text(shape),
                     name_of(format));
        }
        continue;
      }
      records.push_back(measure(runtime, *kernel, shape, format, model, flags.budget_seconds));
      if (runtime.leads()) print_row(shape, records.back(), format);
      wrong += *records.back().wrong;
    }
  }
  if (runtime.leads() && !flags.common.json.empty()) write_results(flags.common.json, environment, records);
  return wrong > 0 ? wrong_results : done;
}

int run_gemm(std::string_view name, std::span<const std::string> arguments) {
  GemmFlags flags;
  CLI::App app("How fast matrix products are: FLOP/s and the share of the datasheet's peak.",
               "meshgauge-bench " + std::string(name));
  add_common_flags(app, flags.common);
  app.add_option("--shapes", flags.shapes, "MxNxK,...; GROUPS*MxNxK for a batch (default: squares and linear layers)");
  app.add_option("--model", flags.model.model, "the products of this model of the catalog, forward and backward");
  app.add_option("--tp", flags.model.tensor_parallel, "tensor parallel size (with --model)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--ep", flags.model.expert_parallel, "expert parallel size (with --model)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--micro-batch", flags.model.micro_batch, "sequences (with --model)")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seq", flags.model.sequence,
                 "tokens of a sequence (with --model; default: 4096, or what the model has)")
      ->check(CLI::Range(1, 100'000'000));
  app.add_option("--formats", flags.formats,
                 "bf16,fp16,tf32,fp8,fp32 (default: the first four on a GPU, fp32 on a CPU)");
  app.add_option("--budget", flags.budget_seconds, "seconds of samples for each shape at most (default 1)")
      ->check(CLI::Range(0.01, 3600.0));
  if (const std::optional<int> status = read_flags(app, arguments)) return *status;
  return with_ranks(flags.common, [&](Runtime& runtime) { return measure_products(runtime, flags); });
}

}  // namespace meshgauge::harness
