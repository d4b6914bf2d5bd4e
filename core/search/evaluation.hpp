// What a layout costs.
#pragma once

#include "core/units.hpp"

namespace meshgauge {

struct Evaluation {
  Seconds seconds{};  ///< of the step, by the closed form of the schedule
  Bytes memory{};     ///< on the device, of the rank that needs most
};

}  // namespace meshgauge
