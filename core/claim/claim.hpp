// What somebody says of a training run, and what follows from it by arithmetic alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/count/figure.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

/// The figures of a claim. Each follows from others by a product: see core/claim/derive.cpp.
enum class Fact {
  parameters,
  active_parameters,
  tokens,
  gpus,
  days,
  gpu_hours,
  tokens_per_second,
  tokens_per_second_per_gpu,
  tflops_per_gpu,  ///< of the model
  mfu,             ///< over the dense peak
  flops_per_token,
  total_flops
};
MESHGAUGE_NAMES(Fact, "parameters", "active_parameters", "tokens", "gpus", "days", "gpu_hours", "tokens_per_second",
                "tokens_per_second_per_gpu", "tflops_per_gpu", "mfu", "flops_per_token", "total_flops");
inline constexpr std::size_t fact_count = 12;

using Facts = std::array<std::optional<double>, fact_count>;

/// FLOPs of a token for a model whose shape is known.
struct TokenFlops {
  double matrices = 0;     ///< multiply-adds of all matrix products; 0 where nothing but parameters is known
  double causal_core = 0;  ///< of causal attention at the claim's sequence
};

struct Claim {
  Facts given;
  double peak_tflops = 0;  ///< dense, of the claim's precision; 0 without a GPU
  TokenFlops shape;
};

/// How far two figures may lie apart that mean the same.
struct Slack {
  bool counts_flops = false;  ///< passes through a count of FLOPs, of which there are several conventions
  bool wall_time = false;     ///< passes from a rate to the length of a run, which interruptions stretch

  [[nodiscard]] double factor() const;
};

/// A figure that follows, with its reason.
struct Derived {
  Fact fact;
  Figure figure;
  Slack slack;
};

struct Consequences {
  Facts values;                  ///< given and derived
  std::vector<Derived> derived;  ///< in the order in which they follow
};
[[nodiscard]] Consequences consequences_of(const Claim&);

/// A given figure beside what the others make of it.
struct Conflict {
  Fact fact;
  double given = 0;
  Derived implied;
  double factor = 1;          ///< the larger over the smaller
  bool contradiction = true;  ///< beyond what conventions, interruptions and rounding explain; else worth a remark
  bool recompute = false;     ///< explained by counting the second forward of full recompute
};
/// The given figures that the others do not confirm, to 5 %.
[[nodiscard]] std::vector<Conflict> conflicts_in(const Claim&);

}  // namespace meshgauge
