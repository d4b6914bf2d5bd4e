// Layers whose activations a rank holds at its peak: each kind, times the micro-batches in flight.
#pragma once

#include "core/count/in_flight.hpp"
#include "core/count/stage.hpp"

namespace meshgauge {

struct HeldLayers {
  double dense = 0, moe = 0, encoder = 0, mtp = 0;
};

/// `chunk(i)`: contents of the i-th of the rank's chunks, which interleaving holds apart.
template <class Chunk>
[[nodiscard]] HeldLayers held_layers(const Scenario& s, std::int64_t stage, const StageShape& shape,
                                     const InFlight& flight, Chunk&& chunk) {
  const Parallelism& layout = s.parallelism;
  HeldLayers held;
  const auto add = [&](const StageShape& part, double sets) {
    held.dense += sets * static_cast<double>(part.dense_layers);
    held.moe += sets * static_cast<double>(part.moe_layers);
    held.encoder += sets * static_cast<double>(part.encoder_layers);
    held.mtp += sets * static_cast<double>(part.mtp_layers);
  };
  if (layout.schedule != Schedule::interleaved) {
    add(shape, flight.activation_sets);
    return held;
  }
  for (std::int64_t i = 0; i < layout.virtual_pipeline; ++i) {
    add(chunk(i), static_cast<double>(chunk_in_flight(stage, layout.pipeline, layout.virtual_pipeline,
                                                      s.micro_batches(), layout.group_in_a_row(), i)));
  }
  return held;
}

}  // namespace meshgauge
