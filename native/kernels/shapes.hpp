// Which products are measured: those of a list, or those of a model as one rank of a layout computes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "native/kernels/product.hpp"

namespace meshgauge::harness {

/// "4096x4096x8192,8*512x1024x4096": M x N x K, a number of groups before it. Throws BadInput.
[[nodiscard]] std::vector<ProductShape> shapes_of_text(std::string_view flag, const std::string& text);

/// What of a job decides the kernels of one rank.
struct ModelFlags {
  std::string model;
  int tensor_parallel = 1, expert_parallel = 1, micro_batch = 1;
  int sequence = 0;  ///< 0: as the core fills it in
};

/// Forward and both of backward, each shape once, as the core counts them. Throws BadInput where the core finds a
/// problem.
[[nodiscard]] std::vector<ProductShape> products_of(const ModelFlags&);

/// Squares from launch-bound to compute-bound, and a linear layer of each usual size.
[[nodiscard]] std::vector<ProductShape> usual_shapes(bool gpu);

}  // namespace meshgauge::harness
