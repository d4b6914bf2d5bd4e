#include "native/suite/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "native/collectives/sweep.hpp"
#include "native/kernels/copy.hpp"
#include "native/kernels/gemm.hpp"
#ifdef MESHGAUGE_STEP
#include "native/step/attention_sweep.hpp"
#include "native/step/flags.hpp"
#endif

namespace meshgauge::harness {
namespace {

/// The groups that training has: all ranks, those of a node, one of each node, and parts of a node.
struct Group {
  std::string split;  ///< as --split takes it; empty: all
  std::string title;
  bool whole = true;  ///< of a node or of all nodes: all operations are measured
};

std::vector<Group> groups_of(const Runtime& r) {
  std::vector<Group> groups;
  if (r.size < 2) return groups;
  groups.push_back({"", fmt::format("all {} ranks", r.size)});
  const int in_node = r.ranks_per_node;  // 0: nodes are unequal, and so would be the groups
  if (r.nodes > 1 && in_node > 1) {
    groups.push_back({fmt::format("tp={}", in_node), fmt::format("groups of {} inside nodes", in_node)});
    groups.push_back({fmt::format("dp={}", r.nodes), fmt::format("groups of {} across nodes", r.nodes)});
  }
  for (int part = 2; part < in_node; part *= 2) {
    if (in_node % part != 0) continue;
    groups.push_back({fmt::format("tp={}", part), fmt::format("groups of {} inside nodes", part), false});
  }
  return groups;
}

struct Sizes {
  std::size_t least, most;
  int factor;
};

Sizes sizes_on(const Runtime& r, bool quick) {
  constexpr std::size_t kib = 1U << 10U, mib = 1U << 20U;
  // Parts of ranks are rounded down to 16 bytes: less would be nothing.
  const std::size_t least = std::max(kib, std::bit_ceil(static_cast<std::size_t>(r.size) * 16));
  if (quick) return {least, std::max(least, mib), 8};
  // Curves bend up to 256 MiB on NVLink and 128 MiB between nodes, up to 8 MiB over TCP.
  return r.device->is_gpu() ? Sizes{least, 512 * mib, 2} : Sizes{least, 64 * mib, 4};
}

/// A guess, which the suite corrects by what its first parts take: latency, bandwidth, and filling and checking data.
double seconds_of(const Runtime& r, const Sizes& sizes, int iterations) {
  const double latency = r.device->is_gpu() ? 50e-6 : 20e-6 * r.size;
  const double bandwidth = r.device->is_gpu() ? (r.nodes > 1 ? 10e9 : 50e9) : 1e9;
  constexpr double host_bandwidth = 0.3e9;  // of a pattern written, copied and compared
  double seconds = 0.2;
  for (std::size_t size = sizes.least; size <= sizes.most; size *= static_cast<std::size_t>(sizes.factor)) {
    const auto bytes = static_cast<double>(size);
    seconds += 2 * ((iterations + 3) * (latency + bytes / bandwidth) + 2e-3 + bytes / host_bandwidth);
  }
  return seconds;
}

void add_collectives(std::vector<Part>& parts, const Runtime& r, const SuiteScope& scope) {
  using enum Operation;
  const Sizes sizes = sizes_on(r, scope.quick);
  const int iterations = scope.quick ? 5 : 20;
  for (const Group& group : groups_of(r)) {
    for (const Operation op : {all_reduce, all_gather, reduce_scatter, alltoall, broadcast, sendrecv}) {
      if (!group.whole && (op == broadcast || op == sendrecv)) continue;
      Part part;
      part.id = fmt::format("{}-{}", name_of(op), group.split.empty() ? "all" : group.split);
      std::erase(part.id, '=');
      part.title = fmt::format("{}, {}", name_of(op), group.title);
      part.kind = "collective";
      part.seconds = seconds_of(r, sizes, iterations);
      part.run = [=, split = group.split](Runtime& runtime, const std::string& json) {
        CollectiveFlags flags;
        flags.common.json = json;
        flags.least = sizes.least;
        flags.most = sizes.most;
        flags.factor = sizes.factor;
        flags.iterations = iterations;
        flags.average = Average::most;  // a step waits for the slowest rank
        flags.split = split;
        return Sweep(runtime, op, flags).run();
      };
      parts.push_back(std::move(part));
    }
  }
}

/// Measures with these flags, into the file that it is given.
template <class Flags>
std::function<int(Runtime&, const std::string&)> run_of(const Flags& flags, int (*measure)(Runtime&, const Flags&)) {
  return [=](Runtime& runtime, const std::string& json) {
    Flags own = flags;
    own.common.json = json;
    return measure(runtime, own);
  };
}

void add_products(std::vector<Part>& parts, const Runtime& r, const SuiteScope& scope) {
  if (!can_multiply(*r.device)) return;
  const bool gpu = r.device->is_gpu();
  const double budget = scope.quick ? 0.1 : 0.5;
  const std::string few = gpu ? "1024x1024x1024,4096x4096x4096" : "128x128x128,512x512x512";
  const auto add = [&](const std::string& format, const std::string& shapes, const ModelFlags& model) {
    Part part;
    part.id = fmt::format("gemm-{}{}", format, model.model.empty() ? "" : "-model");
    part.title = fmt::format("products in {}{}", format, model.model.empty() ? "" : " of " + model.model);
    part.kind = "gemm";
    part.seconds = (budget + 0.2) * (scope.quick && model.model.empty() ? 2 : 16);
    GemmFlags flags;
    flags.formats = format;
    flags.shapes = shapes;
    flags.model = model;
    flags.budget_seconds = budget;
    part.run = run_of(flags, measure_products);
    parts.push_back(std::move(part));
  };
  const ModelFlags model{.model = scope.model,
                         .tensor_parallel = scope.tensor_parallel,
                         .micro_batch = scope.micro_batch,
                         .sequence = scope.sequence};
  if (!scope.model.empty()) (void)products_of(model);  // says now what is wrong with it
  for (const char* format : gpu ? std::vector{"bf16", "tf32", "fp8"} : std::vector{"fp32"}) {
    add(format, scope.quick ? few : "", {});
    if (!scope.model.empty()) add(format, "", model);
  }
}

void add_copies(std::vector<Part>& parts, const SuiteScope& scope) {
  const double budget = scope.quick ? 0.1 : 0.5;
  Part part;
  part.id = "copy";
  part.title = "copies";
  part.kind = "copy";
  part.seconds = (budget + 0.3) * (scope.quick ? 4 : 16);
  CopyFlags flags;
  if (scope.quick) flags.sizes = {std::uint64_t{16} << 20U};
  flags.budget_seconds = budget;
  part.run = run_of(flags, measure_copies);
  parts.push_back(std::move(part));
}

#ifdef MESHGAUGE_STEP
void add_attention(std::vector<Part>& parts, const SuiteScope& scope) {
  const double budget = scope.quick ? 0.1 : 0.5;
  Part part;
  part.id = "attention";
  part.title = "attention";
  part.kind = "attention";
  part.seconds = (budget + 0.2) * (scope.quick ? 2 : 12);
  step::AttentionFlags flags;
  if (scope.quick) flags.shapes = "1x128x4x32";
  flags.budget_seconds = budget;
  part.run = run_of(flags, step::measure_attention);
  parts.push_back(std::move(part));
}

struct StepSize {
  std::int64_t layers = 0, hidden = 0, vocab = 0, sequence = 0, micro_batch = 1;  ///< 0: the model's own
};

void add_step(std::vector<Part>& parts, const char* strategy, const StepSize& size, const std::string& name,
              double budget_seconds) {
  step::StepFlags flags;
  flags.strategy = strategy;
  flags.layers = size.layers;
  flags.hidden = size.hidden;
  flags.vocab = size.vocab;
  flags.sequence = size.sequence;
  flags.micro_batch = size.micro_batch;
  flags.budget_seconds = budget_seconds;
  Part part;
  part.id = fmt::format("step-{}{}", strategy, name);
  part.title = fmt::format("a step of {}{}", strategy, name.empty() ? "" : "," + name);
  std::replace(part.title.begin(), part.title.end(), '-', ' ');
  part.kind = "step";
  part.seconds = 4 * budget_seconds + 2;
  part.run = run_of(flags, step::measure_step);
  parts.push_back(std::move(part));
}

/// One short step of each strategy: what overlap costs, and whether the rest adds up. Between CPUs nothing is known of
/// attention, passes, loss and optimizer either: a step that is long in each of them.
void add_steps(std::vector<Part>& parts, const Runtime& r, const SuiteScope& scope) {
  const bool small = !r.device->is_gpu() || scope.quick;
  const StepSize usual = small ? StepSize{2, 128, 1024, 64} : StepSize{};
  const double budget = scope.quick ? 0.1 : 3;
  for (const char* strategy : {"ddp", "zero1", "zero2", "zero3"}) {
    add_step(parts, strategy, usual, "", budget);
    if (r.size == 1) break;  // all are alike on one rank
  }
  if (!small || scope.quick) return;
  add_step(parts, "ddp", {1, 256, 1024, 1024}, "-long-sequence", budget);
  add_step(parts, "ddp", {1, 128, 16384, 128, 2}, "-large-vocabulary", budget);
  add_step(parts, "ddp", {4, 256, 2048, 128}, "-four-layers", budget);
  add_step(parts, "ddp", {2, 512, 4096, 128}, "-wide", budget);
  add_step(parts, "zero3", {2, 512, 4096, 256, 2}, "-more-tokens", budget);
  add_step(parts, "ddp", {8, 256, 1024, 64}, "-few-tokens", budget);
}
#endif

}  // namespace

std::vector<Part> plan_of(const Runtime& runtime, const SuiteScope& scope) {
  std::vector<Part> parts;
  add_collectives(parts, runtime, scope);
  add_products(parts, runtime, scope);
  add_copies(parts, scope);
#ifdef MESHGAUGE_STEP
  if (can_multiply(*runtime.device)) add_attention(parts, scope);
  add_steps(parts, runtime, scope);
#endif
  return parts;
}

}  // namespace meshgauge::harness
