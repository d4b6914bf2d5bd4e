#include "core/resolve/pipeline_layout.hpp"

#include <algorithm>

#include "core/scenario/fields.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t longest = 4096;  // of the expanded text: more than any model has layers and chunks

/// The number after a `*` at `i`, which moves past it; 1 without one, 0 if there is no number.
std::size_t repetitions(std::string_view text, std::size_t& i) {
  if (i >= text.size() || text[i] != '*') return 1;
  std::size_t count = 0, digits = 0;
  for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9' && digits < 5; ++i, ++digits) {
    count = count * 10 + static_cast<std::size_t>(text[i] - '0');
  }
  return count;
}

/// The text with its repetitions written out; empty if it is too long or not well formed.
std::string expanded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::string unit;
    if (text[i] == '(') {
      const std::size_t end = text.find(')', i);
      if (end == std::string_view::npos) return {};
      unit = expanded(text.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      unit = text[i++];
    }
    const std::size_t count = repetitions(text, i);
    if (unit.empty() || count == 0 || out.size() + count * unit.size() > longest) return {};
    for (std::size_t n = 0; n < count; ++n) out += unit;
  }
  return out;
}

}  // namespace

PipelineLayout parse_pipeline_layout(std::string_view text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != ' ' && c != ','; });
  const std::string items = expanded(plain);
  PipelineLayout layout;
  if (items.empty()) {
    layout.problem = "Expected: E, t, m, L and | with repetitions x*n and (...)*n, as in Et*3|(tt|)*6mL";
    return layout;
  }
  layout.layers.push_back(0);
  const std::size_t last_bar = items.rfind('|');
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool in_last = last_bar == std::string::npos || i > last_bar;
    switch (items[i]) {
      case '|':
        layout.layers.push_back(0);
        break;
      case 't':
        ++layout.layers.back();
        break;
      case 'E':
        if (i != 0) layout.problem = "The embedding E stands first";
        break;
      case 'm':
      case 'L':
        if (!in_last) layout.problem = "Prediction layers m and the loss L stand in the last chunk";
        break;
      default:
        layout.problem = "Expected: E, t, m, L and | with repetitions x*n and (...)*n, as in Et*3|(tt|)*6mL";
    }
  }
  return layout;
}

}  // namespace meshgauge
