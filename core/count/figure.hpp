// A number of an answer with its reason: formula over named values, and source.
#pragma once

#include <vector>

#include "core/count/ledger.hpp"

namespace meshgauge {

/// `text.formula` is arithmetic over the values' symbols (+ - * / ( ) and min, max, sqrt, exp) that gives `value`;
/// empty for what was given. A test evaluates it.
struct Figure {
  LineText text;
  const char* unit;  ///< of `value`; empty for a plain number
  double value = 0;
  std::vector<Value> values;
};

}  // namespace meshgauge
