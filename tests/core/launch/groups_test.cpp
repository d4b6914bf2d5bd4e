// Process groups against the examples that Megatron-LM prints in megatron/core/parallel_state.py (core 0.14).
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::json;
using Ranks = std::vector<std::vector<int>>;

json groups(const json& parallelism, int gpus, const std::string& model = "llama-2-7b", const json& more = {}) {
  json request{{"command", "groups"},
               {"all", true},
               {"scenario",
                {{"model", model},
                 {"cluster", {{"system", "dgx-h100"}, {"gpus", gpus}}},
                 {"parallelism", parallelism},
                 {"training", {{"engine", "megatron"}}}}}};
  if (more.is_object()) request.update(more);
  return ask(request);
}

json kind(const json& answer, const std::string& name) {
  for (const json& group : answer.at("groups")) {
    if (group.at("group") == name) return group;
  }
  return nullptr;
}

Ranks ranks(const json& answer, const std::string& name) { return kind(answer, name).at("ranks").get<Ranks>(); }

}  // namespace

TEST_CASE("16 GPUs with TP 2 and PP 4 form the groups of Megatron's docstring") {
  const json answer = groups({{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 4}}, 16);
  REQUIRE(answer["ok"] == true);
  CHECK(ranks(answer, "data_parallel") == Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}});
  CHECK(ranks(answer, "tensor_parallel") ==
        Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}});
  CHECK(ranks(answer, "pipeline_parallel") == Ranks{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}});
  CHECK(ranks(answer, "embedding") == Ranks{{0, 12}, {1, 13}, {2, 14}, {3, 15}});
  // "rank 0 to 7 belong to the first box and ranks 8 to 15 belong to the second box"
  CHECK(kind(answer, "tensor_parallel")["links"]["inside_node"] == 8);
  CHECK(kind(answer, "data_parallel")["links"]["between_nodes"] == 0);
  CHECK(kind(answer, "pipeline_parallel")["links"]["between_nodes"] == 4);
  CHECK(kind(answer, "pipeline_parallel")["most_in_one_node"] == 2);
}

TEST_CASE("8 GPUs with TP 4 and CP 2 form the context groups of Megatron's docstring") {
  const json answer = groups({{"tensor_parallel_size", 4}, {"context_parallel_size", 2}}, 8);
  CHECK(ranks(answer, "context_parallel") == Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}

TEST_CASE("The order tp-pp-dp forms the groups of generate_masked_orthogonal_rank_groups' example") {
  const json answer = groups({{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 2}}, 8, "llama-2-7b",
                             {{"order", "tp-cp-ep-pp-dp"}});
  CHECK(ranks(answer, "data_parallel") == Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(ranks(answer, "pipeline_parallel") == Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
}

TEST_CASE("Sizes 2, 3, 4 form the data-parallel groups of generate_masked_orthogonal_rank_groups' second example") {
  const json answer = groups({{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 4}}, 24);
  const Ranks data = ranks(answer, "data_parallel");
  REQUIRE(data.size() == 8);
  CHECK(data[0] == std::vector<int>{0, 2, 4});
  CHECK(data[1] == std::vector<int>{1, 3, 5});
  CHECK(data[7] == std::vector<int>{19, 21, 23});
}

TEST_CASE("Expert groups lie in a grid of their own inside each stage") {
  // 16 ranks, TP 2, PP 2; experts with ETP 1, EP 4: expert data parallel 16 / (1 x 4 x 2) = 2.
  const json answer = groups({{"tensor_parallel_size", 2},
                              {"pipeline_parallel_size", 2},
                              {"expert_parallel_size", 4},
                              {"expert_tensor_parallel_size", 1}},
                             16, "mixtral-8x7b");
  REQUIRE(answer["ok"] == true);
  CHECK(ranks(answer, "expert_parallel") == Ranks{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
  CHECK(ranks(answer, "expert_data_parallel") ==
        Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}});
  CHECK(kind(answer, "expert_tensor_parallel").is_null());
}

TEST_CASE("Replicas cut the data-parallel group into consecutive parts") {
  const json answer = groups({{"tensor_parallel_size", 2}, {"data_parallel_replicate_size", 2}}, 16);
  CHECK(ranks(answer, "data_parallel_shard") == Ranks{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}});
  CHECK(ranks(answer, "data_parallel_replicate")[0] == std::vector<int>{0, 8});
}

TEST_CASE("Every kind of group holds each rank once") {
  const json answer = groups({{"tensor_parallel_size", 4},
                              {"context_parallel_size", 2},
                              {"pipeline_parallel_size", 2},
                              {"expert_parallel_size", 8},
                              {"expert_tensor_parallel_size", 1}},
                             64, "mixtral-8x7b");
  REQUIRE(answer["ok"] == true);
  for (const json& group : answer["groups"]) {
    std::vector<int> seen(64, 0);
    for (const json& one : group["ranks"]) {
      CHECK(one.size() == group["size"]);
      for (const json& rank : one) ++seen.at(rank.get<std::size_t>());
    }
    const bool ends = group["group"] == "embedding";  // stages in between hold none; with two stages all are ends
    INFO(group["group"]);
    for (const int times : seen) CHECK((times == 1 || (ends && times == 0)));
    CHECK(group["ranks"].size() == group["count"]);
    int links = 0;
    for (const auto& [name, count] : group["links"].items()) links += count.get<int>();
    CHECK(links == group["count"]);
  }
}

TEST_CASE("A large layout is summarised, and its pattern says the rest") {
  json request{
      {"command", "groups"},
      {"scenario",
       {{"model", "llama-3.1-405b"},
        {"cluster", {{"system", "dgx-h100"}, {"gpus", 16384}, {"oversubscription", 7}, {"nodes_per_block", 384}}},
        {"parallelism", {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 16}}}}}};
  const json answer = ask(request);
  REQUIRE(answer["ok"] == true);
  const json pipeline = kind(answer, "pipeline_parallel");
  CHECK(pipeline["count"] == 1024);
  CHECK(pipeline["ranks"].size() == 4);
  CHECK(pipeline["ranks"][1][15] == 1 + 15 * 1024);
  CHECK(pipeline["pattern"]["members"] == json::parse(R"([{"size": 16, "stride": 1024}])"));
  CHECK(pipeline["links"]["between_blocks"] == 1024);
  request["all"] = true;
  CHECK(ask(request)["ok"] == true);
  request["scenario"]["cluster"]["gpus"] = 131072;
  const json refused = ask(request);
  CHECK(refused["ok"] == false);
  CHECK(refused["issues"][0]["path"] == "/all");
}

TEST_CASE("What groups is asked wrongly is said at its path") {
  const json answer = ask({{"command", "groups"}, {"order", "dp-tp"}, {"all", 1}, {"extra", 2}});
  CHECK(answer["ok"] == false);
  CHECK(answer["issues"].size() == 4);
}
