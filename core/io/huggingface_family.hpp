// What each family of models on the Hugging Face hub leaves out of its config.json: the defaults of transformers'
// configuration classes and what their modelling code fixes. A new family is one line of the table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/io/config_reader.hpp"
#include "core/scenario/model_shape.hpp"

namespace meshgauge {

/// Which matrices have a bias when nothing is said.
enum class Biases { none, qkv, attention, mlp, all };

/// What a configuration class makes of a key that is left out. Files of transformers leave such keys out of the nested
/// configs of multimodal models only (PretrainedConfig.to_diff_dict), so a top-level file without them is incomplete.
struct ClassSizes {
  std::int64_t hidden = 0, ffn = 0, layers = 0, heads = 0, kv_heads = 0, vocab = 0, positions = 0;
};

struct Family {
  std::string_view types;  ///< values of model_type, separated by spaces
  ModelKind kind = ModelKind::decoder;
  bool gated = true;
  Activation activation = Activation::swiglu;  ///< if the config names none
  Norm norm = Norm::rmsnorm;
  bool norm_bias = false;
  Position position = Position::rope;
  bool tie = false;
  Biases biases = Biases::none;
  bool attention_bias_on_output = true;  ///< attention_bias speaks of the output matrix too
  std::int64_t norms = 2;
  QkNorm qk_norm = QkNorm::none;
  bool qk_norm_on = true;  ///< unless use_qk_norm or qk_layernorm says
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, vocab = 0, positions = 0;  ///< 0: no default
  std::int64_t hidden = 0, layers = 0, ffn = 0;                                  ///< only from `nested`
  std::int64_t ffn_ratio = 0;  ///< MLP width over hidden; 0: no default
  std::int64_t window = 0;
  bool window_on = true;           ///< unless use_sliding_window says
  std::int64_t window_period = 0;  ///< every n-th layer attends to everything; 0: all attend within the window
  ClassSizes nested = {};
  /// What no table holds. Runs after the usual keys were read.
  void (*finish)(ConfigReader&, ModelShape&) = nullptr;
};

/// nullptr if the type is not known. Case, '_' and '-' do not matter.
[[nodiscard]] const Family* find_family(std::string_view model_type);

/// Every model_type that is known, in the order of the table.
[[nodiscard]] std::vector<std::string_view> family_types();

/// The family with the sizes that its class gives a nested config.
[[nodiscard]] Family with_class_sizes(Family);

/// The family of a config that does not say what it is: a decoder with what its own keys suggest.
[[nodiscard]] Family guess_family(const ConfigReader&);

}  // namespace meshgauge
