// The training recipe: engine, number formats, optimizer, batch, recompute, kernels.
#pragma once

#include <cstdint>

#include "core/scenario/names.hpp"

namespace meshgauge {

enum class Engine { single, dp, ddp, fsdp1, fsdp2, deepspeed, megatron, hf };
MESHGAUGE_NAMES(Engine, "single", "dp", "ddp", "fsdp1", "fsdp2", "deepspeed", "megatron", "hf");

/// bf16, fp16, fp8: mixed precision with fp32 master state, as the engine does it. pure_bf16: everything 16-bit.
enum class Precision { fp32, tf32, bf16, fp16, fp8, pure_bf16 };
MESHGAUGE_NAMES(Precision, "fp32", "tf32", "bf16", "fp16", "fp8", "pure_bf16");

enum class DataType { fp32, bf16, fp16, fp8, int64 };
MESHGAUGE_NAMES(DataType, "fp32", "bf16", "fp16", "fp8", "int64");
[[nodiscard]] constexpr double bytes_of(DataType t) {
  return t == DataType::int64 ? 8.0 : t == DataType::fp32 ? 4.0 : t == DataType::fp8 ? 1.0 : 2.0;
}

enum class Optimizer { adamw, adamw_8bit, adafactor, sgd, momentum, lion, muon };
MESHGAUGE_NAMES(Optimizer, "adamw", "adamw_8bit", "adafactor", "sgd", "momentum", "lion", "muon");

enum class Recompute { none, selective, full };
MESHGAUGE_NAMES(Recompute, "none", "selective", "full");

/// Of full recompute: uniform checkpoints every n layers, block recomputes the first n layers of a stage.
enum class RecomputeMethod { uniform, block };
MESHGAUGE_NAMES(RecomputeMethod, "uniform", "block");

/// What selective recompute discards (Megatron-LM --recompute-modules). A bit set.
struct RecomputeModules {
  bool core_attention = false;
  bool layernorm = false;
  bool mlp = false;
  bool moe_activation = false;
  bool mla_up_projection = false;

  bool operator==(const RecomputeModules&) const = default;
};

enum class Attention { flash, unfused };
MESHGAUGE_NAMES(Attention, "flash", "unfused");

/// unfused: what the engine does by default (fp32 copies); fused: in-place 16-bit; chunked: fused with the head (Liger).
enum class Loss { unfused, fused, chunked };
MESHGAUGE_NAMES(Loss, "unfused", "fused", "chunked");

/// fused: Transformer Engine or Megatron fusions; eager: plain PyTorch or Hugging Face modules; compiled: torch.compile.
enum class Kernels { fused, eager, compiled };
MESHGAUGE_NAMES(Kernels, "fused", "eager", "compiled");

struct Training {
  Engine engine = Engine::ddp;
  Precision precision = Precision::bf16;
  Optimizer optimizer = Optimizer::adamw;
  DataType gradient_dtype = DataType::fp32;
  std::int64_t sequence_length = 0;
  std::int64_t micro_batch_size = 1;   ///< sequences per forward of one replica
  std::int64_t global_batch_size = 1;  ///< sequences per optimizer step
  Recompute recompute = Recompute::none;
  RecomputeMethod recompute_method = RecomputeMethod::uniform;
  std::int64_t recompute_layers = 1;
  RecomputeModules recompute_modules;
  Attention attention = Attention::flash;
  Loss loss = Loss::unfused;
  Kernels kernels = Kernels::eager;
  bool dropout = false;            ///< hidden (and unfused attention) dropout masks are kept
  double moe_load_factor = 1;      ///< tokens on the fullest expert rank over the mean
  double tokens = 0;               ///< length of the run; 0 = not asked
};

/// Bytes of an activation element in the matrix products.
[[nodiscard]] constexpr double activation_bytes(Precision p) {
  return p == Precision::fp32 || p == Precision::tf32 ? 4.0 : 2.0;
}
[[nodiscard]] constexpr bool is_mixed(Precision p) {
  return p == Precision::bf16 || p == Precision::fp16 || p == Precision::fp8;
}

}  // namespace meshgauge
