// What the machine did not do: a library's error, a lost rank, no memory. Ends the program with status 3.
#pragma once

#include <stdexcept>

namespace meshgauge::harness {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace meshgauge::harness
