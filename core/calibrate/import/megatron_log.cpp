// Megatron-LM and Megatron-DeepSpeed: training_log of megatron/training/training.py, report_memory of
// megatron/training/utils, the dump of the arguments.
#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

constexpr std::string_view time_label = "elapsed time per iteration (ms):";
constexpr std::string_view memory_label = "memory (MB) |";  // of 2^20 bytes

bool recognises(std::string_view line) {
  return line.find('(') != std::string_view::npos && (contains(line, time_label) || contains(line, memory_label));
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(megatron_log.id, known, imported) {}

  void take(const Line& line) {
    const std::string_view text = line.text;
    if (text.find('(') != std::string_view::npos && contains(text, time_label)) {
      if (!log_.is_cut(line)) take_step(line);
    } else if (contains(text, memory_label)) {
      if (!log_.is_cut(line)) take_memory(line);
    } else if (contains(text, "world size: ") && contains(text, "using world size")) {
      ranks_ = count_after(text, "using world size: ").value_or(ranks_);
    } else if (contains(text, ".....")) {  // "  seq_length ...................... 4096"
      std::string_view rest = without_prefix(text);
      const std::string_view name = next_word(rest);
      (void)next_word(rest);
      const auto value = count_of(next_word(rest));
      if (value && name == "seq_length") sequence_ = *value;
      if (value && name == "world_size") ranks_ = *value;
    }
  }

  void finish() {
    log_.place().ranks = ranks_;
    for (Measurement& measurement : log_.run().measurements) add_tokens(std::get<MeasuredStep>(measurement.what));
    log_.finish();
  }

 private:
  void take_step(const Line& line) {
    const std::string_view text = line.text;
    const auto milliseconds = figure(text, time_label);
    if (!milliseconds || !(milliseconds->value > 0)) {
      return log_.unread(line, "The iteration has no time.");
    }
    MeasuredStep step;
    step.step = count_after(text, "iteration ").value_or(0);
    step.seconds = {milliseconds->value / 1e3};
    step.model_flops_per_gpu = {value_of(text, "throughput per GPU (TFLOP/s/GPU):") * tera};
    step.tokens_per_second_per_gpu = value_of(text, "tokens per gpu per second (tgs):");
    // The batch size is kept here until the length of a sequence is known.
    step.tokens_per_second = value_of(text, "global batch size:") / step.seconds.value;
    log_.add(line.number, step);
  }

  void take_memory(const Line& line) {
    MeasuredStep step;
    step.step = count_after(line.text, "(after ").value_or(0);
    step.allocated = value_of(line.text, "| max allocated:") * mebibyte;
    step.reserved = value_of(line.text, "| max reserved:") * mebibyte;
    step.device = value_of(line.text, "| total device memory used:") * mebibyte;
    if (step.allocated.value <= 0) return log_.unread(line, "The memory report holds no peak.");
    log_.add(line.number, step);
  }

  void add_tokens(MeasuredStep& step) const {
    step.tokens_per_second *= static_cast<double>(sequence_);
    if (step.tokens_per_second_per_gpu > 0) {
      if (ranks_ > 0) step.tokens_per_second = step.tokens_per_second_per_gpu * static_cast<double>(ranks_);
    } else if (ranks_ > 0) {
      step.tokens_per_second_per_gpu = step.tokens_per_second / static_cast<double>(ranks_);
    }
  }

  StepLog log_;
  std::int64_t ranks_ = 0, sequence_ = 0;
};

}  // namespace

const Importer megatron_log{
    .id = "megatron", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
