// Cutting models into stages, against published splits and by adding the pieces up again.
#include "core/count/stage.hpp"

#include <numeric>

#include "core/catalog/catalog.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

Scenario pipeline_of(const char* model, std::int64_t p, std::int64_t v = 1, Schedule schedule = Schedule::one_f_one_b) {
  Scenario s;
  s.model = *find_model(model, "/model").value;
  s.parallelism.pipeline = p;
  s.parallelism.virtual_pipeline = v;
  s.parallelism.schedule = schedule;
  return s;
}

StageShape add(StageShape a, const StageShape& b) {
  a.dense_layers += b.dense_layers;
  a.moe_layers += b.moe_layers;
  a.encoder_layers += b.encoder_layers;
  a.mtp_layers += b.mtp_layers;
  a.linear_layers += b.linear_layers;
  a.embedding = a.embedding || b.embedding;
  a.head = a.head || b.head;
  return a;
}

StageShape sum_of_stages(const Scenario& s) {
  StageShape sum;
  for (std::int64_t r = 0; r < s.parallelism.pipeline; ++r) sum = add(sum, stage_shape(s, r));
  return sum;
}

}  // namespace

TEST_CASE(
    "126 layers on 16 stages leave the first and last one layer short") {  // Llama 3, arXiv:2407.21783 section 3.3.2
  const std::vector<std::int64_t> split = balanced_split(126, 16);
  CHECK(split == std::vector<std::int64_t>{7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7});
}

TEST_CASE("A remainder goes to the middle, and of two equal places to the earlier one") {
  CHECK(balanced_split(61, 16) == std::vector<std::int64_t>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3});
  CHECK(balanced_split(96, 8) == std::vector<std::int64_t>(8, 12));
  CHECK(balanced_split(5, 4) == std::vector<std::int64_t>{1, 2, 1, 1});
  CHECK(balanced_split(7, 5) == std::vector<std::int64_t>{1, 2, 2, 1, 1});
  CHECK(balanced_split(3, 4) == std::vector<std::int64_t>{1, 1, 1, 0});
  CHECK(balanced_split(4, 1) == std::vector<std::int64_t>{4});
}

TEST_CASE("A split is even to one layer and loses none") {
  for (std::int64_t layers = 1; layers <= 40; ++layers) {
    for (std::int64_t chunks = 1; chunks <= 20; ++chunks) {
      const std::vector<std::int64_t> split = balanced_split(layers, chunks);
      REQUIRE(static_cast<std::int64_t>(split.size()) == chunks);
      CHECK(std::accumulate(split.begin(), split.end(), std::int64_t{0}) == layers);
      for (const std::int64_t part : split) CHECK((part == layers / chunks || part == layers / chunks + 1));
    }
  }
}

TEST_CASE("The first stage embeds, the last has the head") {
  const Scenario s = pipeline_of("llama-3.1-405b", 16);
  CHECK(stage_shape(s, 0) == StageShape{.dense_layers = 7, .embedding = true});
  CHECK(stage_shape(s, 5) == StageShape{.dense_layers = 8});
  CHECK(stage_shape(s, 15) == StageShape{.dense_layers = 7, .head = true});
}

TEST_CASE("A single stage is the whole model") {
  for (const char* id : {"llama-2-7b", "deepseek-v3", "minimax-text-01", "t5-11b", "llama-4-maverick", "bert-base"}) {
    const Scenario s = pipeline_of(id, 1);
    CHECK(stage_shape(s, 0) == whole_model(s.model));
    CHECK(whole_model(s.model).blocks() == s.model.layers + s.model.encoder_layers + s.model.mtp_depth);
  }
}

TEST_CASE("Stages of every schedule add up to the model") {
  for (const char* id : {"gpt3-175b", "deepseek-v3", "minimax-text-01", "t5-11b", "llama-4-maverick", "glm-4.5"}) {
    for (const Schedule schedule : {Schedule::naive, Schedule::gpipe, Schedule::one_f_one_b, Schedule::zb_h1,
                                    Schedule::zb_v, Schedule::interleaved}) {
      for (const std::int64_t p : {1, 2, 4, 8}) {
        const Scenario s = pipeline_of(id, p, schedule == Schedule::interleaved ? 3 : 1, schedule);
        INFO(id << " " << name_of(schedule) << " p=" << p);
        CHECK(sum_of_stages(s) == whole_model(s.model));
      }
    }
  }
}

TEST_CASE("MoE layers follow the dense ones, and every second layer where the model says so") {
  const Scenario v3 = pipeline_of("deepseek-v3", 16);  // 3 dense layers first, arXiv:2412.19437 section 4.2
  CHECK(stage_shape(v3, 0) == StageShape{.dense_layers = 3, .embedding = true});
  CHECK(stage_shape(v3, 1) == StageShape{.moe_layers = 4});
  CHECK(stage_shape(v3, 15) == StageShape{.moe_layers = 3, .mtp_layers = 1, .head = true});
  const Scenario maverick = pipeline_of("llama-4-maverick", 8);
  CHECK(stage_shape(maverick, 3) == StageShape{.dense_layers = 3, .moe_layers = 3});
}

TEST_CASE("The closed form of MoE layers agrees with asking each layer") {
  for (const char* id : {"deepseek-v3", "llama-4-maverick", "glm-4.5", "mixtral-8x7b"}) {
    const ModelShape m = *find_model(id, "/model").value;
    std::int64_t moe = 0;
    for (std::int64_t i = 0; i < m.layers; ++i) moe += m.is_moe_layer(i) ? 1 : 0;
    CHECK(whole_model(m).moe_layers == moe);
  }
}

TEST_CASE("MiniMax has one softmax layer in eight") {  // MiniMax-01, arXiv:2501.08313 section 2
  CHECK(whole_model(*find_model("minimax-text-01", "/model").value).linear_layers == 70);
  const Scenario s = pipeline_of("minimax-text-01", 16);  // five layers a stage
  CHECK(stage_shape(s, 0).linear_layers == 5);
  CHECK(stage_shape(s, 1).linear_layers == 4);
}

TEST_CASE("An interleaved rank holds every p-th chunk") {  // Narayanan et al. 2021, arXiv:2104.04473 section 2.2
  const Scenario s = pipeline_of("gpt3-175b", 4, 2, Schedule::interleaved);
  CHECK(model_chunks(s.parallelism) == 8);
  CHECK(stage_chunks(s, 0) == std::vector<StageShape>{{.dense_layers = 12, .embedding = true}, {.dense_layers = 12}});
  CHECK(stage_chunks(s, 3) == std::vector<StageShape>{{.dense_layers = 12}, {.dense_layers = 12, .head = true}});
  CHECK(stage_shape(s, 0) == StageShape{.dense_layers = 24, .embedding = true});
}

TEST_CASE("A ZB-V rank holds chunk r and chunk 2p - 1 - r, so the first has both ends") {  // arXiv:2401.10241 section 6
  const Scenario s = pipeline_of("gpt3-175b", 4, 1, Schedule::zb_v);
  CHECK(model_chunks(s.parallelism) == 8);
  CHECK(stage_shape(s, 0) == StageShape{.dense_layers = 24, .embedding = true, .head = true});
  CHECK(stage_shape(s, 3) == StageShape{.dense_layers = 24});
  CHECK(stage_chunks(s, 0).back() == StageShape{.dense_layers = 12, .head = true});
}

TEST_CASE(
    "A DualPipe rank holds chunk r and chunk p - 1 - r, so the model exists twice") {  // arXiv:2412.19437 section 3.2.1
  const Scenario s = pipeline_of("gpt3-175b", 4, 1, Schedule::dualpipe);
  CHECK(model_chunks(s.parallelism) == 4);
  CHECK(stage_shape(s, 0) == StageShape{.dense_layers = 48, .embedding = true, .head = true});
  CHECK(stage_shape(s, 3) == stage_shape(s, 0));
  CHECK(stage_shape(s, 1) == StageShape{.dense_layers = 48});
  CHECK(sum_of_stages(s).layers() == 2 * s.model.layers);
}

TEST_CASE("A given split is taken as it is, empty stages included") {
  Scenario s = pipeline_of("deepseek-v3", 4);
  s.parallelism.stage_layers = {5, 28, 28, 0};
  CHECK(stage_shape(s, 0) == StageShape{.dense_layers = 3, .moe_layers = 2, .embedding = true});
  CHECK(stage_shape(s, 2) == StageShape{.moe_layers = 28});
  CHECK(stage_shape(s, 3) == StageShape{.mtp_layers = 1, .head = true});
}

TEST_CASE("All chunks are the same, asked for at once or one by one") {
  for (const char* model : {"llama-3.1-8b", "gpt3-175b", "deepseek-v3", "t5-11b", "gpt2"}) {
    for (const std::int64_t p : {1, 3, 4, 8}) {
      for (const std::int64_t v : {1, 2}) {
        Scenario s = pipeline_of(model, p, v, v > 1 ? Schedule::interleaved : Schedule::one_f_one_b);
        for (const bool given : {false, true}) {
          if (given) {
            s.parallelism.stage_layers.assign(static_cast<std::size_t>(p * v), 0);
            s.parallelism.stage_layers.back() = s.model.encoder_layers + s.model.layers;
          }
          std::vector<StageShape> quickly{StageShape{}}, all;
          all_chunks_quickly(s, quickly);
          all_chunks(s, all);
          INFO(model << ", " << p << " stages of " << v << ", given: " << given);
          CHECK(quickly == all);
        }
      }
    }
  }
}

TEST_CASE("An encoder-decoder model is cut over both stacks and embeds again where the decoder starts") {
  const Scenario s = pipeline_of("t5-11b", 4);  // 24 + 24 layers
  CHECK(stage_shape(s, 0) == StageShape{.encoder_layers = 12, .embedding = true});
  CHECK(stage_shape(s, 1) == StageShape{.encoder_layers = 12});
  CHECK(stage_shape(s, 2) == StageShape{.dense_layers = 12, .embedding = true});
  CHECK(stage_shape(s, 3) == StageShape{.dense_layers = 12, .head = true});
}

}  // namespace meshgauge
