#include "native/collectives/table.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace meshgauge::harness {
namespace {

std::string program_of(Operation op) { return std::string(name_of(op)) + "_perf"; }

/// The names of a half's columns, or the units below them.
std::string half_columns(const CollectiveFlags& f, bool names) {
  const auto row = [](const char* a, const char* b, const char* c, const char* d) {
    return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", a, b, c, d);
  };
  std::string text =
      names ? row(f.cpu_time ? "cputime" : "time", "algbw", "busbw", "#wrong") : row("(us)", "(GB/s)", "(GB/s)", "");
  if (f.each_iteration) {
    const auto four = [](const char* a, const char* b, const char* c, const char* d) {
      return fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", a, b, c, d);
    };
    text += names ? four("i_min", "i_max", "i_p99", "i_cv%") : four("(us)", "(us)", "(us)", "(%)");
  }
  return text;
}

/// Least, most, 99th percentile (nearest rank) and standard deviation over mean of the iterations that count.
std::string iteration_columns(const Measured& measured, int skipped) {
  std::vector<double> times(measured.each.begin() + skipped, measured.each.end());
  std::sort(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  double sum = 0, squares = 0;
  for (const double t : times) sum += t;
  for (const double t : times) squares += (t - sum / n) * (t - sum / n);
  const auto nearest = static_cast<std::size_t>(std::ceil(0.99 * n)) - 1;
  const double deviation = sum > 0 ? std::sqrt(squares / n) / (sum / n) : 0;
  return fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", fitted(times.front() * 1e6, 7), fitted(times.back() * 1e6, 7),
                     fitted(times[nearest] * 1e6, 7), fitted(deviation * 100, 7));
}

}  // namespace

std::string fitted(double value, int width) {
  const auto wide = static_cast<std::size_t>(width);
  for (int decimals = 2; decimals >= 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= wide) return text;
  }
  return fmt::format("{:.{}e}", value, width >= 7 ? 1 : 0);
}

std::string line_of(const RankLine& rank) {
  return fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}\n", rank.rank, rank.group,
                     rank.pid, rank.host, rank.device, rank.address, rank.name);
}

std::string head(Operation op, const CollectiveFlags& f, const std::string& version) {
  std::string text = fmt::format("# {}\n# Collective test starting: {}\n", version, program_of(op));
  const bool factor = f.factor > 1;
  text += fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg iters: {} validation: "
      "{} graph: {} unalign: {}\n",
      f.threads, f.gpus, f.least, f.most, factor ? static_cast<std::size_t>(f.factor) : f.step,
      factor ? "factor" : "bytes", f.warm_up, f.iterations, f.aggregated, f.checks, f.graph_launches, f.unaligned);
  if (f.blocking == Blocking::barrier) text += "# Blocking Enabled: wait and barrier after each inner iteration (-m)\n";
  if (f.blocking == Blocking::wait) text += "# Blocking Enabled: wait after each inner iteration (-m), no barrier\n";
  if (f.blocking == Blocking::outer) {
    text += "# Blocking Enabled: wait and barrier after each outer iteration (-n); barrier time not included\n";
  }
  if (f.samples == Samples::until_certain) {
    text += "# Samples: one by one from a barrier, largest over ranks; the time is their median\n";
  }
  for (const std::string& note : f.notes) text += "# " + note + '\n';
  return text + "#\n";
}

std::string columns(const CollectiveFlags& f) {
  const std::string left(51, ' ');
  const int half = static_cast<int>(half_columns(f, true).size());
  std::string text = "#\n#" + left + fmt::format("{:^{}}{:^{}}\n", "out-of-place", half, "in-place", half);
  const auto line = [&](const char* a, const char* b, const char* c, const char* d, const char* e, bool names) {
    const std::string values = half_columns(f, names);
    return fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{}", a, b, c, d, e, values, values);
  };
  text += line("size", "count", "type", "redop", "root", true) + (f.timestamps ? "            timestamp" : "") + '\n';
  return text + line("(B)", "(elements)", "", "", "", false) + (f.timestamps ? "  YYYY-MM-DD HH:MM:SS" : "") + '\n';
}

std::string row_start(Operation op, const Request& request) {
  const std::string_view reduction = reduces(op)                 ? name_of(request.reduce_op)
                                     : op == Operation::sendrecv ? "sum"
                                                                 : "none";
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}", request.layout.bytes(), request.layout.count,
                     name_of(request.layout.type), reduction, has_root(op) ? request.root : -1);
}

std::string row_half(const Measured& measured, const CollectiveFlags& f, double algbw, double busbw,
                     std::optional<std::int64_t> wrong) {
  std::string text =
      fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", fitted(measured.seconds * 1e6, 7), fitted(algbw / 1e9, 6),
                  fitted(busbw / 1e9, 6), wrong ? fmt::format("{:g}", static_cast<double>(*wrong)) : "N/A");
  if (f.each_iteration) text += iteration_columns(measured, f.skipped);
  return text;
}

std::string below_row(const std::vector<Measured>& halves, std::optional<double> predicted) {
  std::string text, ratios, samples;
  for (const Measured& half : halves) {
    if (predicted) ratios += fmt::format("{}x{:.2f}", ratios.empty() ? "" : ", ", half.seconds / *predicted);
    if (half.summary.samples < 2) continue;
    samples += fmt::format("{}{} samples p5 {} p95 {} us", samples.empty() ? "" : ", ", half.summary.samples,
                           fitted(half.summary.p5 * 1e6, 7), fitted(half.summary.p95 * 1e6, 7));
  }
  if (predicted) text = fmt::format("predicted {} us (measured: {})", fitted(*predicted * 1e6, 7), ratios);
  if (!samples.empty()) text += (text.empty() ? "" : "; ") + samples;
  return text.empty() ? text : "#   " + text + '\n';
}

bool too_slow(double mean_bandwidth, std::optional<double> least_bandwidth) {
  return least_bandwidth && mean_bandwidth / 1e9 < 0.9 * *least_bandwidth;
}

std::string foot(Operation op, std::int64_t wrong, double mean_bandwidth, std::optional<double> least_bandwidth) {
  const char* verdict = !least_bandwidth ? "" : too_slow(mean_bandwidth, least_bandwidth) ? "FAILED" : "OK";
  return fmt::format("# {:<20} : {} {}\n# {:<20} : {:g} {}\n#\n# Collective test concluded: {}\n",
                     "Out of bounds values", wrong, wrong > 0 ? "FAILED" : "OK", "Avg bus bandwidth",
                     mean_bandwidth / 1e9, verdict, program_of(op));
}

std::string time_of_day() { return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr))); }

}  // namespace meshgauge::harness
