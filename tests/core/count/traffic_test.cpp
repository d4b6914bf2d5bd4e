// Transfers of a step against the volumes that papers and engines state.
#include "core/count/traffic.hpp"

#include <string_view>

#include "core/count/parameters.hpp"
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

template <class Chosen>
double calls(const std::vector<Transfer>& traffic, Chosen chosen) {
  double sum = 0;
  for (const Transfer& t : traffic) {
    if (chosen(t)) sum += t.count_per_step;
  }
  return sum;
}

const Transfer* find(const std::vector<Transfer>& traffic, std::string_view id) {
  for (const Transfer& t : traffic) {
    if (t.id == id) return &t;
  }
  return nullptr;
}

/// One layer's worth of tensor-parallel traffic of `collective`.
double per_layer(const Scenario& s, Collective collective, When when) {
  const auto traffic = stage_traffic(s, 0);
  const double all = calls(traffic, [&](const Transfer& t) {
    return t.group == Group::tensor_parallel && t.collective == collective && t.when == when &&
           std::string_view(t.id).find("head") == std::string_view::npos &&
           std::string_view(t.id).find("embedding") == std::string_view::npos;
  });
  return all / static_cast<double>(s.model.layers * s.micro_batches());
}

}  // namespace

TEST_CASE("Tensor parallelism all-reduces twice forward and twice backward in each layer") {
  // Shoeybi et al. 2019, arXiv:1909.08053 section 3, figure 4.
  Scenario s = megatron(gpt3_175b(), dgx_a100(8), 8, 1, 2048, 1, 4);
  s.parallelism.sequence_parallel = false;
  CHECK(per_layer(s, Collective::all_reduce, When::forward_layer) == 2);
  CHECK(per_layer(s, Collective::all_reduce, When::backward_layer) == 2);
  CHECK(find(stage_traffic(s, 0), "tp_forward_all_reduce")->bytes == 2.0 * 2048 * 12288);
  s.training.recompute = Recompute::full;
  CHECK(per_layer(s, Collective::all_reduce, When::recompute_layer) == 2);
}

TEST_CASE("Sequence parallelism gathers six times and scatters four times, a quarter more than four all-reduces") {
  // Megatron-LM gathers inputs again for the weight gradients instead of keeping them (Korthikanti section 4.2.2).
  const Scenario s = megatron(gpt3_175b(), dgx_a100(8), 8, 1, 2048, 1, 4);
  const double gathers = per_layer(s, Collective::all_gather, When::forward_layer) +
                         per_layer(s, Collective::all_gather, When::backward_layer);
  const double scatters = per_layer(s, Collective::reduce_scatter, When::forward_layer) +
                          per_layer(s, Collective::reduce_scatter, When::backward_layer);
  CHECK(gathers == 6);
  CHECK(scatters == 4);
  CHECK((gathers + scatters) * wire_factor(Collective::all_gather, 8) / (4 * wire_factor(Collective::all_reduce, 8)) ==
        1.25);
}

TEST_CASE("The vocabulary-parallel loss takes three all-reduces of one float a token") {
  Scenario s = megatron(gpt3_175b(), dgx_a100(8), 8, 1, 2048, 2, 4);
  const Transfer* t = find(stage_traffic(s, 0), "loss_all_reduce");
  REQUIRE(t != nullptr);
  CHECK(t->bytes == 4.0 * 2 * 2048);
  CHECK(t->count_per_step == 3 * 2);
  CHECK(t->dtype == DataType::fp32);
  s.training.loss = Loss::fused;
  const auto fused = stage_traffic(s, 0);
  CHECK(find(fused, "loss_all_reduce") == nullptr);
  CHECK(find(fused, "loss_all_gather")->bytes == 12.0 * 2 * 2048 * 8);
}

TEST_CASE("DeepSeek-V3 exchanges 448 MiB four times a layer for 4096 tokens") {
  // 2 bytes * 7168 * 8 experts * 4096 tokens: arXiv:2412.19437 section 4.2.
  Scenario s = megatron(deepseek_v3(), dgx_h100(64), 1, 1, 4096, 1, 64);
  s.parallelism.expert = 64;
  const auto traffic = stage_traffic(s, 0);
  const auto tokens = [](const Transfer& t) { return t.group == Group::expert_parallel && t.dtype == DataType::bf16; };
  CHECK(find(traffic, "ep_forward_all_to_all")->bytes == 448 * 1048576.0);
  CHECK(calls(traffic, tokens) == 4 * 58);
  CHECK(payload(traffic, tokens) == 58 * 4 * 448 * 1048576.0);
  // Experts live on 64 ranks and have no replica here: their gradients stay where they are.
  CHECK(find(traffic, "dp_expert_gradients") == nullptr);
  CHECK(find(traffic, "dp_gradients")->group_size == 64);
}

TEST_CASE("Gradients of experts are reduced in the expert-data group") {
  Scenario s = megatron(mixtral_8x7b(), dgx_a100(64), 1, 1, 4096, 1, 64);
  s.parallelism.expert = 8;
  const auto traffic = stage_traffic(s, 0);
  const RankParameters rank = rank_parameters(s, stage_shape(s, 0));
  CHECK(find(traffic, "dp_expert_gradients")->group_size == 8);
  CHECK(find(traffic, "dp_expert_gradients")->bytes == 4 * rank.experts);
  CHECK(find(traffic, "dp_gradients")->bytes == 4 * rank.dense);
}

TEST_CASE("Expert tensor parallelism gathers and scatters the tokens of its group") {
  Scenario s = megatron(mixtral_8x7b(), dgx_a100(8), 8, 1, 4096, 1, 1);
  const auto traffic = stage_traffic(s, 0);
  CHECK(find(traffic, "etp_forward_all_gather")->bytes == 2.0 * 4096 * 4096 * 2);  // T h top-k, over the whole group
  CHECK(calls(traffic, [](const Transfer& t) { return t.group == Group::expert_tensor_parallel; }) == 4 * 32);
  // The experts are no tensor-parallel block, the attention is.
  CHECK(find(traffic, "tp_forward_all_gather")->count_per_step == 32);
}

TEST_CASE("Ring attention passes keys and values c - 1 times forward and twice that backward") {
  Scenario s = megatron(llama3_8b(), dgx_h100(8), 1, 1, 131072, 1, 1);
  s.parallelism.context = 8;
  s.parallelism.data = 1;
  const auto traffic = stage_traffic(s, 0);
  const double T = 131072 / 8;
  CHECK(find(traffic, "cp_forward_key_value")->bytes == 4.0 * 8 * 128 * T);  // 4 k q T
  CHECK(calls(traffic, [](const Transfer& t) { return t.group == Group::context_parallel; }) == 3 * 7 * 32);
  // Gradients are sharded over dp * cp.
  CHECK(find(traffic, "dp_gradients")->group_size == 8);
}

TEST_CASE("Ulysses exchanges queries, keys, values and outputs, all-gather keys and values") {
  Scenario s = megatron(llama3_8b(), dgx_h100(8), 1, 1, 131072, 1, 1);
  s.parallelism.context = 8;
  s.parallelism.data = 1;
  const double T = 131072 / 8;
  const auto forward = [](const Transfer& t) {
    return t.group == Group::context_parallel && t.when == When::forward_layer;
  };
  s.parallelism.context_kind = ContextParallelKind::ulysses;
  CHECK(payload(stage_traffic(s, 0), forward) == 32 * (2 * 32 + 2 * 8) * 128.0 * 2 * T);  // (2 a q + 2 k q) 2 T
  s.parallelism.context_kind = ContextParallelKind::all_gather;
  CHECK(payload(stage_traffic(s, 0), forward) == 32 * 8 * 4 * 8 * 128.0 * T);
  CHECK(find(stage_traffic(s, 0), "cp_backward_reduce_scatter") != nullptr);
}

TEST_CASE("Stages pass a slice for each tensor rank, once a chunk") {
  Scenario s = megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64);
  const auto sends = [](const Transfer& t) { return t.collective == Collective::send_recv; };
  const auto first = stage_traffic(s, 0), middle = stage_traffic(s, 3);
  CHECK(find(first, "pp_send_forward")->bytes == 2.0 * 2048 * 12288 / 8);
  CHECK(calls(first, sends) == 64);
  CHECK(calls(middle, sends) == 2 * 64);
  s.parallelism.virtual_pipeline = 3;
  s.parallelism.schedule = Schedule::interleaved;
  CHECK(calls(stage_traffic(s, 0), sends) == 64 * 3 + 64 * 2);  // the last chunk's gradients go back to the last rank
  CHECK(calls(stage_traffic(s, 3), sends) == 2 * 64 * 3);
  s.parallelism.virtual_pipeline = 2;
  s.parallelism.schedule = Schedule::zb_v;
  CHECK(calls(stage_traffic(s, 3), sends) == 2 * 2 * 64);
}

TEST_CASE("Without sequence parallelism the receiver gathers the slices") {
  // Narayanan et al. 2021, section 4.1: scatter over InfiniBand, gather over NVLink.
  Scenario s = megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64);
  CHECK(find(stage_traffic(s, 3), "pp_all_gather") == nullptr);
  s.parallelism.sequence_parallel = false;
  CHECK(find(stage_traffic(s, 3), "pp_all_gather")->bytes == 2.0 * 2048 * 12288);
  CHECK(find(stage_traffic(s, 3), "pp_all_gather")->count_per_step == 2 * 64);
}

TEST_CASE("A tied embedding is summed between the first and the last stage") {
  const Scenario s = megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64);
  const Transfer* t = find(stage_traffic(s, 7), "embedding_all_reduce");
  REQUIRE(t != nullptr);
  CHECK(t->bytes == 4.0 * 51200 * 12288 / 8);
  CHECK(t->group_size == 2);
  CHECK(find(stage_traffic(s, 3), "embedding_all_reduce") == nullptr);
  const Scenario untied = megatron(llama2_7b(), dgx_a100(64), 8, 8, 2048, 1, 64);
  CHECK(find(stage_traffic(untied, 0), "embedding_all_reduce") == nullptr);
}

TEST_CASE("Groups sit in nodes in the order tensor, context, expert, data, pipeline") {
  Scenario s = megatron(gpt3_175b(), dgx_a100(512), 4, 8, 2048, 1, 64);
  s.parallelism.context = 2;
  s.parallelism.data = 8;
  CHECK(group_members_per_node(s, Group::tensor_parallel) == 4);
  CHECK(group_members_per_node(s, Group::context_parallel) == 2);
  CHECK(group_members_per_node(s, Group::data_parallel) == 2);  // 16 ranks with a stride of 4
  CHECK(group_members_per_node(s, Group::pipeline_parallel) == 1);
  CHECK(group_members_per_node(s, Group::world) == 8);
  CHECK(stages_span_nodes(s, 0, 1));
  const Scenario one_node = megatron(gpt3_175b(), dgx_a100(8), 2, 4, 2048, 1, 64);
  CHECK(group_members_per_node(one_node, Group::pipeline_parallel) == 4);
  CHECK_FALSE(stages_span_nodes(one_node, 2, 3));
  const Scenario two_nodes = megatron(gpt3_175b(), dgx_a100(16), 2, 8, 2048, 1, 64);
  CHECK_FALSE(stages_span_nodes(two_nodes, 2, 3));
  CHECK(stages_span_nodes(two_nodes, 3, 4));
}

TEST_CASE("Every transfer has an id of its own kind, a size and a source") {
  Scenario s = megatron(deepseek_v3(), dgx_h100(1024), 2, 4, 4096, 1, 1024);
  s.parallelism.context = 2;
  s.parallelism.data = 64;
  s.parallelism.expert = 32;
  s.parallelism.expert_tensor = 1;
  s.training.recompute = Recompute::full;
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    for (const Transfer& t : stage_traffic(s, stage)) {
      INFO(t.id);
      CHECK(t.group_size > 1);
      CHECK(t.bytes > 0);
      CHECK(t.count_per_step > 0);
      CHECK(t.messages >= 1);
      CHECK(std::string_view(t.source).size() > 10);
    }
  }
}

}  // namespace meshgauge
