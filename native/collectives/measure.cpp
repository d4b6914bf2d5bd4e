#include "native/collectives/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "native/harness/clock.hpp"

namespace meshgauge::harness {
namespace {

/// Bytes from which saying that a rank goes on, some 100 ns, is nothing beside the call.
constexpr std::size_t long_call = 1U << 20U;

/// One iteration: the calls of one group, and what -z asks for.
void iterate(Call& call, const CollectiveFlags& f, bool in_place, std::size_t iteration) {
  const auto m = static_cast<std::size_t>(f.aggregated);
  if (m > 1) call.group().group_begin();
  for (std::size_t i = 0; i < m; ++i) {
    call.run(in_place, iteration * m + i);
    if (f.blocking == Blocking::none || f.blocking == Blocking::outer || m > 1) continue;
    call.wait();
    if (f.blocking == Blocking::barrier) call.group().barrier();
  }
  if (m > 1) call.group().group_end();
  if (m == 1 || f.blocking == Blocking::none || f.blocking == Blocking::outer) return;
  call.wait();
  if (f.blocking == Blocking::barrier) call.group().barrier();
}

struct Times {
  double whole = 0, launched = 0;  ///< of one operation
  std::vector<double> each;
};

Times time_iterations(Runtime& runtime, Call& call, const CollectiveFlags& f, bool in_place) {
  const auto operations = static_cast<double>(f.iterations) * f.aggregated;
  const auto n = static_cast<std::size_t>(f.iterations);
  Times times;
  Communicator& group = call.group();
  if (f.graph_launches > 0) {
    group.begin_capture();
    for (std::size_t i = 0; i < n; ++i) iterate(call, f, in_place, i);
    group.end_capture();
    group.barrier();
    const double start = now_seconds();
    for (int i = 0; i < f.graph_launches; ++i) group.launch();
    times.launched = (now_seconds() - start) / operations;
    group.wait();
    times.whole = (now_seconds() - start) / operations / f.graph_launches;
    return times;
  }
  const bool apart = f.each_iteration || f.blocking == Blocking::outer;
  times.each.reserve(n);
  const double start = now_seconds();
  for (std::size_t i = 0; i < n; ++i) {
    const double begin = apart ? now_seconds() : 0;
    iterate(call, f, in_place, i);
    if (call.bytes() >= long_call) runtime.progress("iterations");
    if (!apart) continue;
    call.wait();
    times.each.push_back((now_seconds() - begin) / f.aggregated);
    if (f.blocking == Blocking::outer) group.barrier();
  }
  times.launched = (now_seconds() - start) / operations;
  call.wait();
  times.whole = (now_seconds() - start) / operations;
  if (f.blocking == Blocking::outer) {  // without the barriers
    times.whole = 0;
    for (const double seconds : times.each) times.whole += seconds / static_cast<double>(n);
    times.launched = times.whole;
  }
  return times;
}

}  // namespace

double combined(Runtime& runtime, std::optional<double> mine, Average average) {
  const double own = mine.value_or(std::numeric_limits<double>::quiet_NaN());
  if (runtime.size == 1) return own;
  std::vector<double> values;
  for (const std::string& text : runtime.gather({reinterpret_cast<const char*>(&own), sizeof own})) {
    double value = 0;
    std::memcpy(&value, text.data(), sizeof value);
    if (!std::isnan(value)) values.push_back(value);
  }
  if (average == Average::rank0) return values.front();
  if (average == Average::least) return *std::min_element(values.begin(), values.end());
  if (average == Average::most) return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Measured measure(Runtime& runtime, Call* call, const CollectiveFlags& f, bool in_place) {
  if (call != nullptr) {
    call->run(in_place, 0);
    call->wait();
  }
  if (f.samples == Samples::until_certain) {
    std::size_t iteration = 0;
    const auto once = [&] {
      if (call == nullptr) return;
      call->run(in_place, iteration++);
      call->wait();
    };
    Measured measured;
    measured.each = sample(runtime, {.warm_up = f.warm_up}, once);
    measured.summary = summary_of(measured.each);
    measured.seconds = measured.summary.median;
    return measured;
  }
  runtime.world->barrier();
  std::optional<Times> times;
  if (call != nullptr) times = time_iterations(runtime, *call, f, in_place);
  Measured measured;
  const auto mine = [&](double Times::*which) { return times ? std::optional((*times).*which) : std::nullopt; };
  measured.seconds = combined(runtime, mine(f.cpu_time ? &Times::launched : &Times::whole), f.average);
  if (f.each_iteration) {
    const std::vector<double> own =
        times ? times->each : std::vector<double>(static_cast<std::size_t>(f.iterations), 0);
    measured.each = runtime.largest(own);
    measured.summary = summary_of({measured.each.begin() + f.skipped, measured.each.end()});
  } else {
    measured.summary = {1, measured.seconds, measured.seconds, measured.seconds};
  }
  runtime.world->barrier();
  return measured;
}

}  // namespace meshgauge::harness
