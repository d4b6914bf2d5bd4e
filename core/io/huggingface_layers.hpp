// Layers that differ from each other: experts, linear attention and attention windows, from the keys of a config.json.
#pragma once

#include "core/io/config_reader.hpp"
#include "core/io/huggingface_family.hpp"
#include "core/scenario/model_shape.hpp"

namespace meshgauge {

/// Mixture of experts: sizes, shared experts, which layers. Needs `layers` and `ffn`.
void read_experts(ConfigReader&, ModelShape&);

/// Linear-attention layers among softmax ones (MiniMax).
void read_linear_layers(ConfigReader&, ModelShape&);

/// Sliding or chunked windows and how many layers keep to them.
void read_window(ConfigReader&, const Family&, ModelShape&);

}  // namespace meshgauge
