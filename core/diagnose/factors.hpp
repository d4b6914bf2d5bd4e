// Requests without a scenario: sizes of known models and vocabularies whose round multiple they are.
#pragma once

#include <string>
#include <vector>

#include "core/diagnose/candidates.hpp"
#include "core/scenario/model_shape.hpp"

namespace meshgauge {

/// A tensor of some model for a number of tokens, sequences or ranks that makes its size the one asked for.
struct Factorisation {
  Tensor tensor;
  Closeness closeness = Closeness::rounded;
  std::string models;  ///< whose shape it is
  double chance = 0;   ///< about how probable it is that an unrelated size fits as well
};

/// Of one model: tensors for an unknown number of tokens, parameters over an unknown number of ranks.
[[nodiscard]] std::vector<Factorisation> factorise(const OutOfMemory&, const ModelShape&);
/// Of every model in the catalog: logits of its vocabulary, its embedding, all of its parameters; and how many
/// parameters another model would have.
[[nodiscard]] std::vector<Factorisation> factorise(const OutOfMemory&);

}  // namespace meshgauge
