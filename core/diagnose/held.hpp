// What filled the device when a request failed, and what that says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnose/out_of_memory.hpp"
#include "core/units.hpp"

namespace meshgauge {

struct HeldPart {
  const char* id;
  const char* name;
  Bytes bytes;
};

/// Parts that add up to the capacity, as far as the message tells; empty if it tells nothing of the device.
[[nodiscard]] std::vector<HeldPart> held_parts(const OutOfMemory&);

/// A sentence on the cause, with a key for translations.
struct Finding {
  const char* id;
  std::string message;
};
[[nodiscard]] std::vector<Finding> findings(const OutOfMemory&);

/// "15.6 GiB", "786 MiB": three digits.
[[nodiscard]] std::string size_words(double bytes);

}  // namespace meshgauge
