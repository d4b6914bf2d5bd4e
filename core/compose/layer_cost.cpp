// Prices the ops of a layer one by one: products with their two backward products, attention, passes over memory.
#include "core/compose/layer_cost.hpp"

#include <algorithm>
#include <string_view>

#include "core/engine/engine.hpp"
#include "core/price/attention.hpp"
#include "core/price/gemm.hpp"

namespace meshgauge {
namespace {

/// Gaps are hidden when the queue of launches runs ahead; a layer's kernels show at most so many.
constexpr double most_forward_gaps = 30, most_backward_gaps = 55;

class OpPricer {
 public:
  /// `kernels`: where those of the forward are noted.
  OpPricer(const Scenario& scenario, const Profile& profile, std::vector<ForwardKernel>* kernels)
      : training_(scenario.training), profile_(profile), kernels_(kernels) {
    if (kernels_ != nullptr) kernels_->clear();
    const EngineDescription& engine = describe_engine(training_.engine, scenario.parallelism.zero_stage);
    if (accumulates_gradients(scenario)) {
      accumulation_ =
          engine.fuses_gradient_accumulation ? profile.fused_accumulation_bytes : profile.accumulation_bytes;
    }
  }

  void operator()(const Op& op) {
    Seconds forward{};
    switch (op.kind) {
      case OpKind::gemm:
      case OpKind::grouped_gemm:
        forward = product(op);
        break;
      case OpKind::attention: {
        const Seconds backward = attention_time(profile_, training_, op, AttentionPass::backward);
        forward = attention_time(profile_, training_, op, AttentionPass::forward);
        cost_.attention_forward += forward;
        cost_.attention_backward += backward;
        cost_.backward_input += backward;
        break;
      }
      case OpKind::memory_bound:
        forward = Bytes{op.bytes} / rate_of(op);
        cost_.backward_input += Bytes{op.backward_bytes} / rate_of(op);
        break;
    }
    cost_.forward += forward;
    forward_kernels_ += op.kernels;
    backward_kernels_ += op.backward_kernels;
    if (kernels_ != nullptr) kernels_->push_back({op.kind, op.module, forward, op.kernels});
  }

  [[nodiscard]] LayerCost finish() const {
    LayerCost cost = cost_;
    cost.forward_gaps = std::min(forward_kernels_, most_forward_gaps) * profile_.launch;
    cost.backward_gaps = std::min(backward_kernels_, most_backward_gaps) * profile_.launch;
    return cost;
  }

 private:
  [[nodiscard]] BytesPerSecond rate_of(const Op& op) const {
    return (op.id == std::string_view("loss") ? profile_.loss_speed : profile_.pass_speed) * profile_.hbm;
  }

  /// Forward m x n x k; input gradient m x k x n; weight gradient n x k x m.
  [[nodiscard]] Seconds pass_time(const Op& op, MatmulFormat format, ProductPass pass) const {
    if (op.kind == OpKind::grouped_gemm) return grouped_time(profile_, format, pass, op.m, op.n, op.k, op.groups);
    switch (pass) {
      case ProductPass::forward:
        return gemm_time(profile_, format, op.m, op.n, op.k, op.groups);
      case ProductPass::input_gradient:
        return gemm_time(profile_, format, op.m, op.k, op.n, op.groups);
      case ProductPass::weight_gradient:
        return gemm_time(profile_, format, op.n, op.k, op.m, op.groups);
    }
    return {};
  }

  /// Weight gradients are added to what earlier micro-batches left.
  Seconds product(const Op& op) {
    const MatmulFormat format = matmul_format(training_.precision, op.low_precision);
    Seconds forward = pass_time(op, format, ProductPass::forward);
    if (op.backward_flops > op.flops) {
      cost_.backward_input += pass_time(op, format, ProductPass::input_gradient);
    }
    const bool frozen = training_.peft != Peft::none;  // the base has no gradient; an adapter's own is small
    if (!frozen)
      cost_.backward_weight += pass_time(op, format, ProductPass::weight_gradient) +
                               Bytes{accumulation_ * op.n * op.k * op.groups} / profile_.hbm;
    if (format == MatmulFormat::fp8 ||
        format == MatmulFormat::fp4) {  // both operands of the backward products are cast from the gradient
      forward += Bytes{profile_.fp8_cast_forward * op.m * op.k * op.groups} / profile_.hbm;
      cost_.backward_input += Bytes{profile_.fp8_cast_backward * op.m * op.n * op.groups} / profile_.hbm;
    }
    return forward;
  }

  const Training& training_;
  const Profile& profile_;
  std::vector<ForwardKernel>* kernels_;
  double accumulation_ = 0;
  double forward_kernels_ = 0, backward_kernels_ = 0;
  LayerCost cost_;
};

bool runs_again(const Training& training, const ForwardKernel& kernel) {
  if (training.recompute == Recompute::full) return true;
  const RecomputeModules& modules = training.recompute_modules;
  if (modules.operators) return kernel.kind != OpKind::attention;
  switch (kernel.module) {
    case OpModule::other:
      return false;
    case OpModule::core_attention:
      return modules.core_attention;
    case OpModule::layernorm:
      return modules.layernorm;
    case OpModule::mlp:
      return modules.mlp;
    case OpModule::moe_activation:
      return modules.moe_activation;
    case OpModule::mla_up_projection:
      return modules.mla_up_projection;
  }
  return false;
}

/// Selective checkpointing by operators keeps every second product.
double repeated_share(const Training& training, const ForwardKernel& kernel) {
  const bool product = kernel.kind == OpKind::gemm || kernel.kind == OpKind::grouped_gemm;
  return product && training.recompute == Recompute::selective && training.recompute_modules.operators ? 0.5 : 1;
}

/// One process that drives several replicas launches their kernels one after the other (torch.nn.DataParallel).
double replicas_of_one_host(const Scenario& scenario) {
  const DataParallelRules& rules = data_parallel_rules(scenario.training.engine, scenario.parallelism.zero_stage);
  return rules.gather_collective == Collective::broadcast ? static_cast<double>(scenario.parallelism.data) : 1;
}

}  // namespace

bool accumulates_gradients(const Scenario& s) {
  const DataParallelRules& rules = data_parallel_rules(s.training.engine, s.parallelism.zero_stage);
  const bool gathers = rules.gather == ParameterGather::each_use && s.parallelism.data > 1;
  return s.micro_batches() > 1 || gathers;
}

LayerCost& LayerCost::operator+=(const LayerCost& o) {
  forward += o.forward;
  backward_input += o.backward_input;
  backward_weight += o.backward_weight;
  recompute += o.recompute;
  forward_gaps += o.forward_gaps;
  backward_gaps += o.backward_gaps;
  recompute_gaps += o.recompute_gaps;
  attention_forward += o.attention_forward;
  attention_backward += o.attention_backward;
  host_forward += o.host_forward;
  host_backward += o.host_backward;
  return *this;
}

LayerCost operator*(double n, const LayerCost& c) {
  return {.forward = n * c.forward,
          .backward_input = n * c.backward_input,
          .backward_weight = n * c.backward_weight,
          .recompute = n * c.recompute,
          .forward_gaps = n * c.forward_gaps,
          .backward_gaps = n * c.backward_gaps,
          .recompute_gaps = n * c.recompute_gaps,
          .attention_forward = n * c.attention_forward,
          .attention_backward = n * c.attention_backward,
          .host_forward = n * c.host_forward,
          .host_backward = n * c.host_backward};
}

void run_again(const Training& training, const Profile& profile, const std::vector<ForwardKernel>& kernels,
               LayerCost& cost) {
  cost.recompute = cost.recompute_gaps = {};
  if (training.recompute == Recompute::none) return;
  double launches = 0;
  for (const ForwardKernel& kernel : kernels) {
    if (!runs_again(training, kernel)) continue;
    const double share = repeated_share(training, kernel);
    cost.recompute += share * kernel.seconds;
    launches += share * kernel.launches;
  }
  cost.recompute_gaps = std::min(launches, most_forward_gaps) * profile.launch;
}

void price_layer(const Scenario& scenario, const Profile& profile, LayerKind kind, AttentionKind attention,
                 LayerPrice& out) {
  OpPricer pricer(scenario, profile, &out.kernels);
  layer_ops(scenario, kind, attention, pricer);
  LayerCost& cost = out.once;
  cost = pricer.finish();
  const bool graphs = scenario.training.cuda_graphs;
  const double replicas = replicas_of_one_host(scenario);
  const HostTime& host =
      graphs ? profile.graph_host : profile.host[static_cast<std::size_t>(scenario.training.kernels)];
  cost.host_forward = replicas * host.forward;
  cost.host_backward = replicas * host.backward;
  if (kind == LayerKind::moe) {
    const HostTime& routing = graphs ? profile.moe_graph_host : profile.moe_host;
    cost.host_forward += routing.forward;
    cost.host_backward += routing.backward;
  }
  if (scenario.parallelism.tensor > 1 && scenario.training.kernels == Kernels::fused) {
    const double forward = scenario.parallelism.sequence_parallel ? 4 : 2;
    const double backward = scenario.parallelism.sequence_parallel ? 6 : 2;
    cost.host_forward += forward * profile.collective_host;
    cost.host_backward += backward * profile.collective_host;
  }
}

LayerCost layer_cost(const Scenario& scenario, const Profile& profile, LayerKind kind, AttentionKind attention) {
  LayerPrice price;
  price_layer(scenario, profile, kind, attention, price);
  run_again(scenario.training, profile, price.kernels, price.once);
  return price.once;
}

LayerCost op_cost(const Scenario& scenario, const Profile& profile, const Op& op) {
  OpPricer pricer(scenario, profile, nullptr);
  pricer(op);
  return pricer.finish();
}

void price_mtp(const Scenario& scenario, const Profile& profile, LayerPrice& out) {
  OpPricer pricer(scenario, profile, &out.kernels);
  mtp_ops(scenario, pricer);
  out.once = pricer.finish();
}

LayerCost head_cost(const Scenario& scenario, const Profile& profile) {
  OpPricer pricer(scenario, profile, nullptr);
  head_ops(scenario, pricer);
  return pricer.finish();
}

LayerCost embedding_cost(const Scenario& scenario, const Profile& profile) {
  OpPricer pricer(scenario, profile, nullptr);
  embedding_ops(scenario, pricer);
  return pricer.finish();
}

}  // namespace meshgauge
