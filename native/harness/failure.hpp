// What ends a command: a machine that failed, or input that cannot be taken.
#pragma once

#include <stdexcept>

namespace meshgauge::harness {

/// A library's error, a lost rank, no memory: status 3.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A flag's value, or a world of ranks that is not what was asked for: status 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace meshgauge::harness
