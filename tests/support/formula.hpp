// Evaluates the arithmetic that ledger lines and handbook figures print as their formula.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace meshgauge::testing {

/// + - * / ( ) numbers, symbols and min, max, ceil, sqrt, exp of one or more arguments. Throws std::runtime_error on anything else.
[[nodiscard]] double evaluate_formula(std::string_view formula, const std::map<std::string, double>& values);

}  // namespace meshgauge::testing
