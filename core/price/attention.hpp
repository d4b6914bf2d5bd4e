// Seconds of an attention core: flash attention by executed FLOPs, unfused by products and passes over the scores.
#pragma once

#include "core/count/flops.hpp"
#include "core/price/profile.hpp"

namespace meshgauge {

enum class AttentionPass { forward, backward };

/// `op` is of kind attention; flash attention has no bytes of its own.
[[nodiscard]] Seconds attention_time(const Profile&, const Training&, const Op& op, AttentionPass);

}  // namespace meshgauge
