// Words of messages: input quoted safely, numbers for people, lists, the nearest known word.
#include "core/scenario/words.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/scenario/rounding.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t longest_quote = 40;
constexpr std::size_t longest_list = 12;
constexpr std::size_t longest_word = 64;  // nothing longer is taken for a misspelling

std::string hex_escape(const char* prefix, std::uint32_t value, int digits) {
  std::string text = prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15U];
  return text;
}

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

/// Characters that would move the cursor, turn the text round or hide in it.
bool is_unsafe(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

std::string group_digits(std::string digits) {
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  }
  return digits;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// "tensor_parallel" or "seq_length" for "tensor_parallel_size", "sequence_length".
bool shortens(std::string_view word, std::string_view candidate) {
  if (word.size() < 4 || word.size() * 2 < candidate.size()) return false;
  for (const char c : word) {
    const std::size_t at = candidate.find(c);
    if (at == std::string_view::npos) return false;
    candidate.remove_prefix(at + 1);
  }
  return true;
}

}  // namespace

std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, above + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::size_t utf8_character(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xc2 && lead <= 0xdf   ? 2
                           : lead >= 0xe0 && lead <= 0xef ? 3
                           : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                          : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and code points above U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return size;
}

std::string shortened(std::string_view raw) {
  std::string text;
  std::size_t characters = 0;
  while (!raw.empty()) {
    const std::size_t size = utf8_character(raw);
    std::string piece;
    if (size == 0) {
      piece = hex_escape("\\x", static_cast<unsigned char>(raw[0]), 2);
    } else if (const std::uint32_t code = code_point(raw.substr(0, size)); is_unsafe(code)) {
      piece = code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '\r' ? "\\r" : hex_escape("\\u", code, 4);
    } else {
      piece = raw.substr(0, size);
    }
    characters += piece.size() > 1 && piece[0] == '\\' ? piece.size() : 1;
    if (characters > longest_quote) return text + "...";
    text += piece;
    raw.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return text;
}

std::string in_quotes(std::string_view raw) { return '"' + shortened(raw) + '"'; }

std::string number_text(std::int64_t value) {
  std::string digits = std::to_string(value);
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  return (negative ? "-" : "") + group_digits(digits);
}

std::string number_text(double value) {
  if (value != value) return "NaN";
  if (value < 0) return '-' + number_text(-value);
  if (value < 1e15 && value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return number_text(static_cast<std::int64_t>(value));
  }
  const Decimal decimal = to_decimal(value, 6);
  if (decimal.digits == 0) return value == 0 ? "0" : "infinity";
  std::string digits = std::to_string(decimal.digits);
  int exponent = decimal.exponent + static_cast<int>(digits.size()) - 1;  // of the first digit
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (exponent >= 0 && exponent < 15) {
    const auto whole_digits = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole_digits) digits.resize(whole_digits, '0');
    const std::string fraction = digits.substr(whole_digits);
    return group_digits(digits.substr(0, whole_digits)) + (fraction.empty() ? "" : "." + fraction);
  }
  if (exponent < 0 && exponent >= -4) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (digits.size() > 1) digits.insert(1, ".");
  return digits + (exponent < 0 ? "e-" : "e+") + std::to_string(exponent < 0 ? -exponent : exponent);
}

std::string gib_text(Bytes bytes) { return number_text(round_significant(bytes / gibibyte, 3)) + " GiB"; }

std::string list_text(std::span<const std::int64_t> values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == longest_list) return text + " and more";
    text += (i == 0 ? "" : ", ") + number_text(values[i]);
  }
  return text;
}

std::string list_text(std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) {
    if (!text.empty()) text += ", ";
    text += value;
  }
  return text;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  if (word.empty() || word.size() > longest_word) return best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > longest_word) continue;
    // A shortened form is as near as one letter.
    const std::size_t d = shortens(word, candidate) ? 1 : letters_apart(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view best = nearest(word, known);
  return best.empty() ? std::string{} : " Did you mean " + in_quotes(best) + "?";
}

}  // namespace meshgauge
