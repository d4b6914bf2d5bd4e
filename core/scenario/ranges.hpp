// Ranges of single values, before anything is computed with them.
#pragma once

#include <string>
#include <string_view>

#include "core/issue.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/request.hpp"

namespace meshgauge {

/// False for NaN.
[[nodiscard]] bool in_range(const FieldText&, double value);

/// "gpus is -1. Allowed: 1 to 1,000,000." `shown` is the value as given.
[[nodiscard]] std::string range_message(const FieldText&, std::string_view shown);

/// "1 to 1,000,000", "0 or above".
[[nodiscard]] std::string range_text(const FieldText&);

/// Empties every field that is out of its range, notes it as unread, and says why.
[[nodiscard]] Issues drop_out_of_range(ScenarioRequest&);

}  // namespace meshgauge
