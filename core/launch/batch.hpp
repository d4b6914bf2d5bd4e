// What the global batch is made of, and rules of thumb for the learning rate that goes with another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// A batch that a learning rate is known for, and what else is known of the training.
struct BatchReference {
  std::optional<double> global_batch;   ///< sequences
  std::optional<double> learning_rate;  ///< good at `global_batch`
  std::optional<double> noise_scale;    ///< gradient noise scale (McCandlish et al. 2018), sequences
  double beta1 = 0.9, beta2 = 0.95;     ///< of Adam at `global_batch`
};

/// One rule: what it says here, where it comes from and where it stops to hold. A hint, not a result.
struct BatchHint {
  std::string_view id;
  std::string_view rule;      ///< in symbols; k = new batch / reference batch
  std::string_view quantity;  ///< of `value`
  std::optional<double> value;
  std::string_view source;
  std::string_view limits;
};

/// Rules that speak of this optimizer, in the order to try them.
[[nodiscard]] std::vector<BatchHint> batch_hints(const Scenario&, const BatchReference&);

}  // namespace meshgauge
