// Parameters: of a whole model by shape, and of one rank before data-parallel sharding.
#pragma once

#include "core/count/stage.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// Parameters of one layer, by how tensor and expert parallelism cut them. Elements.
struct LayerParameters {
  double attention_sharded = 0;     ///< query and output matrices, MLA up-projections, sharded biases, sinks: / t
  double key_value = 0;             ///< K and V matrices and biases: / min(t, KV heads), a head is never cut
  double attention_replicated = 0;  ///< MLA down-projections: full on every rank
  double attention_vectors = 0;     ///< qk and latent norms, row-parallel bias: full on every rank
  double mlp_sharded = 0;           ///< dense MLP or shared expert: / t
  double mlp_replicated = 0;        ///< row-parallel bias, shared gate
  double norms = 0;                 ///< replicated
  double router = 0;                ///< replicated
  double experts = 0;               ///< all routed experts of the layer: / (e * etp)

  [[nodiscard]] constexpr double attention() const {
    return attention_sharded + key_value + attention_replicated + attention_vectors;
  }
  [[nodiscard]] constexpr double total() const {
    return attention() + mlp_sharded + mlp_replicated + norms + router + experts;
  }
};

enum class LayerKind { dense, moe, encoder, decoder_with_cross_attention };
enum class AttentionKind { softmax, linear };

[[nodiscard]] LayerParameters layer_parameters(const ModelShape&, LayerKind, AttentionKind = AttentionKind::softmax);

/// Parameters outside the layers. Elements.
[[nodiscard]] double embedding_parameters(const ModelShape&);  ///< token, position, type tables, patches; their norm
[[nodiscard]] double head_parameters(const ModelShape&);       ///< final norm, untied LM head and its bias, pooler
[[nodiscard]] double mtp_parameters(const ModelShape&);  ///< all multi-token-prediction layers, without shared copies

/// Published convention: all weights, tied matrices once, no MTP.
[[nodiscard]] double total_parameters(const ModelShape&);
/// Weights that one token touches: routed experts scaled by top_k / experts.
[[nodiscard]] double active_parameters(const ModelShape&);

/// What one rank holds before data-parallel sharding. Elements.
struct RankParameters {
  double dense = 0;             ///< everything but routed experts; sharded over data * context
  double experts = 0;           ///< routed experts; sharded over the expert-data group
  double largest_layer = 0;     ///< of one rank, dense and expert parts together: the unit that FSDP gathers
  double outside_layers = 0;    ///< embedding, final norm, head: FSDP's root unit
  double replicated_small = 0;  ///< norms, biases and gates that every tensor rank holds whole, included in dense
  double matrices = 0;          ///< of dense: the linear layers of the blocks, which quantisation packs
  double adapters = 0;          ///< low-rank adapters, beside the rest; 0 without them

  [[nodiscard]] constexpr double total() const { return dense + experts; }
};
/// Elements of the adapters of one layer of the whole model: rank * (inputs + outputs) of each matrix that has one
/// (Hu et al. 2021, arXiv:2106.09685 section 4.1).
[[nodiscard]] double adapter_parameters(const ModelShape&, LayerKind, LoraTargets, std::int64_t rank);
/// Multi-token-prediction layers count as trained. With p > 1 both ends hold a tied matrix (Megatron-LM
/// megatron/core/models/gpt/gpt_model.py), and MTP layers need the embedding on the last stage.
[[nodiscard]] RankParameters rank_parameters(const Scenario&, const StageShape&);

}  // namespace meshgauge
