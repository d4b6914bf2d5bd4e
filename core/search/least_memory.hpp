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
  Issues issues;               ///< what every engine refuses, if none can train this at all
};

/// Of the first layout that is found to hold no more than the capacity, whether or not others hold less. If there is
/// none, the least of all, or that of some layout where it matters no more.
enum class IfNoneFits { least, any };
[[nodiscard]] LeastMemory least_memory(const LayoutQuestion&, const Profile&, Bytes capacity, IfNoneFits);

}  // namespace meshgauge
