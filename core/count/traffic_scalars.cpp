// Single numbers that ranks agree on once a step: gradient norm, loss, overflow of fp16.
#include "core/count/traffic_sink.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge {

void scalar_traffic(TrafficSink& sink) {
  const Parallelism& p = sink.layout();
  const EngineDescription& engine = describe_engine(sink.training().engine, p.zero_stage);
  const DataParallelRules& rules = data_parallel_rules(sink.training().engine, p.zero_stage);
  const bool cut = p.zero_stage > 0 || p.tensor * p.pipeline * p.expert > 1;  // no rank sees all gradients
  Transfer t{.id = "gradient_norm",
             .collective = Collective::all_reduce,
             .group = Group::world,
             .group_size = group_size(sink.scenario, Group::world),
             .dtype = DataType::fp32,
             .bytes = 4,
             .count_per_step = 1,
             .when = When::step_end,
             .overlap = Overlap::none,
             .source = "Megatron-LM core/optimizer/clip_grads.py; torch.nn.utils.clip_grad_norm_ on shards"};
  if (cut) sink.add(t);
  if (cut && sink.training().precision == Precision::fp16) {
    t.id = "overflow_check";
    t.source = "Megatron-LM core/optimizer/optimizer.py: found_inf of the gradient scaler";
    sink.add(t);
  }
  if (sink.shape.head && engine.multi_rank && rules.gather_collective != Collective::broadcast) {
    t.id = "loss_mean";
    t.group = Group::data_parallel;
    t.group_size = group_size(sink.scenario, Group::data_parallel);
    t.source = "the logged loss is averaged over data-parallel ranks once a step";
    sink.add(t);
  }
}

}  // namespace meshgauge
