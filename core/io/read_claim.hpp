// A claim about a training run as a request states it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "core/claim/claim.hpp"
#include "core/issue.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/model_shape.hpp"

namespace meshgauge {

/// A number of a claim; `scale` times it is the quantity.
struct ClaimField {
  FieldText text;
  Fact fact;
  double scale = 1;
};
[[nodiscard]] std::span<const ClaimField> claim_numbers();
/// Fields that are no such number: model, gpu, system, precision, sequence_length.
[[nodiscard]] std::span<const FieldText> claim_words();

struct StatedClaim {
  Claim claim;
  std::optional<double> stated_parameters;  ///< beside a model
  std::optional<ModelShape> model;
  std::optional<Gpu> gpu;
  Precision precision = Precision::bf16;
  double sequence = 0;  ///< 0: not stated
  Issues warnings;
};
/// Every problem at once. Paths are those of the request.
[[nodiscard]] Result<StatedClaim> read_claim(const nlohmann::ordered_json& request);

}  // namespace meshgauge
