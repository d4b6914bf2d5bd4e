// The batch's parts, and rules of thumb against what their papers print.
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::json;

json batch(const json& training, const json& reference = json::object()) {
  return ask({{"command", "batch"},
              {"reference", reference},
              {"scenario",
               {{"model", "gpt2-124m"}, {"cluster", {{"system", "dgx-h100"}, {"gpus", 16}}}, {"training", training}}}});
}

json hint(const json& answer, const std::string& id) {
  for (const json& one : answer.at("hints")) {
    if (one.at("id") == id) return one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("The global batch is micro-batch times accumulation times data parallel") {
  const json answer =
      batch({{"engine", "ddp"}, {"micro_batch_size", 4}, {"global_batch_size", 512}, {"sequence_length", 1024}});
  REQUIRE(answer["ok"] == true);
  const json& b = answer["batch"];
  CHECK(b["accumulation"] == 8);
  CHECK(b["data_parallel_size"] == 16);
  CHECK(b["micro_batch_size"].get<int>() * b["accumulation"].get<int>() * b["data_parallel_size"].get<int>() == 512);
  CHECK(b["tokens_per_step"] == 524288);  // GPT-2's half a million tokens
}

TEST_CASE("The linear rule gives the rates of Goyal et al. 2017") {
  // Section 2.1 and table 1: 0.1 at 256, hence 3.2 at 8,192.
  const json answer = batch({{"engine", "ddp"}, {"optimizer", "momentum"}, {"global_batch_size", 8192}},
                            {{"global_batch_size", 256}, {"learning_rate", 0.1}});
  CHECK(hint(answer, "linear_scaling")["value"] == 3.2);
  CHECK(hint(answer, "square_root_scaling")["value"] == Approx(0.565685));
  CHECK(hint(answer, "warm_up")["value"] == 5);
  CHECK(hint(answer, "adam_square_root_scaling").is_null());
}

TEST_CASE("Adam's rule scales the rate by the root and the betas with the batch") {
  // Malladi et al. 2022: lr sqrt(k), 1 - k (1 - beta). With k = 4: 2 lr, beta1 0.6, beta2 0.8.
  const json answer =
      batch({{"engine", "ddp"}, {"global_batch_size", 1024}}, {{"global_batch_size", 256}, {"learning_rate", 3e-4}});
  CHECK(hint(answer, "adam_square_root_scaling")["value"] == 6e-4);
  CHECK(hint(answer, "adam_beta1")["value"] == Approx(0.6));
  CHECK(hint(answer, "adam_beta2")["value"] == Approx(0.8));
  const json far =
      batch({{"engine", "ddp"}, {"global_batch_size", 4096}}, {{"global_batch_size", 256}, {"learning_rate", 3e-4}});
  CHECK(hint(far, "adam_beta1")["value"].is_null());  // k = 16 is beyond 1 / 0.1
}

TEST_CASE("At the noise scale half of the samples' worth is kept") {
  const json answer = batch({{"engine", "ddp"}, {"global_batch_size", 512}}, {{"noise_scale", 512}});
  CHECK(hint(answer, "noise_scale_efficiency")["value"] == 0.5);
  CHECK(hint(answer, "adam_square_root_scaling")["value"].is_null());
}

TEST_CASE("Every hint names its source and where it stops to hold") {
  for (const char* optimizer : {"adamw", "sgd", "muon", "lion"}) {
    for (const json& one : batch({{"engine", "ddp"}, {"optimizer", optimizer}})["hints"]) {
      CHECK(one["source"].get<std::string>().find("arXiv:") != std::string::npos);
      CHECK(one["limits"].get<std::string>().size() > 20);
    }
  }
}

TEST_CASE("Wrong references are refused at their paths, all at once") {
  const json answer = batch({{"engine", "ddp"}}, {{"global_batch_size", 0}, {"learning_rate", "big"}, {"beta3", 1}});
  REQUIRE(answer["ok"] == false);
  CHECK(answer["issues"].size() == 3);
}
