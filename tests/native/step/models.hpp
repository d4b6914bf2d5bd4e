// Small models of every kind that the step trains, and batches for them.
#pragma once

#include <cstdint>
#include <vector>

#include "native/step/optimizer_kernels.hpp"
#include "native/step/transformer.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge::testing {

/// GPT-2 in small: LayerNorm, GELU, biases, learned positions, tied table.
inline ModelShape small_gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab) {
  ModelShape m = hand_built::gpt(layers, hidden, heads, vocab);
  m.position_rows = m.max_sequence = 64;
  return m;
}
/// LLaMA in small: RMSNorm, SwiGLU, rotary positions, grouped keys and values, a head of its own.
inline ModelShape small_llama(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t heads,
                              std::int64_t kv_heads, std::int64_t vocab) {
  return hand_built::llama(layers, hidden, ffn, heads, kv_heads, vocab);
}

/// Ids that repeat now and then, in an order that no seed of the weights knows.
struct Ids {
  std::vector<std::int64_t> ids, labels;

  Ids(std::size_t tokens, std::size_t vocab, std::uint64_t seed) {
    for (std::size_t i = 0; i < tokens; ++i) {
      ids.push_back(static_cast<std::int64_t>(step::RandomNormal<float>::mix(seed * 977 + 2 * i) % vocab));
      labels.push_back(static_cast<std::int64_t>(step::RandomNormal<float>::mix(seed * 977 + 2 * i + 1) % vocab));
    }
  }
  [[nodiscard]] step::Batch batch(std::size_t first = 0) const { return {ids.data() + first, labels.data() + first}; }
};

}  // namespace meshgauge::testing
