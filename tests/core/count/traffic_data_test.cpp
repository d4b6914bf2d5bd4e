// Data-parallel transfers of each engine against the volumes that papers and engines state.
#include <string_view>

#include "core/count/parameters.hpp"
#include "core/count/traffic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

/// Bytes that the transfers chosen put into collectives in a step.
template <class Chosen>
double payload(const std::vector<Transfer>& traffic, Chosen chosen) {
  double sum = 0;
  for (const Transfer& t : traffic) {
    if (chosen(t)) sum += t.bytes * t.count_per_step;
  }
  return sum;
}

const Transfer* find(const std::vector<Transfer>& traffic, std::string_view id) {
  for (const Transfer& t : traffic) {
    if (t.id == id) return &t;
  }
  return nullptr;
}

/// Elements on the wire, without the (g - 1) / g of a finite group, in units of the model's parameters: the measure
/// of the ZeRO paper. Scalars are left out.
double volume_in_parameters(const Scenario& s) {
  double sum = 0;
  for (const Transfer& t : stage_traffic(s, 0)) {
    if (t.bytes == 4) continue;
    sum += t.bytes / bytes_of(t.dtype) * t.count_per_step * (t.collective == Collective::all_reduce ? 2 : 1);
  }
  return sum / rank_parameters(s, stage_shape(s, 0)).total();
}

}  // namespace

TEST_CASE("Data-parallel volumes are those of the ZeRO paper where the engine follows it") {
  // Rajbhandari et al. 2020, arXiv:1910.02054 section 7: 2 N for plain data parallelism and stages 1 and 2, 3 N for 3.
  const Cluster cluster = dgx_a100(64);
  CHECK(volume_in_parameters(data_parallel(llama2_7b(), cluster, Engine::ddp, 0, 4096, 1, 64)) == 2);
  Scenario megatron_optimizer = megatron(llama2_7b(), cluster, 1, 1, 4096, 1, 64);
  CHECK(volume_in_parameters(megatron_optimizer) == 2);
  // FSDP gathers all but the root unit twice.
  const Scenario fsdp = data_parallel(llama2_7b(), cluster, Engine::fsdp2, 3, 4096, 1, 64);
  const RankParameters rank = rank_parameters(fsdp, stage_shape(fsdp, 0));
  CHECK(volume_in_parameters(fsdp) == Approx(3 - rank.outside_layers / rank.total()).epsilon(1e-12));
}

TEST_CASE("DeepSpeed moves 3 N at stage 1 and (2 m + 1) N at stage 2") {
  // It all-reduces buckets, and at stage 2 after every micro-batch: stage_1_and_2.py; DeepSpeed issues 5758 and 7059.
  const Cluster cluster = dgx_a100(8);
  CHECK(volume_in_parameters(data_parallel(llama2_7b(), cluster, Engine::deepspeed, 1, 4096, 1, 32)) == 3);
  CHECK(volume_in_parameters(data_parallel(llama2_7b(), cluster, Engine::deepspeed, 2, 4096, 1, 32)) == 2 * 4 + 1);
}

TEST_CASE("DeepSpeed's stage 3 does not gather again what its reuse distance keeps") {
  // stage3_max_reuse_distance 1e9 elements: a model of at most 5e8 is gathered once a micro-batch (2 N, not 3 N).
  const ModelShape small = llama(22, 1024, 2816, 16, 16, 32000);
  const Scenario s = data_parallel(small, dgx_a100(8), Engine::deepspeed, 3, 2048, 1, 8);
  REQUIRE(rank_parameters(s, stage_shape(s, 0)).total() < 5e8);
  CHECK(volume_in_parameters(s) == 2);
  const Scenario large = data_parallel(llama2_7b(), dgx_a100(8), Engine::deepspeed, 3, 2048, 1, 8);
  const double N = rank_parameters(large, stage_shape(large, 0)).total();
  CHECK(volume_in_parameters(large) == Approx(3 - 5e8 / N).epsilon(1e-12));
}

TEST_CASE("ZeRO++ cuts the volume between nodes from 3 M to 0.75 M") {
  // Wang et al. 2023, arXiv:2306.10209 table 1, of 16-bit elements: M / 2 forward, none backward, M / 4 of gradients.
  Scenario s = data_parallel(llama2_7b(), dgx_a100(64), Engine::deepspeed, 3, 4096, 1, 64);
  s.training.zero_buffers.reuse_distance = 0;
  s.training.zero_plus_plus = {.partition = 8, .quantised_weights = true, .quantised_gradients = true};
  const double bytes = 2 * rank_parameters(s, stage_shape(s, 0)).total();
  double between = 0, near = 0;
  for (const Transfer& t : stage_traffic(s, 0)) {
    if (t.bytes == 4) continue;
    (t.group == Group::data_parallel_in_node ? near : between) += t.bytes * t.count_per_step;
  }
  // The second all-to-all carries what the first has summed: an eighth of each rank's gradients, of eight ranks a node.
  CHECK(between / bytes == Approx(0.5 + 0.25 / 8).epsilon(1e-12));
  CHECK(near / bytes == Approx(0.5 + 0.25).epsilon(1e-12));
}

TEST_CASE("Sharded copies sum each rank's shard of the gradients") {
  // torch/distributed/fsdp/_runtime_utils.py _reduce_grad: under HYBRID_SHARD the reduce-scattered shard is all-reduced
  // over the inter-node group; torch/distributed/fsdp/api.py: full sharding inside a node, replicas across nodes.
  Scenario s = data_parallel(llama2_7b(), dgx_a100(16), Engine::fsdp2, 3, 4096, 1, 16);
  s.parallelism.replicas = 2;
  const auto traffic = stage_traffic(s, 0);
  const Transfer* sum = find(traffic, "dp_replica_gradients");
  REQUIRE(sum != nullptr);
  CHECK(sum->collective == Collective::all_reduce);
  CHECK(sum->group_size == 2);
  CHECK(group_members_per_node(s, sum->group) == 1);
  CHECK(sum->bytes == 4 * 6738415616.0 / 8);
  CHECK(sum->messages == 33);  // 32 layers and the root unit
  CHECK(group_members_per_node(s, Group::data_parallel) == 8);
  CHECK(find(traffic, "fsdp_layer_gradients")->group_size == 8);
  s.parallelism.replicas = 1;
  CHECK(find(stage_traffic(s, 0), "dp_replica_gradients") == nullptr);
}

TEST_CASE("FSDP2 with bf16 parameters and fp32 reduction moves 8 bytes a parameter and micro-batch") {
  // 2 forward, 2 backward, 4 gradients; the root unit stays gathered: torch/distributed/fsdp/_fully_shard.
  Scenario s = data_parallel(llama2_7b(), dgx_a100(8), Engine::fsdp2, 3, 4096, 1, 16);
  const RankParameters rank = rank_parameters(s, stage_shape(s, 0));
  const auto state = [](const Transfer& t) { return t.group == Group::data_parallel && t.bytes > 4; };
  CHECK(payload(stage_traffic(s, 0), state) == 2 * (8 * rank.total() - 2 * rank.outside_layers));
  const Transfer* layer = find(stage_traffic(s, 0), "fsdp_forward_layer");
  REQUIRE(layer != nullptr);
  CHECK(layer->bytes == 2 * layer_parameters(s.model, LayerKind::dense).total());
  CHECK(layer->count_per_step == 32 * 2);
  s.parallelism.reshard_after_forward = false;
  CHECK(payload(stage_traffic(s, 0), state) == 2 * 6 * rank.total());
}

TEST_CASE("Megatron's distributed optimizer reduces 4 bytes and gathers 2 bytes a parameter") {
  const Scenario s = megatron(llama2_7b(), dgx_a100(16), 2, 1, 4096, 1, 64);
  const double N = rank_parameters(s, stage_shape(s, 0)).total();
  const auto traffic = stage_traffic(s, 0);
  CHECK(payload(traffic, [](const Transfer& t) { return std::string_view(t.id) == "dp_gradients"; }) == 4 * N);
  CHECK(payload(traffic, [](const Transfer& t) { return std::string_view(t.id) == "dp_parameters"; }) == 2 * N);
  CHECK(find(traffic, "dp_gradients")->group_size == 8);
}

TEST_CASE("DDP reduces once a step, in buckets of 25 MiB") {
  const Scenario s = data_parallel(llama2_7b(), dgx_a100(8), Engine::ddp, 0, 4096, 1, 32);
  const auto traffic = stage_traffic(s, 0);
  const Transfer* t = find(traffic, "dp_gradients");
  REQUIRE(t != nullptr);
  CHECK(t->bytes == 4.0 * 6738415616);  // fp32 gradients of the published 6,738,415,616 parameters
  CHECK(t->count_per_step == 1);
  CHECK(t->messages == 1029);  // ceil(4 * 6738415616 / 25 MiB)
  CHECK(t->overlap == Overlap::with_compute);
}

TEST_CASE("DataParallel serves every replica from device 0 in each forward and backward") {
  const Scenario s = data_parallel(llama2_7b(), dgx_a100(4), Engine::dp, 0, 1024, 2, 16);
  const auto traffic = stage_traffic(s, 0);
  const double m = 2, N = 6738415616;
  CHECK(find(traffic, "dp_broadcast_parameters")->bytes * find(traffic, "dp_broadcast_parameters")->count_per_step ==
        m * 4 * N);
  CHECK(find(traffic, "dp_broadcast_parameters")->collective == Collective::broadcast);
  CHECK(find(traffic, "dp_reduce_gradients")->bytes == 4 * N);
  CHECK(find(traffic, "dp_reduce_gradients")->collective == Collective::reduce);
  CHECK(find(traffic, "dp_gather_outputs")->bytes == 2.0 * 2 * 1024 * 32000);
  CHECK(find(traffic, "dp_gather_outputs")->count_per_step == m * 3);
  CHECK(find(traffic, "dp_scatter_inputs")->bytes == 8.0 * 2 * 1024);
}

TEST_CASE("One GPU talks to nobody") {
  CHECK(stage_traffic(data_parallel(llama2_7b(), dgx_a100(1), Engine::single, 0, 4096, 1, 4), 0).empty());
}

}  // namespace meshgauge
