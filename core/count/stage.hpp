// What one pipeline rank holds: how many layers of each kind, and which ends of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Contents of a rank, or of one model chunk of it. Encoder layers of an encoder-decoder model count apart.
struct StageShape {
  std::int64_t dense_layers = 0;
  std::int64_t moe_layers = 0;
  std::int64_t encoder_layers = 0;
  std::int64_t mtp_layers = 0;
  std::int64_t linear_layers = 0;  ///< how many of dense_layers + moe_layers have linear attention (MiniMax)
  bool embedding = false;
  bool head = false;  ///< final norm, LM head and loss

  bool operator==(const StageShape&) const = default;
  constexpr StageShape& operator+=(const StageShape& o) {
    dense_layers += o.dense_layers;
    moe_layers += o.moe_layers;
    encoder_layers += o.encoder_layers;
    mtp_layers += o.mtp_layers;
    linear_layers += o.linear_layers;
    embedding = embedding || o.embedding;
    head = head || o.head;
    return *this;
  }
  [[nodiscard]] constexpr std::int64_t layers() const { return dense_layers + moe_layers; }
  [[nodiscard]] constexpr std::int64_t blocks() const { return layers() + encoder_layers + mtp_layers; }
};

/// Chunks that the model is cut into: p, p * v when interleaved, 2p for ZB-V. DualPipe's p chunks exist twice.
[[nodiscard]] std::int64_t model_chunks(const Parallelism&);

/// Layers of each of `chunks` model chunks when the split is not given: as even as possible, the remainder to the
/// middle chunks first (the ends also hold embedding and head; Llama 3, arXiv:2407.21783 section 3.3.2).
[[nodiscard]] std::vector<std::int64_t> balanced_split(std::int64_t layers, std::int64_t chunks);
/// The same into `out`, whose memory is used again.
void balanced_split(std::int64_t layers, std::int64_t chunks, std::vector<std::int64_t>& out);

/// The model uncut.
[[nodiscard]] StageShape whole_model(const ModelShape&);

/// Layer `index` of the model alone, encoder layers first.
[[nodiscard]] StageShape one_layer(const ModelShape&, std::int64_t index);

/// The `stage`-th rank of the pipeline, all its chunks together. Does not allocate.
/// DualPipe ranks hold chunk `stage` and chunk `p - 1 - stage`; ZB-V ranks chunk `stage` and `2p - 1 - stage`.
[[nodiscard]] StageShape stage_shape(const Scenario&, std::int64_t stage);

/// The chunks of the model in its order. In ascending order all of them take one walk over the layers given for each.
/// Does not allocate. The scenario has to outlive it.
class ModelChunks {
 public:
  explicit ModelChunks(const Scenario&);
  [[nodiscard]] StageShape operator[](std::int64_t index);

 private:
  const Scenario& scenario_;
  std::int64_t count_;
  bool given_;
  std::int64_t next_ = 0, begin_ = 0;  ///< layers before chunk `next_`
};

/// All of them into `out`, whose memory is used again.
void all_chunks(const Scenario&, std::vector<StageShape>& out);
/// The same for who asks for many layouts: where all layers are alike, a shape is how many there are.
void all_chunks_quickly(const Scenario&, std::vector<StageShape>& out);

/// The model chunks of a rank in model order of execution.
[[nodiscard]] std::vector<StageShape> stage_chunks(const Scenario&, std::int64_t stage);

}  // namespace meshgauge
