// Training runs whose speed was published, against which claims are judged.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/training.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// Utilisations are ours, from the tokens a second and the dense peak, so that all rows count alike.
struct PublishedRun {
  std::string id;
  std::string name;
  std::string gpu;  ///< id of the catalog
  Precision precision = Precision::bf16;
  double parameters = 0;
  double active_parameters = 0;
  double gpus = 0;  ///< 0: not published
  double sequence = 0;
  double tokens_per_second_per_gpu = 0;
  double mfu_six_n = 0;   ///< 6 FLOPs for each active parameter, no attention
  double mfu_causal = 0;  ///< matrix products and causal attention
  std::string source;
};

[[nodiscard]] std::vector<PublishedRun> published_runs();

}  // namespace meshgauge
