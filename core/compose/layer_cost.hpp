// Seconds of the kernels of a layer, of the head and of the embedding, without communication.
#pragma once

#include <vector>

#include "core/count/flops.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// One micro-batch through one layer, or through what else a stage holds.
struct LayerCost {
  Seconds forward{}, backward_input{}, backward_weight{};     ///< kernels
  Seconds recompute{};                                        ///< kernels of the forward that run again
  Seconds forward_gaps{}, backward_gaps{}, recompute_gaps{};  ///< between kernels
  Seconds attention_forward{}, attention_backward{};          ///< of the above: the attention core
  Seconds host_forward{}, host_backward{};                    ///< what the host needs to launch it

  LayerCost& operator+=(const LayerCost&);
  friend LayerCost operator*(double, const LayerCost&);
};

/// Weight gradients are added to what is there already, by a product that does so or in a pass of its own.
[[nodiscard]] bool accumulates_gradients(const Scenario&);

[[nodiscard]] LayerCost layer_cost(const Scenario&, const Profile&, LayerKind, AttentionKind);

/// A kernel of a forward, as recompute sees it.
struct ForwardKernel {
  OpKind kind;
  OpModule module;
  Seconds seconds;
  double launches;
};
/// A layer that nothing is run again of, and what could be. The same in parts, for who prices many recompute choices:
/// layer_cost() is `once` with what is run_again().
struct LayerPrice {
  LayerCost once;
  std::vector<ForwardKernel> kernels;
};
void price_layer(const Scenario&, const Profile&, LayerKind, AttentionKind, LayerPrice&);
/// Sets the recompute and its gaps.
void run_again(const Training&, const Profile&, const std::vector<ForwardKernel>&, LayerCost&);
/// One of its kernels alone, which nothing runs again.
[[nodiscard]] LayerCost op_cost(const Scenario&, const Profile&, const Op&);
/// Beside a layer of the last one's kind and a head.
void price_mtp(const Scenario&, const Profile&, LayerPrice&);
[[nodiscard]] LayerCost head_cost(const Scenario&, const Profile&);
[[nodiscard]] LayerCost embedding_cost(const Scenario&, const Profile&);

}  // namespace meshgauge
