// Parameter counts against published ones, for every model of the catalog, and the shares of ranks.
#include "core/count/parameters.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/catalog/catalog.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

using nlohmann::json;

ModelShape shape_of(std::string_view id) { return *find_model(id, "/model").value; }

Scenario layout_of(const char* model, std::int64_t t, std::int64_t p) {
  Scenario s;
  s.model = shape_of(model);
  s.parallelism.tensor = t;
  s.parallelism.pipeline = p;
  return s;
}

double held_by_all_stages(const Scenario& s) {
  double sum = 0;
  for (std::int64_t r = 0; r < s.parallelism.pipeline; ++r) sum += rank_parameters(s, stage_shape(s, r)).total();
  return sum;
}

/// Published counts that the shapes do not give, and why.
const std::map<std::string, const char*> explained = {
    {"gpt3-medium", "named 350M; its shape has 356M, as GPT-2 medium has 355M"},
    {"gpt3-xl", "named 1.3B, rounded to two digits; 16 heads used where the paper prints 24"},
    {"gpt3-2.7b", "named 2.7B, rounded up"},
    {"gpt3-6.7b", "named 6.7B, rounded up"},
    {"gpt3-13b", "the table prints d_model 5140; 40 heads of 128 make 5120"},
    {"megatron-1.7b", "named 1.7B; its shape has 1.65B"},
    {"megatron-3.6b", "named 3.6B; its shape has 3.56B"},
    {"megatron-1t", "named 1T; its shape has 1008B, the name of the same shape in the SC21 paper"},
    {"opt-2.7b", "named 2.7B, rounded up"},
    {"opt-13b", "named 13B, rounded up"},
    {"deepseek-llm-67b", "named 67B; its shape has 67.4B"},
    {"mpt-7b", "called 6.7B; its shape has 6.65B"},
    {"starcoder2-15b", "named 15B; its shape has 15.96B"},
    {"grok-1", "called 314B, which is its 314.88B without the embedding"},
    {"kimi-k2", "the checkpoint has 3,416 (61 x 56) more elements than the shapes and fp8 scales give"},
};

}  // namespace

TEST_CASE("The shape of every catalog model gives its published parameter count") {
  int exact = 0;
  for (const CatalogEntry& entry : catalog_entries(CatalogKind::models)) {
    const json object = json::parse(entry.json);
    const json& published = object["published"];
    const auto total = static_cast<std::int64_t>(total_parameters(shape_of(entry.id)));
    INFO(entry.id << " " << published.dump());
    CHECK(total == object["params_total"].get<std::int64_t>());

    std::int64_t compared = total;
    for (const json& extra : published.value("adds", json::array())) compared += extra["params"].get<std::int64_t>();
    const auto count = published["params"].get<std::int64_t>();
    const double off = std::abs(static_cast<double>(compared) / static_cast<double>(count) - 1);
    if (explained.contains(std::string(entry.id))) {
      CHECK(compared != count);
      CHECK(off < 0.07);
    } else if (published["precision"] == "exact") {
      CHECK(compared == count);
      ++exact;
    } else {
      CHECK(off <= 0.005);
    }
  }
  CHECK(exact >= 126);
  CHECK(total_parameters(shape_of("kimi-k2")) + 62495192 + 3416 == 1026470731056);
}

TEST_CASE("Every explained difference belongs to a catalog model") {
  for (const auto& [id, reason] : explained) {
    INFO(id << ": " << reason);
    CHECK(find_model(id, "/model").value->id == id);
  }
}

TEST_CASE("Active parameters leave out the experts that a token does not visit") {
  int checked = 0;
  for (const CatalogEntry& entry : catalog_entries(CatalogKind::models)) {
    const json object = json::parse(entry.json);
    const ModelShape m = shape_of(entry.id);
    INFO(entry.id);
    if (object.contains("params_active")) {
      CHECK(active_parameters(m) == object["params_active"].get<double>());
      ++checked;
    } else {
      CHECK(active_parameters(m) == total_parameters(m));
    }
  }
  CHECK(checked == 22);
  CHECK(active_parameters(shape_of("mixtral-8x7b")) / 1e9 == Approx(12.9).epsilon(0.005));  // arXiv:2401.04088: 13B
  // DeepSeek-V3, arXiv:2412.19437: 37B activated, of which the embedding has 0.9B.
  CHECK(active_parameters(shape_of("deepseek-v3")) / 1e9 == Approx(37.55).epsilon(0.001));
}

TEST_CASE("DeepSeek-V3's multi-token-prediction layer has 11.6 billion parameters of its own") {
  // deepseek-ai/DeepSeek-V3 README_WEIGHTS.md: 11.5B unique parameters, excluding the shared 0.9B embedding and head.
  CHECK(mtp_parameters(shape_of("deepseek-v3")) == 11610068224);
  CHECK(mtp_parameters(shape_of("glm-4.5")) == 3988069792);
  CHECK(mtp_parameters(shape_of("glm-4.5-air")) == 2375059584);
  CHECK(mtp_parameters(shape_of("llama-2-7b")) == 0);
}

TEST_CASE("The parts of a model add up to it") {
  for (const std::string_view id : catalog_ids(CatalogKind::models)) {
    const ModelShape m = shape_of(id);
    const StageShape all = whole_model(m);
    if (all.linear_layers > 0 || m.kind == ModelKind::encoder_decoder) continue;
    INFO(id);
    const double layers = static_cast<double>(all.dense_layers) * layer_parameters(m, LayerKind::dense).total() +
                          static_cast<double>(all.moe_layers) * layer_parameters(m, LayerKind::moe).total();
    CHECK(layers + embedding_parameters(m) + head_parameters(m) == total_parameters(m));
  }
}

TEST_CASE("One rank alone holds the model, its prediction layers and no second copy of a tied matrix") {
  for (const std::string_view id : catalog_ids(CatalogKind::models)) {
    INFO(id);
    const Scenario s = layout_of(std::string(id).c_str(), 1, 1);
    const RankParameters rank = rank_parameters(s, stage_shape(s, 0));
    CHECK(rank.total() == total_parameters(s.model) + mtp_parameters(s.model));
    CHECK(rank.outside_layers == embedding_parameters(s.model) + head_parameters(s.model));
    CHECK(rank.replicated_small < 0.01 * rank.total());
  }
}

TEST_CASE("Pipeline stages of an untied model add up to it") {
  CHECK(held_by_all_stages(layout_of("llama-3.1-405b", 1, 16)) == 405853388800);
  CHECK(held_by_all_stages(layout_of("minimax-text-01", 1, 16)) == 456089655296);
}

TEST_CASE(
    "A tied matrix is on both ends of a pipeline") {  // Megatron-LM gpt_model.py, setup_embeddings_and_output_layer
  const Scenario s = layout_of("gpt3-175b", 1, 8);
  CHECK(held_by_all_stages(s) == total_parameters(s.model) + 50257.0 * 12288);
  const RankParameters last = rank_parameters(s, stage_shape(s, 7));
  CHECK(last.outside_layers == 50257.0 * 12288 + 2 * 12288);  // the matrix and the final norm
}

TEST_CASE("A rank with both ends of the model holds a tied matrix once") {
  Scenario s = layout_of("gpt3-175b", 1, 4);
  s.parallelism.schedule = Schedule::zb_v;
  CHECK(held_by_all_stages(s) == total_parameters(s.model));
}

TEST_CASE("DualPipe holds the model twice") {  // arXiv:2412.19437 table 2
  Scenario s = layout_of("deepseek-v3", 1, 16);
  s.parallelism.schedule = Schedule::dualpipe;
  CHECK(held_by_all_stages(s) == 2 * (total_parameters(s.model) + mtp_parameters(s.model)));
}

TEST_CASE("Prediction layers bring the embedding to the last stage") {
  const Scenario s = layout_of("deepseek-v3", 1, 16);
  CHECK(held_by_all_stages(s) == total_parameters(s.model) + mtp_parameters(s.model) + 129280.0 * 7168);
}

TEST_CASE("Megatron pads the vocabulary, other engines do not") {
  Scenario s = layout_of("gpt3-175b", 8, 1);  // Megatron-LM arguments.py: a multiple of 128 t
  const double layers_and_norm = rank_parameters(s, stage_shape(s, 0)).total() - 50257.0 / 8 * 12288;
  s.training.engine = Engine::megatron;
  CHECK(rank_parameters(s, stage_shape(s, 0)).total() - layers_and_norm == 51200.0 / 8 * 12288);
}

TEST_CASE("Tensor parallelism cuts matrices and keeps norms whole") {
  const Scenario s = layout_of("llama-3-8b", 8, 1);
  // Every norm is held whole: 65 of 4096; the rest is an eighth.
  CHECK(rank_parameters(s, stage_shape(s, 0)).total() == (8030261248.0 - 65 * 4096) / 8 + 65 * 4096);
  CHECK(rank_parameters(s, stage_shape(s, 0)).replicated_small == 65 * 4096);
}

TEST_CASE("A KV head is not cut: beyond the number of heads it is replicated") {
  const double one_head = 2.0 * 8192 * 128;  // K and V of one head
  const Scenario at_8 = layout_of("llama-3-70b", 8, 1), at_16 = layout_of("llama-3-70b", 16, 1);
  const double matrices_8 = rank_parameters(at_8, {.dense_layers = 1}).total() - 2 * 8192 - one_head;
  const double matrices_16 = rank_parameters(at_16, {.dense_layers = 1}).total() - 2 * 8192 - one_head;
  CHECK(matrices_8 == 2 * matrices_16);
  const Scenario falcon = layout_of("falcon-7b", 1, 1);
  CHECK(layer_parameters(falcon.model, LayerKind::dense).key_value == 2.0 * 4544 * 64);  // multi-query
}

TEST_CASE(
    "MLA down-projections are on every tensor rank") {  // Megatron-LM multi_latent_attention.py: duplicated linear
  const LayerParameters layer = layer_parameters(shape_of("deepseek-v3"), LayerKind::moe);
  CHECK(layer.attention_replicated == 7168.0 * 1536 + 7168.0 * (512 + 64));
  CHECK(layer.attention_sharded == 1536.0 * 128 * 192 + 512.0 * 128 * 256 + 128.0 * 128 * 7168);
  CHECK(layer.attention_vectors == 1536 + 512);
  CHECK(layer.key_value == 0);
  CHECK(layer.router == 256.0 * (7168 + 1));
  CHECK(layer.experts == 256 * 3.0 * 7168 * 2048);
  CHECK(layer.mlp_sharded == 3.0 * 7168 * 2048);
}

TEST_CASE("Experts divide over expert and expert-tensor ranks") {
  Scenario s = layout_of("mixtral-8x7b", 4, 1);
  s.parallelism.expert = 8;
  const RankParameters by_expert = rank_parameters(s, stage_shape(s, 0));
  CHECK(by_expert.experts == 32 * 3.0 * 4096 * 14336);  // one of eight in each layer
  s.parallelism.expert = 2;
  s.parallelism.expert_tensor = 4;
  CHECK(rank_parameters(s, stage_shape(s, 0)).experts == by_expert.experts);
  CHECK(rank_parameters(s, stage_shape(s, 0)).dense == by_expert.dense);
}

TEST_CASE("The unit that FSDP gathers is the largest layer") {
  const Scenario llama = layout_of("llama-3-8b", 1, 1);
  CHECK(rank_parameters(llama, stage_shape(llama, 0)).largest_layer == 218112000);
  const Scenario v3 = layout_of("deepseek-v3", 1, 1);
  const RankParameters rank = rank_parameters(v3, stage_shape(v3, 0));
  CHECK(rank.largest_layer == 11610068224);  // the prediction layer is a layer and two square matrices
}

TEST_CASE("An expert layer of gpt-oss has biases, a router bias and attention sinks") {
  const ModelShape m = shape_of("gpt-oss-20b");
  const LayerParameters layer = layer_parameters(m, LayerKind::moe);
  CHECK(layer.experts == 32 * (3.0 * 2880 * 2880 + 2 * 2880 + 2880));
  CHECK(layer.router == 32.0 * 2881);
  CHECK(layer.attention_sharded == 2.0 * 2880 * 4096 + 4096 + 64);
  CHECK(layer.key_value == 2.0 * 2880 * 512 + 2 * 512);
}

}  // namespace meshgauge
