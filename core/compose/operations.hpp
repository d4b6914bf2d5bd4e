// The operations of a micro-batch one by one: what each computes and moves at least, and how long it takes.
#pragma once

#include <vector>

#include "core/count/op.hpp"
#include "core/count/parameters.hpp"
#include "core/price/profile.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

/// One direction of an operation, on one rank.
struct Work {
  Flops flops{};
  Bytes bytes{};  ///< each operand read once, each result written once, and passes over memory of its own
  Seconds seconds{};
};

struct Operation {
  Op op;
  Work forward, backward;
};

/// In the order of the forward.
[[nodiscard]] std::vector<Operation> layer_operations(const Scenario&, const Profile&, LayerKind, AttentionKind);
[[nodiscard]] std::vector<Operation> head_operations(const Scenario&, const Profile&);

}  // namespace meshgauge
