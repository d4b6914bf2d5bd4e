// Where the transfers of one rank are written down, with the sizes they are computed from.
#pragma once

#include <vector>

#include "core/count/flops.hpp"
#include "core/count/flops_sizes.hpp"
#include "core/count/stage.hpp"
#include "core/count/traffic.hpp"

namespace meshgauge {

struct TrafficSink {
  const Scenario& scenario;
  std::int64_t stage;
  StageShape shape;
  WorkSizes z;
  DataType activation;  ///< of tensors between layers
  double passes;        ///< micro-batches that cross each layer of the rank in a step
  std::vector<Transfer>& out;
  Repeats repeats = Repeats::with;

  [[nodiscard]] bool wants(When when) const {
    return repeats == Repeats::with || (when == When::recompute_layer) == (repeats == Repeats::alone);
  }
  /// Of the layers that full recompute runs again; alone they stand for all of them.
  [[nodiscard]] double repeated_share() const {
    return repeats == Repeats::alone ? 1 : recomputed_share(scenario, shape);
  }
  void add(const Transfer& t) {
    if (wants(t.when) && t.group_size > 1 && t.bytes > 0 && t.count_per_step > 0) out.push_back(t);
  }
  [[nodiscard]] const Parallelism& layout() const { return scenario.parallelism; }
  [[nodiscard]] const Training& training() const { return scenario.training; }
  [[nodiscard]] const ModelShape& model() const { return scenario.model; }
  /// A multi-token-prediction layer is of the kind of the model's last layer.
  [[nodiscard]] double moe_layers() const {
    const bool mtp = model().is_moe_layer(model().layers - 1);
    return static_cast<double>(shape.moe_layers + (mtp ? shape.mtp_layers : 0));
  }
  [[nodiscard]] double dense_layers() const { return static_cast<double>(shape.blocks()) - moe_layers(); }
};

void tensor_parallel_traffic(TrafficSink&);
void context_parallel_traffic(TrafficSink&);
void expert_parallel_traffic(TrafficSink&);
void pipeline_traffic(TrafficSink&);
void data_parallel_traffic(TrafficSink&);
void scalar_traffic(TrafficSink&);

}  // namespace meshgauge
