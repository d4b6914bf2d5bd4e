#include "core/search/candidate.hpp"

#include <tuple>

namespace meshgauge {
namespace {

unsigned bits(const RecomputeModules& m) {
  return (m.core_attention ? 1U : 0) | (m.layernorm ? 2U : 0) | (m.mlp ? 4U : 0) | (m.moe_activation ? 8U : 0) |
         (m.mla_up_projection ? 16U : 0) | (m.operators ? 32U : 0);
}

auto key(const Candidate& c) {
  return std::tuple(c.value, c.cost.memory.value, c.cost.seconds.value, c.engine, c.zero_stage, c.grid, c.schedule,
                    c.recompute.kind, c.recompute.method, c.recompute.layers, bits(c.recompute.modules));
}

}  // namespace

bool better(const Candidate& a, const Candidate& b) { return key(a) < key(b); }

}  // namespace meshgauge
