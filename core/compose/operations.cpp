#include "core/compose/operations.hpp"

#include "core/compose/layer_cost.hpp"
#include "core/count/flops.hpp"
#include "core/price/gemm.hpp"

namespace meshgauge {
namespace {

bool is_product(const Op& op) { return op.kind == OpKind::gemm || op.kind == OpKind::grouped_gemm; }

/// Both operands and the result of m x k by k x n.
double matrix_bytes(const Scenario& scenario, const Op& op) {
  const MatmulFormat format = matmul_format(scenario.training.precision, op.low_precision);
  return op.groups * (operand_bytes(format) * (op.m * op.k + op.k * op.n) + result_bytes(format) * op.m * op.n);
}

/// Queries, keys, values and output of an attention core.
double attention_bytes(const Scenario& scenario, AttentionKind attention) {
  const WorkSizes z = work_sizes(scenario);
  const double keys = attention == AttentionKind::linear ? z.a : z.k;
  return z.w * z.T / z.t * (z.a + keys) * (z.qk + z.dv);
}

/// The backward of a product is one or two more over the same three matrices; that of attention reads what the forward
/// read and wrote and the gradient of the output, and writes three gradients.
Operation operation_of(const Scenario& scenario, AttentionKind attention, const Op& op, const LayerCost& cost) {
  const double own = is_product(op)                 ? matrix_bytes(scenario, op)
                     : op.kind == OpKind::attention ? attention_bytes(scenario, attention)
                                                    : 0;
  const double backward_passes = is_product(op) ? op.backward_flops / op.flops : 2;
  return {.op = op,
          .forward = {{op.flops}, {own + op.bytes}, cost.forward},
          .backward = {{op.backward_flops},
                       {backward_passes * own + op.backward_bytes},
                       cost.backward_input + cost.backward_weight}};
}

}  // namespace

std::vector<Operation> layer_operations(const Scenario& scenario, const Profile& profile, LayerKind kind,
                                        AttentionKind attention) {
  std::vector<Operation> operations;
  layer_ops(scenario, kind, attention, [&](const Op& op) {
    operations.push_back(operation_of(scenario, attention, op, op_cost(scenario, profile, op)));
  });
  return operations;
}

std::vector<Operation> head_operations(const Scenario& scenario, const Profile& profile) {
  std::vector<Operation> operations;
  head_ops(scenario, [&](const Op& op) {
    operations.push_back(operation_of(scenario, AttentionKind::softmax, op, op_cost(scenario, profile, op)));
  });
  return operations;
}

}  // namespace meshgauge
