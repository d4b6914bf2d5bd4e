// One step's FLOPs as papers and tools count them: the same time is as many utilisations.
#pragma once

#include <string>
#include <vector>

#include "core/count/figure.hpp"
#include "core/count/flops.hpp"

namespace meshgauge {

/// FLOPs of one token under each convention, first those of the model, then those of the hardware. M: multiply-adds of
/// all matrix products for one token, LM head included; C: of scores and their product with the values, 2 L a q s where
/// every layer attends to everything; N: parameters that a token touches; E: of them the untied input embedding, a
/// look-up; R: multiply-adds run again. A frozen base takes 4 FLOPs for each multiply-add instead of 6.
[[nodiscard]] std::vector<Figure> flops_by_convention(const Scenario&, const StepFlops&);

}  // namespace meshgauge
