// transformers' Trainer: the dictionaries that speed_metrics (trainer_utils.py) fills, printed or as a table of
// "***** train metrics *****". They are averages over the whole training, evaluation and saving included.
#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

constexpr std::string_view steps_label = "train_steps_per_second";
constexpr std::string_view tokens_label = "train_tokens_per_second";

bool recognises(std::string_view line) {
  return line.find('_') != std::string_view::npos &&
         (contains(line, "'train_runtime'") || contains(line, steps_label) || contains(line, tokens_label));
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(hf_trainer.id, known, imported) {}

  void take(const Line& line) {
    if (line.text.find('_') == std::string_view::npos) return;
    if (contains(line.text, "'train_runtime'")) {
      if (line.text.back() == '}' || !log_.is_cut(line)) take_dictionary(line);
    } else if (!dictionary_ && contains(line.text, steps_label) && !log_.is_cut(line)) {
      take_steps(line, {});
    }
  }

  void finish() {
    if (!log_.run().measurements.empty()) {
      log_.note("Averages over the whole training: loading, evaluation and saving are in them.");
    }
    log_.finish();
  }

 private:
  void take_dictionary(const Line& line) {
    MeasuredStep step;
    const double tokens = value_of(line.text, tokens_label);
    if (contains(line.text, steps_label)) {
      // The last one. Documented as tokens per second of each device (include_tokens_per_second).
      step.tokens_per_second_per_gpu = tokens;
      dictionary_ = true;
      // TrainerMemoryTracker: what was held before, and how far the stages went beyond it.
      const double before = value_of(line.text, "'before_init_mem_gpu'"),
                   init = value_of(line.text, "'init_mem_gpu_alloc_delta'");
      const double grown = value_of(line.text, "'train_mem_gpu_alloc_delta'"),
                   peak = value_of(line.text, "'train_mem_gpu_peaked_delta'");
      step.allocated = {before + init + grown + peak};
      take_steps(line, step);
      return;
    }
    if (!contains(line.text, "'num_input_tokens_seen'") || !(tokens > 0)) return;
    step.tokens_per_second = tokens;  // tokens seen are gathered from all ranks
    log_.add(line.number, step);
  }

  void take_steps(const Line& line, MeasuredStep step) {
    constexpr double coarsest = 0.05;
    const auto rate = figure(line.text, steps_label);
    if (!rate || !(rate->value > 0) || rate->half / rate->value > coarsest) {
      if (step.tokens_per_second_per_gpu > 0 || step.allocated.value > 0) log_.add(line.number, step);
      return log_.unread(line, "Steps per second are printed with too few digits for a time.");
    }
    step.seconds = {1 / rate->value};
    log_.add(line.number, step);
  }

  StepLog log_;
  bool dictionary_ = false;
};

}  // namespace

const Importer hf_trainer{
    .id = "hf-trainer", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
