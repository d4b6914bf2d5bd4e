#include "core/diagnose/nccl/line.hpp"

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/lines.hpp"

namespace meshgauge {
namespace {

/// The last word, taken off `rest`.
std::string_view take_last_word(std::string_view& rest) {
  rest = trimmed(rest);
  std::size_t start = rest.size();
  while (start > 0 && !is_blank(rest[start - 1])) --start;
  const std::string_view word = rest.substr(start);
  rest = rest.substr(0, start);
  return word;
}

/// "[3]": 3
std::optional<std::int64_t> bracketed(std::string_view word) {
  if (word.size() < 3 || word.front() != '[' || word.back() != ']') return std::nullopt;
  return count_of(word.substr(1, word.size() - 2));
}

/// The whole number behind the last colon, taken off with it.
std::optional<std::int64_t> take_last_count(std::string_view& word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = count_of(word.substr(colon + 1));
  if (number) word = word.substr(0, colon);
  return number;
}

/// "[1,0]<stdout>:node-0:1001:1002" to host and process.
void take_process(std::string_view word, NcclLine& line) {
  const auto thread = take_last_count(word), process = take_last_count(word);
  if (!thread || !process) return;
  line.process = *process;
  const std::size_t tag = word.find_last_of(">]");
  if (tag != std::string_view::npos) word.remove_prefix(tag + 1);
  while (!word.empty() && word.front() == ':') word.remove_prefix(1);
  line.host = word;
}

}  // namespace

std::optional<NcclLine> nccl_line_in(std::string_view line) {
  constexpr std::string_view library = "CCL ";  // of NCCL or RCCL
  NcclLine found;
  std::size_t at = line.find(library);
  for (; at != std::string_view::npos; at = line.find(library, at + 1)) {
    const std::string_view said = line.substr(at + library.size());
    if (at == 0) continue;
    if (starts_with(said, "INFO ")) {
      found.text = said.substr(5);
      break;
    }
    if (starts_with(said, "WARN ")) {
      found.level = NcclLevel::warn;
      found.text = said.substr(5);
      break;
    }
    if (starts_with(said, "version ") || starts_with(said, "version: ")) {
      found.level = NcclLevel::version;
      found.text = line.substr(at - 1);
      return found;
    }
  }
  if (at == std::string_view::npos) return std::nullopt;
  found.text = trimmed(found.text);
  std::string_view head = line.substr(0, at - 1);
  constexpr int most_words = 5;  // file, line and function between the device and NCCL
  for (int i = 0; i < most_words && !trimmed(head).empty(); ++i) {
    const std::string_view word = take_last_word(head);
    if (const auto device = bracketed(word)) {
      found.device = *device;
      take_process(take_last_word(head), found);
      break;
    }
    if (contains(word, ":")) found.where = word;
  }
  return found;
}

}  // namespace meshgauge
