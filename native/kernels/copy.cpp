// The command copy: how fast memory is, and the way between host and GPU and between GPUs.
#include "native/kernels/copy.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/price/kernel.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/model.hpp"
#include "native/harness/results.hpp"
#include "native/kernels/commands.hpp"
#include "native/kernels/stream.hpp"

namespace meshgauge::harness {
namespace {

std::vector<Stream> streams_on(Runtime& runtime, std::size_t bytes) {
#ifdef MESHGAUGE_CUDA
  if (runtime.device->is_gpu()) return cuda_streams(*runtime.device, bytes);
#endif
  return cpu_streams(*runtime.device, bytes, runtime.cpu_threads);
}

/// Bytes/s of the datasheet; 0 if it says nothing.
double peak_of(const Gpu& gpu, Stream::Path path) {
  switch (path) {
    case Stream::Path::memory:
      return gpu.hbm.value;
    case Stream::Path::host:
      return gpu.pcie.value;
    case Stream::Path::host_both_ways:
      return 2 * gpu.pcie.value;
    case Stream::Path::peer:
      return gpu.nvlink.value > 0 ? gpu.nvlink.value : gpu.pcie.value;
  }
  return 0;
}

Record measure(Runtime& runtime, Stream& stream, std::size_t size, const std::optional<Gpu>& gpu, double budget) {
  const KernelTiming timing = time_of(runtime, *stream.kernel, budget);
  Record record;
  record.kind = "copy";
  record.what = {{"transfer", stream.name}, {"size", size}};
  if (stream.threads > 0) record.what["threads"] = stream.threads;
  record.bytes = stream.counted * static_cast<double>(size);
  record.time = timing.time;
  record.algbw = record.bytes / timing.time.median;
  record.more = {{"launches_per_sample", timing.launches}};
  if (!gpu || stream.threads > 0) return record;
  if (const double peak = peak_of(*gpu, stream.path); peak > 0) record.more["share_of_peak"] = *record.algbw / peak;
  if (stream.path == Stream::Path::memory) {
    record.predicted = kernel_time(*gpu, {.op = KernelOp::copy, .bytes = record.bytes}).seconds.value;
  }
  return record;
}

void print_head(const Runtime& runtime) {
  fmt::print("# copy: {} rank{} at once, each on {}; the slowest rank counts; bytes read and bytes written count\n",
             runtime.size, runtime.size == 1 ? "" : "s", runtime.device->name());
  fmt::print("# {:>16} {:>8} {:>12} {:>12} {:>12} {:>12} {:>10} {:>6} {:>12} {:>6}\n", "transfer", "threads",
             "buffer B", "median us", "p5 us", "p95 us", "GB/s", "% peak", "model us", "ratio");
}

void print_row(const Stream& stream, std::size_t size, const Record& r) {
  const auto share = r.more.find("share_of_peak");
  fmt::print("  {:>16} {:>8} {:>12} {:>12.2f} {:>12.2f} {:>12.2f} {:>10.2f} {:>6} {:>12} {:>6}\n", stream.name,
             stream.threads > 0 ? std::to_string(stream.threads) : "-", size, r.time.median * 1e6, r.time.p5 * 1e6,
             r.time.p95 * 1e6, *r.algbw / 1e9,
             share != r.more.end() ? fmt::format("{:.1f}", 100 * share->get<double>()) : "-",
             r.predicted ? fmt::format("{:.2f}", *r.predicted * 1e6) : "-",
             r.predicted ? fmt::format("{:.2f}", r.time.median / *r.predicted) : "-");
  std::fflush(stdout);
}

}  // namespace

int measure_copies(Runtime& runtime, const CopyFlags& flags) {
  if (runtime.leads()) check_writable(flags.common.json);
  constexpr std::uint64_t mib = 1U << 20U;
  std::vector<std::uint64_t> sizes = flags.sizes;
  if (sizes.empty()) {
    sizes = runtime.device->is_gpu() ? std::vector<std::uint64_t>{mib, 16 * mib, 256 * mib, 1024 * mib}
                                     : std::vector<std::uint64_t>{mib, 16 * mib, 128 * mib};
  }
  const std::optional<Model> model = model_of(runtime);
  const bool known = model && !model->cluster.gpu.is_cpu();
  const std::optional<Gpu> gpu = known ? std::optional(model->cluster.gpu) : std::nullopt;
  const Json environment = environment_of(runtime);
  std::vector<Record> records;
  if (runtime.leads()) print_head(runtime);
  for (const std::size_t size : sizes) {
    for (Stream& stream : streams_on(runtime, size)) {
      runtime.progress("copy, " + stream.name);
      records.push_back(measure(runtime, stream, size, gpu, flags.budget_seconds));
      if (runtime.leads()) print_row(stream, size, records.back());
    }
  }
  if (runtime.leads() && !flags.common.json.empty()) write_results(flags.common.json, environment, records);
  return done;
}

int run_copy(std::string_view name, std::span<const std::string> arguments) {
  CopyFlags flags;
  CLI::App app("How fast memory is, and the way between host and GPU and between GPUs.",
               "meshgauge-bench " + std::string(name));
  add_common_flags(app, flags.common);
  app.add_option("--sizes", flags.sizes, "of a buffer, bytes or K, M, G (default: 1M,16M,128M; GPU: 1M,16M,256M,1G)")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false) & CLI::Range(std::uint64_t{8}, std::uint64_t{1} << 40U));
  app.add_option("--budget", flags.budget_seconds, "seconds of samples for each row at most (default 1)")
      ->check(CLI::Range(0.01, 3600.0));
  if (const std::optional<int> status = read_flags(app, arguments)) return *status;
  return with_ranks(flags.common, [&](Runtime& runtime) { return measure_copies(runtime, flags); });
}

}  // namespace meshgauge::harness
