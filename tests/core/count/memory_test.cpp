// The memory ledger: its lines explain themselves, sum, and agree with values published or computed elsewhere.
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/formula.hpp"

namespace {

using meshgauge::testing::category_bytes;
using meshgauge::testing::estimate;
using meshgauge::testing::json;
using meshgauge::testing::line_bytes;
using meshgauge::testing::state_bytes;

constexpr double gib = 1073741824.0;

json scenario(const std::string& model, const std::string& engine, json parallelism, json training = json::object(),
              int gpus = 8) {
  training["engine"] = engine;
  return {{"schema_version", 1},
          {"model", model},
          {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", gpus}}},
          {"parallelism", std::move(parallelism)},
          {"training", std::move(training)}};
}

/// Scenarios that between them reach every kind of line.
std::vector<json> varied() {
  std::vector<json> all;
  for (const char* engine : {"ddp", "fsdp1", "fsdp2", "deepspeed", "megatron", "hf", "dp"}) {
    for (const char* model : {"gpt2", "llama-2-7b", "mixtral-8x7b"}) {
      for (const char* recompute : {"none", "selective", "full"}) {
        all.push_back(scenario(model, engine, json::object(), {{"recompute", recompute}, {"sequence_length", 1024}}));
      }
      all.push_back(
          scenario(model, engine, json::object(),
                   {{"attention", "unfused"}, {"loss", "chunked"}, {"sequence_length", 1024}, {"kernels", "fused"}}));
      all.push_back(scenario(model, engine, json::object(),
                             {{"precision", "pure_bf16"},
                              {"optimizer", "muon"},
                              {"sequence_length", 1024},
                              {"global_batch_size", 32},
                              {"loss", "fused"}}));
    }
  }
  for (int zero : {0, 1, 2, 3}) all.push_back(scenario("llama-3.1-8b", "deepspeed", {{"zero_stage", zero}}));
  all.push_back(scenario("llama-3.1-8b", "deepspeed", {{"zero_stage", 3}}, {{"zero_hpz_partition_size", 4}}));
  for (int tensor : {1, 2}) {
    all.push_back(scenario("llama-2-7b", "aleph_alpha",
                           {{"tensor_parallel_size", tensor}, {"pipeline_parallel_size", 2}},
                           {{"recompute", "full"}, {"global_batch_size", 64}}));
  }
  for (const char* optimizer : {"adamw_8bit", "adafactor", "sgd", "momentum", "lion"}) {
    all.push_back(scenario("t5-base", "ddp", json::object(), {{"optimizer", optimizer}}));
  }
  const json big{{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}, {"context_parallel_size", 2}};
  for (const char* schedule :
       {"naive", "gpipe", "pipedream", "pipedream-2bw", "1f1b", "zb-h1", "zb-h2", "zb-v", "dualpipe"}) {
    json layout = big;
    layout["pipeline_schedule"] = schedule;
    all.push_back(scenario("llama-3.1-70b", "megatron", layout, {{"global_batch_size", 64}}, 128));
  }
  all.push_back(scenario(
      "deepseek-v3", "megatron", {{"pipeline_parallel_size", 16}, {"expert_parallel_size", 64}, {"zero_stage", 1}},
      {{"moe_load_factor", 1.3}, {"recompute", {{"modules", {"mla_up_projection", "layernorm", "moe_activation"}}}}},
      2048));
  all.push_back(scenario("gpt3-175b", "megatron",
                         {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 8}, {"virtual_pipeline_size", 3}},
                         {{"recompute", {{"method", "block"}, {"layers", 3}}}, {"global_batch_size", 64}}, 64));
  return all;
}

}  // namespace

TEST_CASE("Every ledger line's formula gives its bytes, and the lines sum to the totals") {
  for (const json& s : varied()) {
    INFO(s.dump());
    const json answer = estimate(s);
    for (const json& stage : answer.at("memory").at("stages")) {
      double peak = 0, allocated = 0;
      for (const char* list : {"lines", "other_lines"}) {
        for (const json& line : stage.at(list)) {
          INFO(line.dump());
          const auto values = line.at("values").get<std::map<std::string, double>>();
          const double bytes = meshgauge::testing::evaluate_formula(line.at("formula").get<std::string>(), values);
          CHECK(line.at("bytes").get<double>() == Approx(bytes).epsilon(1e-12).margin(0.51));
          CHECK(!line.at("source").get<std::string>().empty());
          if (std::string(list) == "lines") {
            peak += line.at("bytes").get<double>();
            if (line.at("category") != "overhead") allocated += line.at("bytes").get<double>();
          }
        }
      }
      CHECK(stage.at("peak_bytes").get<double>() == peak);
      CHECK(stage.at("allocated_bytes").get<double>() == allocated);
      double largest = 0;
      for (const json& phase : stage.at("phases")) largest = std::max(largest, phase.get<double>());
      CHECK(largest == peak);
    }
    CHECK(answer.at("memory").at("device_bytes").get<double>() >=
          answer.at("memory").at("reserved_bytes").get<double>());
  }
}

TEST_CASE("ZeRO stages of 7.5e9 parameters follow the paper's figure 1") {
  // Rajbhandari et al. 2020, arXiv:1910.02054 figure 1: 120, 31.4, 16.6, 1.9 GB on 64 ranks. The catalog has no
  // 7.5e9 model; per-parameter bytes of another one on 64 ranks scale.
  const double per_parameter[] = {120e9 / 7.5e9, 31.4e9 / 7.5e9, 16.6e9 / 7.5e9, 1.9e9 / 7.5e9};
  for (int zero = 0; zero <= 3; ++zero) {
    const json answer = estimate(scenario("llama-2-7b", "deepspeed", {{"zero_stage", zero}}, json::object(), 64));
    const double parameters = answer.at("model").at("parameters").get<double>();
    const double margin = zero == 3 ? 0.02 : 0.005;  // the figure's last digit
    CHECK(state_bytes(answer.at("memory").at("stages").at(0)) / parameters ==
          Approx(per_parameter[zero]).epsilon(margin));
  }
}

TEST_CASE("Megatron states are 18, or 6 + 12 / (dp cp), bytes a parameter") {
  // Megatron-LM theoretical_memory_usage.py, run for Llama-2-7B: 121,291,481,088 and 50,538,117,120 bytes.
  const auto stage = [](const json& answer) { return answer.at("memory").at("stages").at(0); };
  CHECK(state_bytes(stage(estimate(scenario("llama-2-7b", "megatron", {{"zero_stage", 0}})))) == 121291481088.0);
  CHECK(state_bytes(stage(estimate(scenario("llama-2-7b", "megatron", {{"zero_stage", 1}})))) == 50538117120.0);
  // The shard group is dp * cp: the same bytes with half of the ranks in context parallel.
  CHECK(state_bytes(stage(estimate(
            scenario("llama-2-7b", "megatron", {{"zero_stage", 1}, {"context_parallel_size", 2}})))) == 50538117120.0);
  CHECK(state_bytes(stage(estimate(
            scenario("llama-2-7b", "megatron", {{"zero_stage", 1}, {"tensor_parallel_size", 2}})))) == 30324068352.0);
}

TEST_CASE("Activations of a layer equal the closed forms of the literature") {
  // Korthikanti et al. 2022 table 2: s b h (34 + 5 a s / h) for a GPT layer; / t with sequence parallelism.
  const json layer = {{"sequence_length", 2048}, {"dropout", true}, {"attention", "unfused"}, {"global_batch_size", 8}};
  const auto activations = [](const json& answer) {
    return line_bytes(answer.at("memory").at("stages").at(0),
                      {"norms", "attention_qkv", "attention_output", "attention_scores", "dropout_masks", "mlp"});
  };
  const double s = 2048, h = 12288, a = 96, sets = 96;
  const double unsharded = sets * s * h * (34 + 5 * a * s / h);
  CHECK(activations(estimate(scenario("gpt3-175b", "megatron", {{"tensor_parallel_size", 1}}, layer))) ==
        Approx(unsharded));
  CHECK(activations(estimate(scenario("gpt3-175b", "megatron", {{"tensor_parallel_size", 8}}, layer))) ==
        Approx(unsharded / 8));
  // Without sequence parallelism: s b h (10 + 24 / t + 5 a s / (h t)).
  const json no_sp =
      estimate(scenario("gpt3-175b", "megatron", {{"tensor_parallel_size", 8}, {"sequence_parallel", false}}, layer));
  CHECK(activations(no_sp) == Approx(sets * s * h * (10 + 24.0 / 8 + 5 * a * s / (h * 8))));
  // Selective recompute of core attention leaves 34 s b h / t.
  json selective = layer;
  selective["recompute"] = "selective";
  const json kept = estimate(scenario("gpt3-175b", "megatron", {{"tensor_parallel_size", 8}}, selective));
  const double one_layer_scores = 5 * a * s * s / 8;
  CHECK(activations(kept) == Approx(sets * s * h * 34 / 8 + one_layer_scores));  // one layer is rebuilt at a time
}

TEST_CASE("A fused LLaMA layer keeps 16 + 6 f / h bytes of hidden width, grouped heads less") {
  // Saved-tensor hooks on one fused LLaMA layer, h 1024, f 2752: 32.16 s b h with 8 KV heads, 29.16 with 2.
  for (const auto& [kv, expected] : {std::pair{8, 32.16}, std::pair{2, 29.16}}) {
    const json model{{"model_type", "llama"},  {"hidden_size", 1024},      {"intermediate_size", 2752},
                     {"num_hidden_layers", 1}, {"num_attention_heads", 8}, {"num_key_value_heads", kv},
                     {"vocab_size", 32000}};
    json s = scenario("llama-2-7b", "megatron", json::object(), {{"sequence_length", 512}});
    s["model"] = model;
    s["cluster"]["gpus"] = 1;
    const json answer = estimate(s);
    const double bytes =
        line_bytes(answer.at("memory").at("stages").at(0),
                   {"norms", "attention_qkv", "attention_output", "attention_statistics", "mlp", "norm_statistics"});
    CHECK(bytes / (512.0 * 1024) == Approx(expected).margin(0.006));
  }
}

TEST_CASE("Hugging Face eager layers keep what was measured in the field") {
  // stas00/ml-engineering activation-memory-per-layer.py, models held in bf16, units of 2 h bytes a token.
  struct Measured {
    const char* model;
    double hidden, layers, units;
  };
  const Measured measured[] = {{"llama-3.1-8b", 4096, 32, 28.0},
                               {"mistral-7b", 4096, 32, 28.0},
                               {"qwen3-8b", 4096, 36, 29.8},
                               {"qwen3-4b", 2560, 36, 38.0}};
  for (const Measured& m : measured) {
    const json answer =
        estimate(scenario(m.model, "hf", json::object(), {{"precision", "pure_bf16"}, {"sequence_length", 1024}}, 8));
    const double bytes = line_bytes(answer.at("memory").at("stages").at(0),
                                    {"norms", "residual", "attention_qkv", "attention_output", "qk_norm", "mlp"});
    INFO(m.model);
    CHECK(bytes / (m.layers * 1024 * 2 * m.hidden) == Approx(m.units).epsilon(0.03));
  }
}

TEST_CASE("DeepSpeed's reduction bucket is the 954 MiB that users measured") {
  // DeepSpeed issue #1302: overlap on or off differs by 954 MiB = 5e8 elements of 2 bytes.
  const json answer = estimate(scenario("llama-2-7b", "deepspeed", {{"zero_stage", 2}}));
  CHECK(line_bytes(answer.at("memory").at("stages").at(0), {"reduce_bucket"}) / 1048576 == Approx(954).margin(0.5));
  // The same thread: overlapping buckets of 5e8 and of 1e8 elements differ by 1527 MiB.
  const auto bucket = [](double elements) {
    const json overlapping =
        estimate(scenario("llama-2-7b", "deepspeed", {{"zero_stage", 2}},
                          {{"overlap_gradient_reduction", true}, {"reduce_bucket_size", elements}}));
    return line_bytes(overlapping.at("memory").at("stages").at(0), {"reduce_bucket"}) / 1048576;
  };
  CHECK(bucket(5e8) - bucket(1e8) == Approx(1527).margin(2));
}

TEST_CASE("DeepSpeed's step has the fp32 gradient shard that ran out of memory for a user") {
  // hiyouga/LLaMA-Factory issue 1221: LLaMA-7B, stage 2 on 8 V100, 3.14 GiB asked for in Adam's step.
  const json answer = estimate(scenario("llama-7b", "deepspeed", {{"zero_stage", 2}}));
  CHECK(line_bytes(answer.at("memory").at("stages").at(0), {"fp32_gradient_shard"}) / gib ==
        Approx(3.14).margin(0.005));
}

TEST_CASE("ZeRO-3 holds what it fetches ahead twice: flat, and as parameters copied out of it") {
  // deepspeed/runtime/zero/partition_parameters.py: all_gather_coalesced makes one flat tensor for several parameters,
  // AllGatherCoalescedHandle.wait concatenates each parameter out of it.
  const auto live = [](double prefetch, const char* model) {
    return line_bytes(
        estimate(scenario(model, "deepspeed", {{"zero_stage", 3}}, {{"stage3_prefetch_bucket_size", prefetch}}))
            .at("memory")
            .at("stages")
            .at(0),
        {"live_parameters"});
  };
  CHECK(live(1e8, "llama-2-7b") - live(5e7, "llama-2-7b") == 2.0 * 2 * 5e7);
  // Half of the reuse distance of 1e9, one layer of 202,383,360 parameters, and the bucket of 5e7 twice.
  CHECK(live(5e7, "llama-2-7b") == 2.0 * (5e8 + 202383360 + 2 * 5e7));
}

TEST_CASE("ZeRO++ holds a second copy of the parameters, cut over the ranks of a node") {
  // Wang et al. 2023, arXiv:2306.10209 section 3.2: 2 M / z bytes of M parameters on z ranks.
  const json answer =
      estimate(scenario("llama-2-7b", "deepspeed", {{"zero_stage", 3}}, {{"zero_hpz_partition_size", 8}}, 64));
  CHECK(line_bytes(answer.at("memory").at("stages").at(0), {"secondary_parameters"}) ==
        Approx(2.0 * 6738415616 / 8).margin(1));
}

TEST_CASE("Gathered logits of two micro-batches decide what runs on Aleph Alpha's trainer") {
  // Hagemann et al. 2023, arXiv:2311.05610, their sheets: LLaMA-30B with a vocabulary of 128,000 at 8,192 tokens on 128
  // A100, every layer recomputed. Four sequences ran out of memory at every layout, two at TP 2, PP 2 alone.
  const auto fits = [](int tensor, int pipeline, int micro) {
    json s =
        scenario("llama-33b", "aleph_alpha", {{"tensor_parallel_size", tensor}, {"pipeline_parallel_size", pipeline}},
                 {{"recompute", "full"},
                  {"attention", "flash"},
                  {"sequence_length", 8192},
                  {"micro_batch_size", micro},
                  {"global_batch_size", 512}},
                 128);
    s["model"] = {{"model_type", "llama"},          {"hidden_size", 6656},       {"num_hidden_layers", 60},
                  {"intermediate_size", 17920},     {"num_attention_heads", 52}, {"vocab_size", 128000},
                  {"max_position_embeddings", 8192}};
    return estimate(s).at("fits").get<bool>();
  };
  for (const int tensor : {2, 4}) {
    for (const int pipeline : {2, 4, 8, 16}) {
      INFO("TP " << tensor << " PP " << pipeline);
      CHECK(!fits(tensor, pipeline, 4));
      CHECK(fits(tensor, pipeline, 2) == (tensor * pipeline > 4));
      CHECK(fits(tensor, pipeline, 1));
    }
  }
}

TEST_CASE("Full gradients wait for the last micro-batch under the Hugging Face Trainer's FSDP") {
  // accelerate, GradientAccumulationPlugin.sync_each_batch: without it FSDP accumulates whole gradients.
  const auto waiting = [](int batch) {
    const json answer = estimate(scenario("llama-2-7b", "hf", {{"zero_stage", 3}}, {{"global_batch_size", batch}}));
    return line_bytes(answer.at("memory").at("stages").at(0), {"unsharded_accumulation"});
  };
  CHECK(waiting(8) == 0);
  CHECK(waiting(64) == 2.0 * 6738415616);
}

TEST_CASE("Logits of a large vocabulary cost what the threads report") {
  // 24,576 rows of 151,936 in fp32 are 13.91 GiB (verl #2828); the catalog's Qwen2.5-7B has 152,064 rows.
  const json qwen = estimate(scenario("qwen2.5-7b", "hf", json::object(), {{"sequence_length", 24576}}));
  const double gradient = line_bytes(qwen.at("memory").at("stages").at(0), {"logits_gradient"});
  CHECK(gradient == 24576.0 * 152064 * 4);
  CHECK(gradient / gib * 151936 / 152064 == Approx(13.91).margin(0.005));
  // Llama-3's vocabulary, 8192 tokens: 14 bytes a logit are 13.7 GiB.
  const json llama = estimate(scenario("llama-3.1-8b", "hf", json::object(), {{"sequence_length", 8192}}));
  CHECK(category_bytes(llama.at("memory").at("stages").at(0), "logits", "loss") / gib == Approx(13.7).margin(0.06));
  // Liger: chunks of 256 rows, 62.6 MiB in bf16 (ops/fused_linear_cross_entropy.py).
  const json liger =
      estimate(scenario("llama-3.1-8b", "hf", json::object(), {{"sequence_length", 8192}, {"loss", "chunked"}}));
  CHECK(line_bytes(liger.at("memory").at("stages").at(0), {"logits_chunk"}) * 2 / 6 / 1048576 ==
        Approx(62.6).margin(0.1));
}

TEST_CASE("Recompute never needs more memory") {
  for (const char* engine : {"megatron", "fsdp2", "deepspeed", "hf"}) {
    double last = 1e300;
    for (const char* recompute : {"none", "full"}) {
      const double bytes = estimate(scenario("llama-3.1-8b", engine, json::object(),
                                             {{"recompute", recompute}, {"sequence_length", 4096}}))
                               .at("memory")
                               .at("device_bytes")
                               .get<double>();
      CHECK(bytes <= last);
      last = bytes;
    }
  }
}
