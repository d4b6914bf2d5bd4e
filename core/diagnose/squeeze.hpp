// A stretch of a log without white space and line prefixes, so that words and numbers broken over lines are whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace meshgauge {

/// Up to `most` characters of what starts at `from` and ends before `end`. After a line break goes what launchers and
/// terminals put there: "[rank3]:", "[default3]:", "3: ", "(worker pid=7)", quote marks, box rules, colours.
[[nodiscard]] std::string squeezed(std::string_view text, std::size_t from, std::size_t end, std::size_t most);

}  // namespace meshgauge
