#include "core/calibrate/import/training.hpp"

#include <algorithm>

namespace meshgauge {

std::optional<Decimal> figure(std::string_view line, std::string_view label, std::string_view* rest) {
  std::string_view text = after(line, label);
  constexpr std::size_t most_separators = 16;
  for (std::size_t i = 0; i < most_separators && !text.empty(); ++i) {
    const char c = text.front();
    if (!is_blank(c) && c != ':' && c != '=' && c != '\'' && c != '"') break;
    text.remove_prefix(1);
  }
  std::optional<Decimal> number = take_decimal(text);
  if (number && number->value < 0) return std::nullopt;  // no time, rate or size is
  // "1,234,567.89": groups of three digits.
  while (number && text.size() > 3 && text[0] == ',' && std::all_of(text.begin() + 1, text.begin() + 4, is_digit) &&
         number->value < 1e12) {
    text.remove_prefix(1);
    std::string_view group = text.substr(0, text.find_first_not_of("0123456789."));
    const std::size_t length = group.size();
    const std::optional<Decimal> part = take_decimal(group);
    if (!part || !group.empty() || part->value >= 1000) break;
    number = Decimal{number->value * 1000 + part->value, part->half};
    text.remove_prefix(length);
  }
  if (rest != nullptr) *rest = text;
  return number;
}

double value_of(std::string_view line, std::string_view label) {
  const std::optional<Decimal> number = figure(line, label);
  return number ? number->value : 0;
}

StepLog::StepLog(std::string_view tool, const KnownPlace& known, Imported& imported)
    : known_(known), imported_(imported) {
  run_.tool = tool;
}

void StepLog::add(std::int64_t line, const MeasuredStep& step) {
  if (run_.first_line == 0) run_.first_line = line;
  add_measurement(imported_, run_, {line, step});
}

bool StepLog::is_cut(const Line& line) {
  if (line.whole) return false;
  unread(line, "The file ends within the line.");
  return true;
}

void StepLog::unread(const Line& line, std::string reason) {
  if (run_.first_line == 0) run_.first_line = line.number;
  report_unread(imported_, line.number, line.text, std::move(reason));
}

void StepLog::finish() {
  if (run_.first_line == 0) return;
  finish_run(run_, known_);
  imported_.runs.push_back(std::move(run_));
}

}  // namespace meshgauge
