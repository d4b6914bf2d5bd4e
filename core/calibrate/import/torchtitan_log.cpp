// torchtitan: the line of torchtitan/components/metrics.py (of 2024: train.py, "wps" for "tps").
#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

bool recognises(std::string_view line) {
  return line.find('%') != std::string_view::npos && contains(line, "GiB(") && contains(line, "step: ") &&
         (contains(line, "tps: ") || contains(line, "wps: ")) && !contains(line, "validate step: ");
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(torchtitan_log.id, known, imported) {}

  void take(const Line& line) {
    const std::string_view text = line.text;
    if (recognises(text)) {
      take_step(line);
    } else if (contains(text, "device mesh with ")) {  // "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 8]"
      take_mesh(text);
    } else if (contains(text, "capacity: ") && contains(text, "GiB memory")) {
      const std::string_view name = after(text, "capacity: ");
      log_.place().gpu = std::string(name.substr(0, name.find(" with ")));
    } else if (contains(text, "Training starts at step ")) {  // "... global batch size 64, sequence length 8192, ..."
      batch_ = count_after(text, "global batch size ").value_or(batch_);
      sequence_ = count_after(text, "sequence length ").value_or(sequence_);
    }
  }

  void finish() {
    const Place& place = log_.place();
    const double tokens = static_cast<double>(batch_) * static_cast<double>(sequence_);
    for (Measurement& measurement : log_.run().measurements) {
      auto& step = std::get<MeasuredStep>(measurement.what);
      step.tokens_per_second = step.tokens_per_second_per_gpu * static_cast<double>(place.ranks);
      if (tokens > 0 && step.tokens_per_second > 0) step.seconds = {tokens / step.tokens_per_second};
    }
    if (!log_.run().measurements.empty() && (tokens == 0 || place.ranks == 0)) {
      log_.note("Step times follow once the log says batch, sequence and mesh: it prints tokens per second alone.");
    }
    log_.finish();
  }

 private:
  void take_mesh(std::string_view text) {
    const std::size_t open = text.rfind('[');
    std::string_view rest = open == std::string_view::npos ? std::string_view{} : text.substr(open + 1);
    std::int64_t ranks = 1;
    while (const auto size = take_count(rest)) {
      if (*size <= 0 || *size > (std::int64_t{1} << 24) / ranks) return;
      ranks *= *size;
      while (!rest.empty() && (rest.front() == ',' || is_blank(rest.front()))) rest.remove_prefix(1);
    }
    if (!rest.empty() && rest.front() == ']') log_.place().ranks = ranks;
  }

  void take_step(const Line& line) {
    const std::string_view text = line.text;
    if (!(contains(text, "mfu: ") && text.back() == '%') && log_.is_cut(line)) return;  // it ends with the sign
    MeasuredStep step;
    step.step = count_after(text, "step: ").value_or(0);
    const auto speed = figure(text, contains(text, "tps: ") ? "tps: " : "wps: ");
    if (!speed || !(speed->value > 0)) {
      return log_.unread(line, "Tokens per second are no number above 0.");
    }
    step.tokens_per_second_per_gpu = speed->value;
    step.reserved = value_of(text, "memory: ") * gibibyte;
    step.model_flops_per_gpu = {value_of(text, "tflops: ") * tera};
    step.mfu = value_of(text, "mfu: ") / 100;
    log_.add(line.number, step);
  }

  StepLog log_;
  std::int64_t batch_ = 0, sequence_ = 0;
};

}  // namespace

const Importer torchtitan_log{
    .id = "torchtitan", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
