#include "core/calibrate/advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

std::string command_for(std::string_view operation, std::int64_t ranks, bool cpu, std::string_view split = {}) {
  std::string text = "mpirun -np " + std::to_string(ranks) + " meshgauge-bench " + std::string(operation);
  text += cpu ? " -b 1K -e 64M -f 2" : " -b 1K -e 1G -f 2";
  if (!split.empty()) text += " --split " + std::string(split);
  return text + " --json " + std::string(operation) + ".json";
}

/// As the benchmark calls it.
std::string_view bench_name(Collective op) {
  switch (op) {
    case Collective::all_to_all:
      return "alltoall";
    case Collective::send_recv:
      return "sendrecv";
    default:
      return name_of(op);
  }
}

std::string group_text(const Series& s) {
  std::string text = std::string(name_of(s.collective)) + " over " + number_text(s.route.size) + " ranks";
  if (s.route.spans_nodes()) text += ", " + number_text(s.route.in_node()) + " a node";
  return text;
}

std::string sizes(const CurveReport& r) {
  return " (" + number_text(static_cast<std::int64_t>(r.series.samples.size())) + " sizes)";
}

class Writer {
 public:
  Writer(const Cluster& cluster, const CollectiveFit& fit, std::vector<Advice>& list)
      : cpu_(cluster.gpu.is_cpu()), fit_(fit), list_(list) {
    for (const CurveReport& r : fit.curves) ranks_ = std::max(ranks_, r.series.route.size);
    if (ranks_ == 0) ranks_ = std::max<std::int64_t>(2, cluster.gpus_per_node);
  }

  /// One line for each cause, with the groups that have it and the command for the first of them.
  void unusable() {
    const double wanted = (cpu_ ? 4 : 64) * mebibyte.value;
    for_groups(
        [](const CurveReport& r) { return r.verdict == CurveVerdict::slow; },
        [](const CurveReport& r) { return " (" + number_text(std::floor(100 * r.share_of_default + 0.5)) + " %)"; },
        ": far below what the links allow, so not fitted. Such a machine falls back to TCP, uses the wrong NICs, "
        "misses GPUDirect or has PCIe access control on. Where this is as it should be, ask for slow curves to "
        "be fitted.",
        "NCCL_DEBUG=INFO ");
    for_groups([](const CurveReport& r) { return r.verdict == CurveVerdict::too_few_sizes; }, sizes,
               ": at least 4 sizes are needed. The defaults stay.");
    for_groups([](const CurveReport& r) { return r.verdict == CurveVerdict::no_better; },
               [](const CurveReport&) { return std::string(); },
               ": the default is nearer to what was measured than a rising curve. It stays.");
    for_groups([](const CurveReport& r) { return r.verdict == CurveVerdict::fitted && r.series.samples.size() < 8; },
               sizes, ": fewer than 8 sizes leave protocol switches unseen.");
    for_groups(
        [=](const CurveReport& r) {
          return r.verdict == CurveVerdict::fitted && r.series.samples.back().bytes < wanted;
        },
        [](const CurveReport& r) {
          return " (up to " + number_text(r.series.samples.back().bytes / mebibyte.value) + " MiB)";
        },
        ": bandwidth of larger messages is a guess.");
  }

  void missing(Collective op, const char* why) {
    const bool seen = std::any_of(fit_.curves.begin(), fit_.curves.end(),
                                  [&](const CurveReport& r) { return r.series.collective == op; });
    if (!seen) add("No " + std::string(name_of(op)) + ": " + why, command_for(bench_name(op), ranks_, cpu_));
  }

  void small_groups() {
    const bool seen = std::any_of(fit_.curves.begin(), fit_.curves.end(),
                                  [&](const CurveReport& r) { return r.series.route.size < ranks_; });
    if (seen || ranks_ < 4 || fit_.curves.empty()) return;
    add("No group smaller than all ranks: tensor parallelism has those.",
        command_for("all_reduce", ranks_, cpu_, "tp=2"));
  }

  void add(std::string message, std::string command) { list_.push_back({std::move(message), std::move(command)}); }
  [[nodiscard]] bool cpu() const { return cpu_; }
  [[nodiscard]] std::int64_t ranks() const { return ranks_; }

 private:
  template <class Has, class Detail>
  void for_groups(Has has, Detail detail, const char* why, const char* environment = "") {
    constexpr std::size_t most_named = 4;
    std::string groups;
    std::size_t count = 0;
    const Series* first = nullptr;
    for (const CurveReport& r : fit_.curves) {
      if (!has(r)) continue;
      if (first == nullptr) first = &r.series;
      if (count < most_named) groups += (count > 0 ? "; " : "") + group_text(r.series) + detail(r);
      ++count;
    }
    if (first == nullptr) return;
    if (count > most_named) groups += "; and " + number_text(static_cast<std::int64_t>(count - most_named)) + " more";
    add(groups + why, environment + command_for(bench_name(first->collective), first->route.size, cpu_));
  }

  bool cpu_;
  const CollectiveFit& fit_;
  std::vector<Advice>& list_;
  std::int64_t ranks_ = 0;
};

}  // namespace

std::vector<Advice> advice_on(const Cluster& cluster, const CollectiveFit& collectives, const KernelFit& kernels,
                              const StepFit& steps) {
  std::vector<Advice> list;
  Writer writer(cluster, collectives, list);
  writer.unusable();
  writer.missing(Collective::all_reduce, "DDP and tensor parallelism wait for it.");
  writer.missing(Collective::all_gather, "ZeRO, FSDP and sequence parallelism wait for it.");
  writer.missing(Collective::reduce_scatter, "ZeRO, FSDP and sequence parallelism wait for it.");
  writer.missing(Collective::all_to_all, "nothing else says what it takes: experts wait for it.");
  writer.small_groups();
  if (kernels.products.empty()) {
    writer.add("No matrix products.", "meshgauge-bench gemm --json gemm.json");
  }
  if (writer.cpu() && !steps.fitted) {
    writer.add("Fewer than four training steps: how fast attention, passes and the optimizer are is a guess.",
               "mpirun -np " + std::to_string(writer.ranks()) + " meshgauge-bench suite --json suite.json");
  }
  return list;
}

}  // namespace meshgauge
