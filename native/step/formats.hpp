// Which number format each thing of a step has: what mixed precision is, engine by engine.
#pragma once

#include <type_traits>

#include "native/step/host_device.hpp"

namespace meshgauge::step {

template <class ComputeT, class SmallT, class GradientT, class StoredT, class ReducedT, class StateT>
struct Formats {
  using Compute = ComputeT;    ///< activations, and matrices as products read them
  using Small = SmallT;        ///< norms, biases and tables as kernels read them
  using Gradient = GradientT;  ///< what the backward adds to
  using Stored = StoredT;      ///< weights between steps
  using Reduced = ReducedT;    ///< gradients as they travel, and as the optimizer gets them
  using State = StateT;        ///< what the optimizer updates and keeps

  /// The optimizer has weights of its own, of which the stored ones are copies.
  static constexpr bool master = !std::is_same_v<Stored, State>;
};

/// The same throughout: fp32, pure bf16, and double where the model is checked.
template <class T>
using Whole = Formats<T, T, T, T, T, T>;
/// torch.autocast: weights are fp32, each product gets a copy (torch/amp/autocast_mode.py).
using Autocast = Formats<Bfloat16, float, float, float, float, float>;
/// Megatron-LM: bf16 weights, fp32 gradients and masters (docs/user-guide/features/dist_optimizer.md).
using WithMainGradients = Formats<Bfloat16, Bfloat16, float, Bfloat16, float, float>;
/// DeepSpeed: bf16 weights and gradients, fp32 masters (deepspeed/runtime/engine.py get_data_types).
using WithMasters = Formats<Bfloat16, Bfloat16, Bfloat16, Bfloat16, Bfloat16, float>;
/// FSDP's MixedPrecision: fp32 parts, gathered in bf16, reduced in fp32 (torch/distributed/fsdp/_flat_param.py).
using GatheredHalf = Formats<Bfloat16, Bfloat16, Bfloat16, float, float, float>;

}  // namespace meshgauge::step
