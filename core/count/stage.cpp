// Cutting the model's layers into chunks and handing the chunks to pipeline ranks.
#include "core/count/stage.hpp"

#include <algorithm>

namespace meshgauge {
namespace {

/// Layers [begin, end) of the model, encoder layers first.
struct LayerRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Chunk `i` of an even split. The `layers % chunks` larger chunks are the middle ones, so the split needs no table.
LayerRange balanced_range(std::int64_t layers, std::int64_t chunks, std::int64_t i) {
  const std::int64_t base = layers / chunks;
  const std::int64_t larger = layers % chunks;
  const std::int64_t first_larger = (chunks - larger) / 2;
  const auto begin_of = [&](std::int64_t chunk) {
    return chunk * base + std::clamp<std::int64_t>(chunk - first_larger, 0, larger);
  };
  return {begin_of(i), begin_of(i + 1)};
}

/// MoE layers among the first `n` decoder layers: the closed form of ModelShape::is_moe_layer.
std::int64_t moe_layers_before(const ModelShape& m, std::int64_t n) {
  if (!m.moe.used() || n <= m.moe.first_dense_layers) return 0;
  return (n - m.moe.first_dense_layers) / m.moe.layer_freq;
}

/// Linear-attention layers among the first `n`: the last layer of each group of `linear_per_full + 1` is a softmax one.
std::int64_t linear_layers_before(const ModelShape& m, std::int64_t n) {
  return m.linear_per_full == 0 ? 0 : n - n / (m.linear_per_full + 1);
}

StageShape range_shape(const ModelShape& m, LayerRange range) {
  const std::int64_t encoder_end = std::min(range.end, m.encoder_layers);
  const std::int64_t begin = std::max<std::int64_t>(range.begin - m.encoder_layers, 0);
  const std::int64_t end = std::max<std::int64_t>(range.end - m.encoder_layers, 0);
  StageShape shape;
  shape.encoder_layers = std::max<std::int64_t>(encoder_end - range.begin, 0);
  shape.moe_layers = moe_layers_before(m, end) - moe_layers_before(m, begin);
  shape.dense_layers = end - begin - shape.moe_layers;
  shape.linear_layers = linear_layers_before(m, end) - linear_layers_before(m, begin);
  // A decoder that starts past the first chunk embeds its own input there (T5).
  shape.embedding = m.encoder_layers > 0 && begin == 0 && end > 0;
  return shape;
}

/// Calls `visit(chunk)` for each chunk of the rank, in model order.
template <class Visit>
void for_each_chunk(const Parallelism& layout, std::int64_t stage, Visit visit) {
  const std::int64_t p = layout.pipeline;
  if (layout.schedule == Schedule::zb_v) {
    visit(stage);
    visit(2 * p - 1 - stage);
  } else if (layout.schedule == Schedule::dualpipe) {
    visit(std::min(stage, p - 1 - stage));
    visit(std::max(stage, p - 1 - stage));
  } else {
    for (std::int64_t chunk = stage; chunk < p * layout.virtual_pipeline; chunk += p) visit(chunk);
  }
}

}  // namespace

ModelChunks::ModelChunks(const Scenario& s)
    : scenario_(s),
      count_(model_chunks(s.parallelism)),
      given_(static_cast<std::int64_t>(s.parallelism.stage_layers.size()) == count_) {}

StageShape ModelChunks::operator[](std::int64_t index) {
  const ModelShape& m = scenario_.model;
  LayerRange range;
  if (given_) {
    const std::vector<std::int64_t>& layers = scenario_.parallelism.stage_layers;
    if (index < next_) next_ = begin_ = 0;
    while (next_ < index) begin_ += layers[static_cast<std::size_t>(next_++)];
    range = {begin_, begin_ + layers[static_cast<std::size_t>(index)]};
  } else {
    range = balanced_range(m.encoder_layers + m.layers, count_, index);
  }
  StageShape shape = range_shape(m, range);
  shape.embedding = shape.embedding || index == 0;
  shape.head = index == count_ - 1;
  shape.mtp_layers = shape.head ? m.mtp_depth : 0;
  return shape;
}

std::int64_t model_chunks(const Parallelism& layout) {
  switch (layout.schedule) {
    case Schedule::zb_v:
      return 2 * layout.pipeline;
    case Schedule::dualpipe:
      return layout.pipeline;
    default:
      return layout.pipeline * layout.virtual_pipeline;
  }
}

std::vector<std::int64_t> balanced_split(std::int64_t layers, std::int64_t chunks) {
  std::vector<std::int64_t> split;
  balanced_split(layers, chunks, split);
  return split;
}

void balanced_split(std::int64_t layers, std::int64_t chunks, std::vector<std::int64_t>& out) {
  out.clear();
  for (std::int64_t i = 0; i < chunks; ++i) {
    const LayerRange range = balanced_range(layers, chunks, i);
    out.push_back(range.end - range.begin);
  }
}

StageShape whole_model(const ModelShape& m) {
  StageShape shape = range_shape(m, {0, m.encoder_layers + m.layers});
  shape.embedding = true;
  shape.head = true;
  shape.mtp_layers = m.mtp_depth;
  return shape;
}

StageShape one_layer(const ModelShape& m, std::int64_t index) {
  StageShape shape = range_shape(m, {index, index + 1});
  shape.embedding = false;
  return shape;
}

StageShape stage_shape(const Scenario& s, std::int64_t stage) {
  ModelChunks chunks(s);
  StageShape sum;
  for_each_chunk(s.parallelism, stage, [&](std::int64_t chunk) { sum += chunks[chunk]; });
  return sum;
}

void all_chunks(const Scenario& s, std::vector<StageShape>& out) {
  out.clear();
  ModelChunks chunks(s);
  for (std::int64_t i = 0; i < model_chunks(s.parallelism); ++i) out.push_back(chunks[i]);
}

void all_chunks_quickly(const Scenario& s, std::vector<StageShape>& out) {
  const ModelShape& m = s.model;
  if (m.moe.used() || m.linear_per_full > 0 || m.encoder_layers > 0) return all_chunks(s, out);
  out.clear();
  const std::int64_t count = model_chunks(s.parallelism);
  const std::vector<std::int64_t>& given = s.parallelism.stage_layers;
  const bool is_given = static_cast<std::int64_t>(given.size()) == count;
  for (std::int64_t i = 0; i < count; ++i) {
    const LayerRange even = balanced_range(m.layers, count, i);
    out.emplace_back().dense_layers = is_given ? given[static_cast<std::size_t>(i)] : even.end - even.begin;
  }
  out.front().embedding = out.back().head = true;
  out.back().mtp_layers = m.mtp_depth;
}

std::vector<StageShape> stage_chunks(const Scenario& s, std::int64_t stage) {
  ModelChunks chunks(s);
  std::vector<StageShape> parts;
  for_each_chunk(s.parallelism, stage, [&](std::int64_t chunk) { parts.push_back(chunks[chunk]); });
  return parts;
}

}  // namespace meshgauge
