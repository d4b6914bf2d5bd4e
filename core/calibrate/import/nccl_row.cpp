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

/// False for nearly every line that holds no row: digits, blanks and the first letter of a type must follow one
/// another.
bool may_hold_row(std::string_view line) {
  enum Class : std::uint8_t { other, digit, blank, letter };
  static constexpr auto classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = digit;
    for (int c = 0; c < 128; ++c) {
      if (is_blank(static_cast<char>(c))) table[static_cast<std::size_t>(c)] = blank;
    }
    for (const Type& type : types) table[static_cast<unsigned char>(type.name.front())] = letter;
    return table;
  }();
  // State 0: nothing, 1: digits, 2: blanks behind digits, 3: found.
  static constexpr std::uint8_t next[3][4] = {{0, 1, 0, 0}, {0, 1, 2, 0}, {0, 1, 2, 3}};
  std::uint8_t state = 0;
  for (const char c : line) {
    state = next[state][classes[static_cast<unsigned char>(c)]];
    if (state == 3) return true;
  }
  return false;
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

/// The first number, behind words that come before it: tags of launchers, never other output of NCCL.
std::optional<Decimal> take_time(std::string_view& rest) {
  for (int i = 0; i <= most_tag_words; ++i) {
    const std::string_view word = next_word(rest);
    if (word.empty() || word == "NCCL") return std::nullopt;
    if (const std::optional<Decimal> time = decimal_of(word)) return time;
  }
  return std::nullopt;
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
  const std::optional<Decimal> time = take_time(ahead);
  if (!time) return false;
  const std::optional<Decimal> algbw = decimal_of(next_word(ahead));
  const std::optional<Decimal> busbw = decimal_of(next_word(ahead));
  if (!algbw || !busbw) return false;
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
  if (!may_hold_row(line)) return std::nullopt;
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

bool is_cut_nccl_row(std::string_view line) {
  int words = 0;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (++words > 2 || !count_of(word)) return false;
  }
  return words > 0;
}

std::int64_t nccl_type_width(std::string_view type) {
  const Type* const found = type_of(type);
  return found == nullptr ? 0 : found->width;
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
