// The model of a step: sizes, and its parameters in the order in which the backward finishes their gradients.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/model_shape.hpp"

namespace meshgauge::step {

enum class Role {
  token_table,
  position_table,
  norm1_weight,
  norm1_bias,
  qkv_weight,
  qkv_bias,
  output_weight,
  output_bias,
  norm2_weight,
  norm2_bias,
  up_weight,  ///< gate above up where the MLP is gated
  up_bias,
  down_weight,
  down_bias,
  final_norm_weight,
  final_norm_bias,
  head_weight
};
inline constexpr std::size_t role_count = 17;

/// A rank's place in its tensor-parallel group.
struct TensorRank {
  std::size_t ranks = 1, rank = 0;
  bool cuts_sequence = false;  ///< what lies between the cut matrices is cut by tokens: sequence parallelism
};

/// Sizes in elements, as one rank has them: tensor parallelism cuts heads, the MLP and the vocabulary. Matrices are
/// stored as their product reads them: outputs x inputs.
struct Shape {
  std::size_t layers = 0, hidden = 0, ffn = 0, heads = 0, kv_heads = 0, head_dim = 0, vocab = 0;
  std::size_t positions = 0;  ///< rows of the learned table; 0: rotary positions
  TensorRank tensor;
  bool tied = false, gated = false, centred = true;
  bool bias_qkv = false, bias_output = false, bias_mlp = false, bias_norm = false;
  std::size_t sequence = 0, micro_batch = 1;

  [[nodiscard]] std::size_t tokens() const { return sequence * micro_batch; }
  /// Tokens whose hidden state this rank has between the cut matrices.
  [[nodiscard]] std::size_t own_tokens() const { return tokens() / (tensor.cuts_sequence ? tensor.ranks : 1); }
  [[nodiscard]] std::size_t query_width() const { return heads * head_dim; }
  [[nodiscard]] std::size_t qkv_width() const { return (heads + 2 * kv_heads) * head_dim; }
  [[nodiscard]] std::size_t up_width() const { return (gated ? 2 : 1) * ffn; }
};

/// Why this step cannot train the model; nothing if it can.
[[nodiscard]] std::optional<std::string> unsupported(const ModelShape&);
[[nodiscard]] Shape shape_of(const ModelShape&, std::size_t vocab, std::size_t sequence, std::size_t micro_batch,
                             TensorRank = {});

/// Where the elements of a rank's part lie in the whole parameter: the whole is blocks of up to three sizes in turn,
/// each cut evenly over the ranks.
struct Cut {
  std::array<std::size_t, 3> parts{};  ///< elements of a rank's part of each block; 0: no such block
  std::size_t ranks = 1, rank = 0;

  [[nodiscard]] constexpr bool whole() const { return ranks == 1; }
  [[nodiscard]] constexpr std::size_t global(std::size_t element) const {
    if (whole()) return element;
    const std::size_t turn = parts[0] + parts[1] + parts[2];
    std::size_t start = element / turn * turn * ranks, offset = element % turn;
    for (std::size_t i = 0; i < 3; ++i) {
      if (offset < parts[i]) return start + rank * parts[i] + offset;
      offset -= parts[i];
      start += parts[i] * ranks;
    }
    return start;
  }
};

struct Parameter {
  Role role;
  std::size_t unit;  ///< its layer, or `layers` for what lies outside of them
  std::size_t elements;
  Cut cut;

  /// Each tensor rank has all of it, and with sequence parallelism sees a part of the tokens: norms, and biases behind
  /// the sum over ranks. The table of positions is read before tokens are cut.
  [[nodiscard]] bool sees_own_tokens() const { return cut.whole() && role != Role::position_table; }
};

/// All parameters in the order in which the backward is done with them, and where each role of a unit stands.
struct ParameterList {
  std::vector<Parameter> all;
  std::vector<std::array<std::size_t, role_count>> places;  ///< by unit; `absent` if it has no such parameter

  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t place(std::size_t unit, Role role) const {
    return places[unit][static_cast<std::size_t>(role)];
  }
  [[nodiscard]] std::size_t units() const { return places.size(); }
  [[nodiscard]] std::size_t root() const { return places.size() - 1; }
  [[nodiscard]] std::vector<std::size_t> of_unit(std::size_t unit) const;
};
[[nodiscard]] ParameterList parameters_of(const Shape&);
/// Whether a matrix product reads the parameter: a tied table is the head's matrix.
[[nodiscard]] bool is_product(const ParameterList&, std::size_t place);

}  // namespace meshgauge::step
