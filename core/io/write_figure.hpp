// A figure in an answer: name, value, unit, and on request why.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/count/figure.hpp"
#include "core/io/write_memory.hpp"

namespace meshgauge {

[[nodiscard]] nlohmann::ordered_json write_figure(const Figure&, Explain);

}  // namespace meshgauge
