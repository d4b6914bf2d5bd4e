// Text as a model reads it: a byte is a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "native/step/optimizer_kernels.hpp"
#include "native/step/transformer.hpp"

namespace meshgauge::step {

inline constexpr std::int64_t byte_vocabulary = 256;

/// Sequences from a text, at places that step and index alone decide: every rank can take its own.
class TextBatch {
 public:
  TextBatch(const std::string& text, std::size_t sequences, std::size_t length, std::uint64_t index) {
    for (std::size_t i = 0; i < sequences; ++i) {
      const std::uint64_t draw = RandomNormal<float>::mix(index * sequences + i);
      const std::size_t first = draw % (text.size() - length);
      for (std::size_t t = 0; t < length; ++t) {
        ids_.push_back(static_cast<unsigned char>(text[first + t]));
        labels_.push_back(static_cast<unsigned char>(text[first + t + 1]));
      }
    }
  }

  [[nodiscard]] Batch batch() const { return {ids_.data(), labels_.data()}; }

 private:
  std::vector<std::int64_t> ids_, labels_;
};

}  // namespace meshgauge::step
