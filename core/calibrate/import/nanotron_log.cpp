// nanotron: the entries of src/nanotron/trainer.py in the format of logging/base.py, three digits and a letter:
// "iteration: 10 / 1000 | consumed_tokens: 1.05M | time_per_iteration_ms: 2.53K | tokens_per_sec: 415K | ..."
#include <algorithm>
#include <cmath>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/training.hpp"

namespace meshgauge {
namespace {

bool recognises(std::string_view line) {
  return line.find('|') != std::string_view::npos && contains(line, "| consumed_tokens: ") &&
         contains(line, "time_per_iteration_ms: ");
}

/// human_format: thousands are K, M, B, T.
std::optional<Decimal> human(std::string_view line, std::string_view label) {
  std::string_view rest;
  const std::optional<Decimal> number = figure(line, label, &rest);
  if (!number) return number;
  double unit = 1;
  const std::size_t power = rest.empty() ? std::string_view::npos : std::string_view("KMBTPE").find(rest.front());
  for (std::size_t i = 0; power != std::string_view::npos && i <= power; ++i) unit *= kilo;
  // Zeros behind the third digit are not printed.
  const double half = number->value >= 100 ? 0.5 : number->value >= 10 ? 0.05 : 0.005;
  return Decimal{number->value * unit, half * unit};
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : log_(nanotron_log.id, known, imported) {}

  void take(const Line& line) {
    if (!recognises(line.text) || log_.is_cut(line)) return;
    const std::string_view text = line.text;
    const auto milliseconds = human(text, "time_per_iteration_ms: ");
    const auto all = human(text, "| tokens_per_sec: "), each = human(text, "tokens_per_sec_per_gpu: ");
    if (!milliseconds || !(milliseconds->value > 0) || !all || !each) {
      return log_.unread(line, "The iteration ends before its tokens per second.");
    }
    MeasuredStep step;
    step.step = count_after(text, "iteration: ").value_or(0);
    step.seconds = {milliseconds->value / 1e3};
    step.tokens_per_second = all->value;
    step.tokens_per_second_per_gpu = each->value;
    if (const auto flops = human(text, "model_tflops_per_gpu: ")) step.model_flops_per_gpu = {flops->value * tera};
    if (const auto bytes = human(text, "cuda_max_memory_reserved: ")) step.reserved = {bytes->value};
    if (each->low() > 0) {
      fewest_ = std::max(fewest_, all->low() / each->high());
      most_ = std::min(most_, all->high() / each->low());
    }
    log_.add(line.number, step);
  }

  void finish() {
    const double fewest = std::ceil(fewest_), most = std::floor(most_);
    if (fewest == most && fewest >= 1) {
      log_.place().ranks = static_cast<std::int64_t>(fewest);
      log_.note("Ranks from tokens_per_sec / tokens_per_sec_per_gpu.");
    }
    log_.finish();
  }

 private:
  StepLog log_;
  double fewest_ = 0, most_ = 1e9;
};

}  // namespace

const Importer nanotron_log{
    .id = "nanotron", .kind = ImporterKind::training, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
