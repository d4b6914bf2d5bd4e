// What other estimators answer for the same inputs. Each of their numbers is reproduced, or the difference is spelled
// out.
//
// The values were obtained by running the tools: Megatron-LM theoretical_memory_usage.py and
// num_floating_point_operations (d98e8a64), DeepSpeed's estimators (edaa7221), SimuMax v1.2 (4dcaae5).
// Not reproduced on purpose: llm-analysis' states for GPT-3 (50,316,585,984 B: leaves out the norms and uses one
// embedding divided by p), the EleutherAI cookbook's (divides neither gradients nor optimizer by TP and PP),
// Calculon's memory (16 bytes a parameter: no fp32 gradient beyond one block), accelerate's (maximum instead of sum).
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::estimate;
using meshgauge::testing::json;
using meshgauge::testing::line_bytes;
using meshgauge::testing::state_bytes;

constexpr double gib = 1073741824.0;

json megatron(const std::string& model, int gpus, json parallelism, json training) {
  training["engine"] = "megatron";
  return {{"schema_version", 1},
          {"model", model},
          {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", gpus}}},
          {"parallelism", std::move(parallelism)},
          {"training", std::move(training)}};
}

json first_stage(const json& answer) { return answer.at("memory").at("stages").at(0); }

double layer_bytes(const json& stage) {
  return line_bytes(stage, {"norms", "attention_qkv", "attention_output", "dropout_masks", "mlp"});
}

/// GPT-3 175B, s 2048, b 1, TP 8, PP 8, sequence parallel, selective recompute of unfused attention.
json gpt3(int data, int virtual_pipeline, int zero) {
  return megatron("gpt3-175b", 64 * data,
                  {{"tensor_parallel_size", 8},
                   {"pipeline_parallel_size", 8},
                   {"virtual_pipeline_size", virtual_pipeline},
                   {"zero_stage", zero}},
                  {{"sequence_length", 2048},
                   {"global_batch_size", 64 * data},
                   {"attention", "unfused"},
                   {"recompute", "selective"},
                   {"dropout", true}});
}

json mixtral_layout() {
  return {{"tensor_parallel_size", 2},
          {"pipeline_parallel_size", 2},
          {"expert_parallel_size", 8},
          {"expert_tensor_parallel_size", 1}};
}

}  // namespace

TEST_CASE("R1 and R2: GPT-3 states in Megatron's function, less what it leaves out") {
  // It counts neither the biases of the matrices nor the position table, and spreads the final norm over all stages.
  const double h = 12288, layers = 12, t = 8, p = 8;
  const double biases = layers * (7 * h / t + 2 * h), positions = 2048 * h, final_norm = 2 * h / p;
  for (const auto& [data, zero, width, published] :
       {std::tuple{1, 0, 18.0, 50348611584.0}, std::tuple{8, 1, 7.5, 20978588160.0}}) {
    const double ours = state_bytes(first_stage(estimate(gpt3(data, 1, zero))));
    CHECK(ours - width * (biases + positions - final_norm) == published);
  }
}

TEST_CASE("R1: GPT-3 activations in Megatron's function, and interleaved") {
  const json stage = first_stage(estimate(gpt3(1, 1, 0)));
  const double ids = 8 * 2048 * 8 / 8.0;  // it divides the token ids by t, which no rank does
  CHECK(layer_bytes(stage) + line_bytes(stage, {"embedding_dropout"}) + ids == 10292838400.0);
  // Interleaved, v = 3: times 1 + (p - 1) / (p v) for the layers. It multiplies the embedding terms as well.
  const double plain = layer_bytes(stage);
  CHECK(layer_bytes(first_stage(estimate(gpt3(1, 3, 0)))) == Approx(plain * (1 + 7.0 / 24)).epsilon(1e-9));
}

TEST_CASE("R1, R3, R4, R5: model FLOPs of Megatron-LM, to the last digit") {
  const auto flops = [](const json& s) { return estimate(s).at("flops").at("model_flops_per_step").get<double>(); };
  CHECK(flops(gpt3(1, 1, 0)) == Approx(1.3919157500667494e17).epsilon(1e-15));
  CHECK(flops(megatron("llama-2-7b", 8, json::object(), {{"sequence_length", 4096}, {"global_batch_size", 64}})) ==
        Approx(1.1236459080056832e16).epsilon(1e-15));
  // Run with 32,000 rows; at TP 8 Megatron pads them to 32,768, at TP 2 it does not.
  CHECK(flops(megatron("llama-2-70b", 64, {{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 4}},
                       {{"sequence_length", 4096}, {"global_batch_size", 16}})) ==
        Approx(2.807465502572544e16).epsilon(1e-15));
  CHECK(flops(megatron("mixtral-8x7b", 32, mixtral_layout(), {{"sequence_length", 4096}, {"global_batch_size", 64}})) ==
        Approx(2.0894569218441216e16).epsilon(1e-15));
}

TEST_CASE("R4: LLaMA-2-70B, where Megatron's activation function is wrong and by what") {
  const json stage =
      first_stage(estimate(megatron("llama-2-70b", 64, {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}},
                                    {{"sequence_length", 4096}, {"global_batch_size", 16}})));
  const double final_norm = 8192.0 / 4;                 // spread over the stages there, on the last stage here
  const double padding = (32768 - 32000) * 8192.0 / 8;  // it was run with 32,000 rows, TP 8 pads them
  CHECK(state_bytes(stage) + 12 * (final_norm - padding) == 26066313216.0);
  // It takes 18 h + 4 f: two dropout masks that LLaMA has not, full K and V instead of 8 heads, 4 f instead of 6 f.
  const double sets = 20 * 4, s = 4096, h = 8192, f = 28672, a = 64, k = 8, t = 8, p = 4;
  const double masks = 2 * h, heads = 4 * h * (1 - k / a), gate = 2 * f;
  const double embedding = (8 * s * p + s * h * p) / t;
  CHECK(layer_bytes(stage) + sets * s * (masks + heads - gate) / t + embedding == 10754211840.0);
}

TEST_CASE("R5: Mixtral's states and counts") {
  const json answer =
      estimate(megatron("mixtral-8x7b", 32, mixtral_layout(), {{"sequence_length", 4096}, {"global_batch_size", 64}}));
  CHECK(answer.at("model").at("parameters") == 46702792704);
  CHECK(answer.at("model").at("active_parameters") == 12879925248);
  const double final_norm = 4096.0 / 2;
  CHECK(state_bytes(first_stage(answer)) + 7.5 * final_norm == 36835900416.0);
}

TEST_CASE("R6: DeepSpeed's estimators count fp32 gradients, and stage 2 the bf16 ones as well") {
  const auto zero = [](int stage) {
    json s = megatron("llama-2-7b", 8, {{"zero_stage", stage}}, {{"gradient_dtype", "fp32"}});
    s["training"]["engine"] = "deepspeed";
    return state_bytes(first_stage(estimate(s)));
  };
  const double parameters = 6738415616, largest_layer = 131072000;
  CHECK(zero(3) + 4 * largest_layer == 15685723136.0);
  CHECK(zero(2) + 2 * parameters / 8 == 28638266368.0);
}

TEST_CASE("R8: SimuMax's model states and cached activations") {
  const auto check = [](const char* model, json parallelism, double extra, double states, double cached,
                        double tolerance) {
    const json stage = first_stage(
        estimate(megatron(model, 8, std::move(parallelism), {{"sequence_length", 4096}, {"global_batch_size", 64}})));
    INFO(model);
    CHECK((state_bytes(stage) + 7.5 * extra) / gib == Approx(states).epsilon(2e-6));
    const double activations = meshgauge::testing::category_bytes(stage, "activations", "backward");
    // Its cache includes the fp32 softmax of the loss; its log-sum-exp is stored as 2 bytes instead of 4.
    const double cache = activations + line_bytes(stage, {"loss_softmax"}) + line_bytes(stage, {"final_norm"});
    CHECK(cache / gib == Approx(cached).epsilon(tolerance));
  };
  check("llama-2-7b", json::object(), 0, 47.0673, 16.6211, 2e-3);
  check("llama-2-7b", {{"tensor_parallel_size", 2}}, 0, 28.2415, 8.3105, 2e-3);
  // It adds a token to Llama 3's 128,256 before it pads: 128 more rows in embedding and head.
  check("llama-3-8b", json::object(), 2 * 128 * 4096.0, 56.0981, 19.0293, 2e-3);
}
