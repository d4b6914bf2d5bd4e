// The least device memory of all layouts: whether anything fits, without the time of any.
#pragma once

#include <optional>

#include "core/issue.hpp"
#include "core/price/profile.hpp"
#include "core/search/question.hpp"
#include "core/units.hpp"

namespace meshgauge {

struct LeastMemory {
  std::optional<Bytes> bytes;  ///< none: there is no legal layout
  bool fits = false;           ///< as surely as is asked
  Issues issues;               ///< what every engine refuses, if none can train this at all
};

/// The least of all; or that of the first layout that is found to fit, whether or not others hold less. If none fits,
/// the least of all, or that of some layout where it matters no more.
enum class Sought { least, fitting_or_least, fitting_or_any };
[[nodiscard]] LeastMemory least_memory(const LayoutQuestion&, const Profile&, Sought);

}  // namespace meshgauge
