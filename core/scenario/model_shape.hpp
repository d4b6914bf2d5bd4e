// The shape of a transformer: everything that counting needs to know of a model, nothing of hardware.
#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class ModelKind { decoder, encoder, encoder_decoder, vit };
MESHGAUGE_NAMES(ModelKind, "decoder", "encoder", "encoder-decoder", "vit");

enum class Activation { gelu, relu, relu2, swiglu, geglu };
MESHGAUGE_NAMES(Activation, "gelu", "relu", "relu2", "swiglu", "geglu");

enum class Norm { layernorm, rmsnorm };
MESHGAUGE_NAMES(Norm, "layernorm", "rmsnorm");

enum class Position { none, learned, rope, alibi, relative };
MESHGAUGE_NAMES(Position, "none", "learned", "rope", "alibi", "relative");

/// How query and key are normalised before the scores: not at all, per head dimension, or over the full width.
enum class QkNorm { none, head, full };
MESHGAUGE_NAMES(QkNorm, "none", "head", "full");

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434 section 2.1). Ranks and widths in elements.
struct LatentAttention {
  std::int64_t q_lora_rank = 0;  ///< 0: the query is projected directly
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;

  [[nodiscard]] constexpr bool used() const { return kv_lora_rank > 0; }
};

/// Mixture of experts. `experts == 0`: a dense model.
struct MixtureOfExperts {
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t expert_ffn = 0;          ///< width of one routed expert
  std::int64_t shared_ffn = 0;          ///< width of all shared experts together, 0 if none
  std::int64_t first_dense_layers = 0;  ///< leading layers with a dense MLP
  std::int64_t layer_freq = 1;          ///< after those, the last layer of each group of this many is MoE
  std::int64_t groups = 1;              ///< experts lie in so many groups
  std::int64_t group_limit = 0;         ///< a token's experts lie in at most so many groups; 0: no limit
  bool router_bias = false;
  bool shared_gate = false;

  [[nodiscard]] constexpr bool used() const { return experts > 0; }
};

/// Sizes in elements; names as in Hugging Face config.json where one exists.
struct ModelShape {
  std::string id;    ///< catalog id, or "custom"
  std::string name;  ///< for people
  std::string source;
  ModelKind kind = ModelKind::decoder;
  std::int64_t layers = 0;          ///< decoder layers (encoder layers for encoder-only models)
  std::int64_t encoder_layers = 0;  ///< encoder-decoder models only
  std::int64_t hidden = 0;
  std::int64_t ffn = 0;  ///< width of the dense MLP (in MoE models: of their dense layers)
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab = 0;
  std::int64_t embedding_width = 0;  ///< of a token's row where it differs from `hidden` (OPT 350M), else 0
  std::int64_t max_sequence = 0;     ///< positions the model was made for; 0 if unknown
  bool tie_embeddings = false;
  Activation activation = Activation::gelu;
  Norm norm = Norm::layernorm;
  Position position = Position::learned;
  std::int64_t position_rows = 0;     ///< rows of a learned position table
  std::int64_t type_rows = 0;         ///< rows of a token-type table (BERT)
  std::int64_t relative_buckets = 0;  ///< T5 relative position buckets
  std::int64_t patch = 0;             ///< ViT patch edge in pixels
  bool bias_qkv = false;
  bool bias_attn_out = false;
  bool bias_mlp = false;
  bool bias_lm_head = false;
  std::int64_t norms_per_layer = 2;
  bool norm_weight = true;
  bool norm_bias = false;  ///< LayerNorm usually true, RMSNorm false
  bool embedding_norm = false;
  bool final_norm = true;
  QkNorm qk_norm = QkNorm::none;
  bool attention_sinks = false;
  std::int64_t linear_per_full = 0;  ///< linear-attention layers for each softmax layer (MiniMax)
  std::int64_t window = 0;           ///< sliding or chunked attention width of the local layers, 0 if none
  std::int64_t local_layers = 0;     ///< how many layers attend within the window
  LatentAttention mla;
  MixtureOfExperts moe;
  std::int64_t mtp_depth = 0;         ///< multi-token-prediction layers (DeepSeek-V3)
  std::int64_t extra_parameters = 0;  ///< counted once, outside the layers (BERT pooler)

  [[nodiscard]] constexpr bool gated() const {
    return activation == Activation::swiglu || activation == Activation::geglu;
  }
  /// Columns of the token table and of the head.
  [[nodiscard]] constexpr std::int64_t token_width() const { return embedding_width > 0 ? embedding_width : hidden; }
  /// Matrices in one MLP: three when gated (Shazeer 2020, arXiv:2002.05202), else two.
  [[nodiscard]] constexpr std::int64_t mlp_matrices() const { return gated() ? 3 : 2; }
  /// True if decoder layer `i` (0-based) routes to experts.
  [[nodiscard]] constexpr bool is_moe_layer(std::int64_t i) const {
    return moe.used() && i >= moe.first_dense_layers &&
           (i - moe.first_dense_layers) % moe.layer_freq == moe.layer_freq - 1;
  }
};

}  // namespace meshgauge
