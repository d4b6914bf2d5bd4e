#include "core/calibrate/import/nccl_row.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

constexpr int most_tag_words = 8;  ///< between the parts of a row: "BenchTime(), common.cu:561,"

struct Type {
  std::string_view name;
  std::int64_t width;
};
// test_typenames of src/common.cu, of NVIDIA and AMD, 2017 to 2025.
constexpr auto types = std::to_array<Type>({{"float", 4},
                                            {"half", 2},
                                            {"bfloat16", 2},
                                            {"double", 8},
                                            {"int8", 1},
                                            {"uint8", 1},
                                            {"int32", 4},
                                            {"uint32", 4},
                                            {"int64", 8},
                                            {"uint64", 8},
                                            {"char", 1},
                                            {"int", 4},
                                            {"f8e4m3", 1},
                                            {"f8e5m2", 1},
                                            {"fp8_e4m3", 1},
                                            {"fp8_e5m2", 1},
                                            {"float8", 1},
                                            {"bfloat8", 1}});
constexpr auto reductions = std::to_array<std::string_view>({"sum", "none", "prod", "max", "min", "avg", "mulsum"});

const Type* type_of(std::string_view word) {
  if (word.size() < 3 || word.size() > 8 || !is_letter(word.front())) return nullptr;
  const auto* const found =
      std::find_if(types.begin(), types.end(), [&](const Type& type) { return type.name == word; });
  return found == types.end() ? nullptr : found;
}

/// The digits at the end of a word, behind what a launcher glued to it: "[1,0]<stdout>:1024".
std::optional<std::int64_t> trailing_count(std::string_view word) {
  std::size_t start = word.size();
  while (start > 0 && is_digit(word[start - 1])) --start;
  if (start > 0) {
    const char before = word[start - 1];
    if (before != ':' && before != '>' && before != ']' && before != ',') return std::nullopt;
  }
  return count_of(word.substr(start));
}

std::size_t leading_blanks(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_blank(text[i])) ++i;
  return i;
}

/// Words that start before the time: tags of launchers, never other output of NCCL.
bool skip_tags(std::string_view& rest) {
  for (int i = 0; i <= most_tag_words; ++i) {
    std::string_view ahead = rest;
    const std::string_view word = next_word(ahead);
    if (word.empty() || word == "NCCL") return false;
    if (decimal_of(word)) return true;
    rest = ahead;
  }
  return false;
}

/// The column after the bandwidths; what is glued to it is left in `rest`.
void take_wrong(std::string_view& rest, NcclHalf& half) {
  std::string_view ahead = rest;
  std::string_view word = next_word(ahead);
  if (starts_with(word, "N/A")) {
    rest = ahead;
    return;
  }
  const std::optional<Decimal> wrong = take_decimal(word);
  if (!wrong) return;
  rest = ahead;
  if (word.empty() || word.front() != '.') half.wrong = wrong->value;  // "010.0.0.1:99": an address follows the 0
}

/// Time and two bandwidths, and the column behind them unless the line ends there.
bool take_half(std::string_view& rest, bool whole, const NcclColumns& columns, NcclHalf& half) {
  std::string_view ahead = rest;
  if (!skip_tags(ahead)) return false;
  const std::optional<Decimal> time = decimal_of(next_word(ahead));
  const std::optional<Decimal> algbw = decimal_of(next_word(ahead));
  const std::string_view last = next_word(ahead);
  const std::optional<Decimal> busbw = decimal_of(last);
  if (!time || !algbw || !busbw) return false;
  if (!whole && ahead.empty()) return false;  // the last number may be cut
  half.time = *time;
  half.algbw = *algbw;
  half.busbw = *busbw;
  take_wrong(ahead, half);
  for (int i = 0; i < columns.iteration_columns; ++i) {
    std::string_view beyond = ahead;
    if (!decimal_of(next_word(beyond))) break;
    ahead = beyond;
  }
  rest = ahead;
  return true;
}

void take_halves(std::string_view rest, bool whole, const NcclColumns& columns, NcclRow& row) {
  constexpr std::size_t empty_half = 28;  // "                                " where only in-place is timed
  const bool skipped = columns.halves == 2 && row.found == 0 && leading_blanks(rest) >= empty_half;
  while (row.found < columns.halves) {
    NcclHalf& half = row.halves[static_cast<std::size_t>(row.found)];
    if (!take_half(rest, whole, columns, half)) break;
    half.in_place = row.found == 1 || columns.only_in_place || skipped;
    ++row.found;
    if (skipped) break;
  }
}

int words_in(std::string_view rest) {
  int count = 0;
  while (!next_word(rest).empty()) ++count;
  return count;
}

/// Which of the optional columns this row has, where no header says it.
bool has_root(std::string_view rest, const NcclColumns& columns) {
  std::string_view ahead = rest;
  std::string_view word = next_word(ahead);
  if (starts_with(word, "-")) return true;
  if (columns.known) return columns.root;
  return count_of(word) && words_in(rest) % 4 == 1;
}

}  // namespace

std::optional<NcclRow> nccl_row_in(std::string_view line, bool whole, const NcclColumns& columns) {
  NcclRow row;
  std::string_view rest = line;
  std::string_view size, count;
  const Type* type = nullptr;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    type = count.empty() || !is_digit(count.back()) ? nullptr : type_of(word);
    if (type != nullptr) {
      const std::optional<std::int64_t> bytes = trailing_count(size), elements = count_of(count);
      if (bytes && elements) {
        row.bytes = *bytes;
        row.count = *elements;
        row.type = word;
        row.width = type->width;
        break;
      }
      type = nullptr;
    }
    size = count;
    count = word;
  }
  if (type == nullptr) return std::nullopt;

  constexpr std::size_t blank_column = 9;  // "%8s  %7s" leaves fewer
  row.blank_redop = leading_blanks(rest) >= blank_column && !(columns.known && !columns.redop);
  std::string_view ahead = rest;
  std::string_view word = next_word(ahead);
  const auto* const redop = std::find(reductions.begin(), reductions.end(), word);
  if (redop != reductions.end()) {
    row.redop = *redop;
    row.blank_redop = false;
    rest = ahead;
  }
  if (has_root(rest, columns)) {
    ahead = rest;
    word = next_word(ahead);
    std::string_view digits = word;
    if (starts_with(word, "-1")) {  // what is glued to it may begin with a digit
      row.root = -1;
      rest = ahead;
    } else if (const auto root = take_count(digits)) {
      row.root = *root;
      rest = ahead;
    }
  }
  take_halves(rest, whole, columns, row);
  return row;
}

bool continue_nccl_row(std::string_view line, bool whole, const NcclColumns& columns, NcclRow& row) {
  constexpr double two_places = 0.5 / 100;  // of bandwidths: other numbers in a row are not printed so
  NcclRow more = row;
  take_halves(line, whole, columns, more);
  if (more.found == row.found) return false;
  for (int i = row.found; i < more.found; ++i) {
    const NcclHalf& half = more.halves[static_cast<std::size_t>(i)];
    if (half.algbw.half != two_places || half.busbw.half != two_places) return false;
  }
  row = more;
  return true;
}

bool ends_like_nccl_row(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || !(is_digit(line.back()) || line.back() == 'A')) return false;
  std::array<std::string_view, 4> last{};  // time algbw busbw wrong
  for (std::size_t i = last.size(); i-- > 0;) {
    std::size_t start = line.size();
    while (start > 0 && !is_blank(line[start - 1])) --start;
    last[i] = line.substr(start);
    line = trimmed(line.substr(0, start));
  }
  const auto two_places = [](std::string_view word) {
    const std::size_t point = word.find('.');
    return decimal_of(word) && point != std::string_view::npos && word.size() == point + 3;
  };
  return (last[3] == "N/A" || decimal_of(last[3])) && two_places(last[2]) && two_places(last[1]) &&
         decimal_of(last[0]).has_value();
}

std::optional<NcclColumns> nccl_columns_in(std::string_view header) {
  NcclColumns columns;
  bool size = false, type = false;
  int times = 0;
  for (std::string_view word = next_word(header); !word.empty(); word = next_word(header)) {
    if (word == "size" || word == "bytes") size = true;
    if (word == "bytes") columns.milliseconds = true;
    if (word == "type") type = true;
    if (word == "redop" || word == "op") columns.redop = true;
    if (word == "root") columns.root = true;
    if (word == "time" || word == "cputime") ++times;
    if (word == "cputime") columns.cpu_time = true;
    if (word == "#wrong") columns.counts_wrong = true;
    if (times == 1 && starts_with(word, "i_")) ++columns.iteration_columns;
  }
  if (!size || !type || times == 0) return std::nullopt;
  columns.known = true;
  columns.halves = times > 1 ? 2 : 1;
  return columns;
}

}  // namespace meshgauge
