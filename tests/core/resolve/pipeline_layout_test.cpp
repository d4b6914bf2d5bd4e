// Layout strings of pipelines.
#include "core/resolve/pipeline_layout.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

using meshgauge::parse_pipeline_layout;
using Layers = std::vector<std::int64_t>;
using json = nlohmann::ordered_json;

TEST_CASE("A layout string names the layers of each chunk") {
  // megatron/core/transformer/pipeline_parallel_layer_layout.py: E, t, m, L; | ends a chunk; x*n and (...)*n repeat.
  CHECK(parse_pipeline_layout("Et*3|(tt|)*6mL").layers == Layers{3, 2, 2, 2, 2, 2, 2, 0});
  CHECK(parse_pipeline_layout("Ett|tt|ttL").layers == Layers{2, 2, 2});
  CHECK(parse_pipeline_layout("E|(t|)*3 L").layers == Layers{0, 1, 1, 1, 0});
  CHECK(parse_pipeline_layout("E,t,t,m,L").layers == Layers{2});
}

TEST_CASE("A layout that cannot be counted says why") {
  for (const char* bad : {"", "(tt|", "Et*|L", "x", "tE", "EmL|t", "t*99999", "(t*9999|)*9999"}) {
    INFO(bad);
    CHECK(!parse_pipeline_layout(bad).problem.empty());
  }
}

TEST_CASE("A scenario with a layout string is the one with its list") {
  const auto with = [](json parallelism) {
    parallelism["pipeline_parallel_size"] = 4;
    return meshgauge::testing::estimate({{"model", "llama-3.1-8b"},
                                         {"cluster", {{"system", "dgx-h100"}, {"gpus", 8}}},
                                         {"parallelism", parallelism},
                                         {"training", {{"engine", "megatron"}}}});
  };
  CHECK(with({{"pipeline_layout", "Et*3|(tttt|)*3(t*5|)*3ttL"}, {"virtual_pipeline_size", 2}}) ==
        with({{"stage_layers", {3, 4, 4, 4, 5, 5, 5, 2}}, {"virtual_pipeline_size", 2}}));
  CHECK(with({{"pipeline_layout", "Et*7|(t*8|)*2t*9L"}}).at("memory").at("stages").at(3).at("layers") == 9);
}
