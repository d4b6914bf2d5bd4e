// Step lines of PyTorch scripts that print their figures with units: nanoGPT ("iter 10: loss 3.1, time 152.31ms, mfu
// 38.52%"), llm.c ("step 1/100 | ... | 152.31 ms | 48.2% bf16 MFU | 424242 tok/s"), litgpt ("iter time: 152.31 ms"),
// torchtune ("Step 1 | ... tokens_per_second_per_gpu:4242.0 peak_memory_alloc:10.2").
#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

/// A step's number leads the line, after what collectors put in front.
bool leads_with_step(std::string_view line) {
  constexpr std::size_t longest = 1000;
  if (line.size() > longest) return false;
  const std::string_view text = without_prefix(line);
  if (text.empty()) return false;
  const char c = text.front();
  return ((c == 's' || c == 'S') && starts_with(text.substr(1), "tep")) ||
         ((c == 'i' || c == 'I') && starts_with(text.substr(1), "ter")) ||
         (c == 'E' && starts_with(text, "Epoch ") && contains(text, "| iter "));
}

std::string_view bare(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == ')' || word.back() == ':')) {
    word.remove_suffix(1);
  }
  while (!word.empty() && word.front() == '(') word.remove_prefix(1);
  return word;
}

/// Units of a second; 0: none.
double parts_of_second(std::string_view unit) {
  if (unit == "ms" || unit == "msec") return 1e3;
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1;
  return 0;
}

bool is_tokens_unit(std::string_view unit) {
  return unit == "tok/s" || unit == "tokens/s" || unit == "tok/sec" || unit == "tokens/sec" || unit == "toks/s";
}

/// Reads a line word by word: a number is what its unit says, glued to it or behind it.
bool read_step(std::string_view line, MeasuredStep& step, bool& several_times) {
  std::string_view rest = without_prefix(line);
  std::string_view label;
  std::string_view number_word;
  std::optional<Decimal> number;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    std::string_view unit = bare(word);
    const std::optional<Decimal> glued = take_decimal(unit);
    if (glued) {
      number = glued->value >= 0 ? glued : std::nullopt;
      number_word = word;
    }
    if (number && (!glued || !unit.empty())) {
      if (const double parts = parts_of_second(unit); parts > 0 && number->value > 0) {
        const bool named = label == "time" || label == "dt" || label == "step_time";
        if (step.seconds.value > 0 && !named) several_times = true;
        if (step.seconds.value == 0 || named) step.seconds = {number->value / parts};
      } else if (is_tokens_unit(unit)) {
        step.tokens_per_second = number->value;
      } else if (unit == "%" && label == "mfu") {
        step.mfu = number->value / 100;
      } else if (unit == "%") {
        std::string_view ahead = rest;
        const std::string_view next = next_word(ahead), beyond = next_word(ahead);
        if (next == "MFU" || beyond == "MFU") step.mfu = number->value / 100;
      }
    }
    if (!glued) {
      if (is_tokens_unit(bare(word)) && word.back() == ':') step.tokens_per_second = value_of(line, word);
      label = bare(word);
      number.reset();
    }
  }
  step.tokens_per_second_per_gpu = value_of(line, "tokens_per_second_per_gpu:");
  step.allocated = value_of(line, "peak_memory_alloc:") * gibibyte;
  step.reserved = value_of(line, "peak_memory_reserved:") * gibibyte;
  return step.seconds.value > 0 || step.tokens_per_second > 0 || step.tokens_per_second_per_gpu > 0;
}

bool recognises(std::string_view line) {
  if (!leads_with_step(line)) return false;
  MeasuredStep step;
  bool several = false;
  return read_step(line, step, several);
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(training_script.id, known, imported) {}

  void take(const Line& line) {
    if (!leads_with_step(line.text)) return;
    MeasuredStep step;
    bool several = false;
    if (!read_step(line.text, step, several) || log_.is_cut(line)) return;
    if (several) return log_.unread(line, "Several times, and none is named the step's.");
    std::string_view rest = without_prefix(line.text);
    (void)next_word(rest);
    rest = trimmed(rest);
    step.step = take_count(rest).value_or(0);
    log_.add(line.number, step);
  }

  void finish() { log_.finish(); }

 private:
  StepLog log_;
};

}  // namespace

const Importer training_script{
    .id = "training-script", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
