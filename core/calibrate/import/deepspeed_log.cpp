// DeepSpeed: throughput and wall clock lines of deepspeed/utils/timer.py, the pipeline's of runtime/pipe/engine.py,
// see_memory_usage of runtime/utils.py, the dump of runtime/config.py.
#include <utility>
#include <vector>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

constexpr std::string_view speed_label = "CurrSamplesPerSec=";
constexpr std::string_view pipe_label = "iter time (s): ";
constexpr std::string_view breakdown_label = "time (ms) | ";

bool is_memory(std::string_view line) { return contains(line, "Max_MA ") && contains(line, " Max_CA "); }
bool is_breakdown(std::string_view line) {
  return contains(line, breakdown_label) && (contains(line, "| fwd: ") || contains(line, "| forward: "));
}
bool is_pipe(std::string_view line) { return contains(line, pipe_label) && contains(line, "samples/sec: "); }

bool recognises(std::string_view line) {
  if (line.find('_') != std::string_view::npos && is_memory(line)) return true;
  if (line.find('|') != std::string_view::npos && is_breakdown(line)) return true;
  return line.find('S') != std::string_view::npos && contains(line, speed_label);
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(deepspeed_log.id, known, imported) {}

  void take(const Line& line) {
    const std::string_view text = line.text;
    if (recognises(text) && log_.is_cut(line)) return;
    if (contains(text, speed_label)) {
      take_speed(line);
    } else if (is_memory(text)) {
      take_memory(line);
    } else if (is_breakdown(text)) {
      take_breakdown(line);
    } else if (is_pipe(text)) {
      MeasuredStep step;
      step.step = count_after(text, "steps: ").value_or(0);
      step.seconds = {value_of(text, pipe_label)};
      if (step.seconds.value > 0) log_.add(line.number, step);
    } else if (contains(text, "....")) {  // "[INFO] [config.py:1003:print]   train_batch_size ............. 32"
      if (contains(text, "  train_batch_size .")) batch_ = dotted(text, "train_batch_size ");
      if (contains(text, "  world_size .")) log_.place().ranks = dotted(text, "world_size ");
    } else if (contains(text, "] step=")) {
      last_step_ = count_after(text, "] step=").value_or(last_step_);
    }
  }

  void finish() {
    // Forward, backward and step leave out what lies between them, so they stand in only where nothing better is said.
    bool timed = false;
    for (const Measurement& one : log_.run().measurements)
      timed = timed || std::get<MeasuredStep>(one.what).seconds.value > 0;
    if (!timed && !breakdowns_.empty()) {
      log_.note("Step times are forward + backward + step of the wall clock breakdown.");
      for (const auto& [line, step] : breakdowns_) log_.add(line, step);
    }
    if (unknown_batch_) {
      log_.note("Samples per second become step times where the log prints the configuration (train_batch_size).");
    }
    log_.finish();
  }

 private:
  static std::int64_t dotted(std::string_view text, std::string_view name) {
    std::string_view rest = after(text, name);
    (void)next_word(rest);
    return count_of(next_word(rest)).value_or(0);
  }

  void take_speed(const Line& line) {
    const auto samples = figure(line.text, speed_label);
    const auto most = figure(line.text, "MaxMemAllocated=");
    if (!samples || !(samples->value > 0)) return log_.unread(line, "Samples per second are no number above 0.");
    MeasuredStep step;
    const auto count = count_after(line.text, "global_step=");  // before 0.7 the figure is of a micro-batch
    step.step = count.value_or(0);
    if (count && batch_ > 0) step.seconds = {static_cast<double>(batch_) / samples->value};
    if (step.seconds.value == 0) unknown_batch_ = true;
    if (most) step.allocated = most->value * gibibyte;
    if (step.seconds.value > 0 || step.allocated.value > 0) log_.add(line.number, step);
  }

  void take_memory(const Line& line) {
    MeasuredStep step;
    step.allocated = value_of(line.text, "Max_MA ") * gibibyte;
    step.reserved = value_of(line.text, "Max_CA ") * gibibyte;
    step.device = value_of(line.text, " NV ") * gibibyte;
    if (step.allocated.value > 0) log_.add(line.number, step);
  }

  void take_breakdown(const Line& line) {
    const bool old = contains(line.text, "| forward: ");
    const double forward = value_of(line.text, old ? "| forward: " : "| fwd: ");
    const double backward = value_of(line.text, old ? "| backward: " : "| bwd: ");
    const auto step_time = figure(line.text, "| step: ");
    if (!step_time) return log_.unread(line, "The breakdown ends before its step.");
    MeasuredStep step;
    step.step = last_step_;
    step.seconds = {(forward + backward + step_time->value) / 1e3};
    if (step.seconds.value > 0 && breakdowns_.size() < most_measurements) breakdowns_.emplace_back(line.number, step);
  }

  StepLog log_;
  std::vector<std::pair<std::int64_t, MeasuredStep>> breakdowns_;
  std::int64_t batch_ = 0, last_step_ = 0;
  bool unknown_batch_ = false;
};

}  // namespace

const Importer deepspeed_log{
    .id = "deepspeed", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
