// The command `check` through the door: verdicts on published claims, nearest runs, refusals.
#include <algorithm>
#include <map>
#include <set>

#include "core/catalog/catalog.hpp"
#include "core/catalog/published.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/formula.hpp"

using meshgauge::testing::ask;
using nlohmann::json;

namespace {

json check(json claim) {
  claim["command"] = "check";
  json answer = ask(claim);
  INFO(answer.dump());
  REQUIRE(answer["ok"] == true);
  return answer;
}

json figure(const json& answer, const std::string& id) {
  for (const json& one : answer["figures"]) {
    if (one["id"] == id) return one;
  }
  return {};
}

bool names(const json& answer, const std::string& word) {
  for (const json& run : answer["nearest"]) {
    if (run["name"].get<std::string>().find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("21 days for LLaMA-65B on 128 A100 are impossible") {
  const json answer =
      check({{"parameters", 65e9}, {"tokens", 1.4e12}, {"gpu", "a100-sxm-80gb"}, {"gpus", 128}, {"days", 21}});
  CHECK(answer["verdict"] == "impossible");
  CHECK(figure(answer, "mfu")["value"].get<double>() == Approx(7.5).margin(0.05));
  CHECK(answer["contradictions"].empty());
  CHECK(names(answer, "LLaMA-65B"));
  CHECK(answer["nearest"][0]["source"].get<std::string>().size() > 10);
}

TEST_CASE("What LLaMA's paper says of the same model is normal") {
  const json answer = check({{"model", "llama-65b"},
                             {"tokens", 1.4e12},
                             {"gpu", "a100-sxm-80gb"},
                             {"gpus", 2048},
                             {"tokens_per_second_per_gpu", 380},
                             {"days", 21}});
  CHECK(answer["verdict"] == "normal");
  CHECK(answer["contradictions"].empty());
}

TEST_CASE("Stated figures that contradict each other are said with their factor") {
  const json answer = check({{"parameters", 65e9},
                             {"tokens", 1.4e12},
                             {"gpu", "a100-sxm-80gb"},
                             {"gpus", 128},
                             {"days", 21},
                             {"tflops_per_gpu", 38}});
  CHECK(answer["verdict"] == "impossible");  // by work and time; the stated rate alone would be poor
  std::map<std::string, double> implied;
  for (const json& c : answer["contradictions"]) implied[c["id"]] = c["implied"];
  CHECK(implied["days"] == Approx(1299).margin(1));
  CHECK(implied["tflops_per_gpu"] == Approx(2351).margin(1));
  CHECK(answer["speeds"][1]["verdict"] == "poor");
}

TEST_CASE("Llama 3 405B is normal at 16,384 GPUs, and its MFU is the published one") {
  // arXiv:2407.21783 table 4: 400 TFLOP/s a GPU; the paper calls 38 to 43 % of its three stages.
  const json answer = check({{"model", "llama-3.1-405b"},
                             {"gpu", "h100-sxm-80gb"},
                             {"gpus", 16384},
                             {"tflops_per_gpu", 400},
                             {"tokens", 15.6e12},
                             {"sequence_length", 8192}});
  CHECK(answer["verdict"] == "normal");
  CHECK(answer["convention"] == "causal");
  CHECK(figure(answer, "mfu")["value"].get<double>() == Approx(0.41).margin(0.01));
  CHECK(figure(answer, "days")["value"].get<double>() == Approx(69.5).margin(1));
  CHECK(names(answer, "Llama 3.1 405B"));
}

TEST_CASE("DeepSeek-V3's 2.788 million GPU hours are normal for fp8 on H800") {
  const json answer = check({{"model", "deepseek-v3"},
                             {"tokens", 14.8e12},
                             {"gpu", "h800-sxm-80gb"},
                             {"gpu_hours", 2.788e6},
                             {"precision", "fp8"}});
  CHECK(answer["verdict"] == "normal");
  CHECK(names(answer, "DeepSeek-V3"));
}

TEST_CASE("Above the fastest measured product is impossible below the peak as well, above the best run extraordinary") {
  const auto verdict = [](double mfu) {
    return check({{"parameters", 70e9}, {"gpu", "h100-sxm-80gb"}, {"gpus", 512}, {"mfu", mfu}})["verdict"];
  };
  CHECK(verdict(1.5) == "impossible");
  CHECK(verdict(0.85) == "impossible");  // 841 of 989, where the fastest product measured is 794
  CHECK(verdict(0.78) == "extraordinary");
  CHECK(verdict(0.42) == "normal");
  CHECK(verdict(0.1) == "poor");
}

TEST_CASE("Without a GPU what follows is said, and no verdict") {
  const json answer = check({{"parameters", 7e9}, {"tokens", 2e12}, {"gpus", 64}, {"days", 30}});
  CHECK(answer["verdict"] == "undetermined");
  CHECK(figure(answer, "tokens_per_second")["value"].get<double>() == Approx(2e12 / (30 * 86400)));
  CHECK(answer["nearest"].empty());
}

TEST_CASE("A GPU that nobody published runs of is judged by others, and that is said") {
  const json answer = check({{"parameters", 7e9}, {"gpu", "l40s"}, {"gpus", 8}, {"mfu", 0.4}});
  CHECK(answer["same_gpu"] == false);
  CHECK(answer["nearest"].size() == 5);
}

TEST_CASE("Too few GPUs for the states are warned of") {
  const json answer =
      check({{"parameters", 1e12}, {"gpu", "h100-sxm-80gb"}, {"gpus", 8}, {"mfu", 0.4}, {"tokens", 1e9}});
  CHECK(answer["warnings"][0]["message"].get<std::string>().find("16,000 GB") != std::string::npos);
}

TEST_CASE("Every figure, bound and contradiction of an answer follows from its formula") {
  const json answer = check({{"model", "mixtral-8x7b"},
                             {"tokens", 1.4e12},
                             {"gpu", "h100-sxm-80gb"},
                             {"gpus", 128},
                             {"hours", 500},
                             {"mfu", 0.9},
                             {"sequence_length", 4096}});
  int checked = 0;
  const auto follows = [&](const json& one, double value) {
    std::map<std::string, double> values = one["values"].get<std::map<std::string, double>>();
    CAPTURE(one.dump());
    CHECK(meshgauge::testing::evaluate_formula(one["formula"].get<std::string>(), values) ==
          Approx(value).epsilon(1e-5));
    ++checked;
  };
  for (const json& one : answer["figures"]) {
    if (one["given"] == false) follows(one, one["value"]);
  }
  for (const json& one : answer["bounds"]) follows(one, one["value"]);
  for (const json& one : answer["contradictions"]) follows(one, one["implied"]);
  CHECK(checked > 10);
}

TEST_CASE("What is wrong with a claim is said at once") {
  const json answer = ask({{"command", "check"},
                           {"parameters", -1},
                           {"tokens", "many"},
                           {"gpu", "a100-sxm-8gb"},
                           {"days", 3},
                           {"hours", 4},
                           {"mfu", 46.2},
                           {"precision", "fp7"},
                           {"weight", 1}});
  REQUIRE(answer["ok"] == false);
  std::set<std::string> paths;
  for (const json& issue : answer["issues"]) paths.insert(issue["path"].get<std::string>());
  CHECK(paths == std::set<std::string>{"/parameters", "/tokens", "/gpu", "/hours", "/mfu", "/precision", "/weight"});
  CHECK(ask({{"command", "check"}, {"parameters", 7e9}})["ok"] == false);
  CHECK(ask({{"command", "check"}})["ok"] == false);
  CHECK(ask({{"command", "check"},
             {"parameters", 7e9},
             {"active_parameters", 8e9},
             {"gpus", 8},
             {"days", 1}})["issues"][0]["path"] == "/active_parameters");
}

TEST_CASE("A model and other parameters beside it contradict each other") {
  const json answer =
      check({{"model", "llama-65b"}, {"parameters", 7e9}, {"gpu", "a100-sxm-80gb"}, {"gpus", 64}, {"mfu", 0.4}});
  CHECK(answer["verdict"] == "contradictory");
  CHECK(answer["contradictions"][0]["id"] == "parameters");
}

TEST_CASE("The published runs are of known GPUs, and their utilisations follow from their speeds") {
  std::set<std::string> ids;
  const auto runs = meshgauge::published_runs();
  CHECK(runs.size() > 60);
  for (const meshgauge::PublishedRun& run : runs) {
    CAPTURE(run.id);
    CHECK(ids.insert(run.id).second);
    const auto gpu = meshgauge::find_gpu(run.gpu, "");
    REQUIRE(gpu.ok());
    CHECK(run.source.size() > 8);
    CHECK(run.active_parameters <= 1.001 * run.parameters);
    const json answer = check({{"parameters", run.parameters},
                               {"active_parameters", std::min(run.active_parameters, run.parameters)},
                               {"gpu", run.gpu},
                               {"precision", meshgauge::name_of(run.precision)},
                               {"tokens_per_second_per_gpu", run.tokens_per_second_per_gpu}});
    CHECK(figure(answer, "mfu")["value"].get<double>() == Approx(run.mfu_six_n).epsilon(2e-3));
    CHECK(answer["verdict"] != "impossible");
    CHECK(answer["verdict"] != "extraordinary");
  }
}

TEST_CASE("MT-NLG's utilisation is the one that PaLM's authors count for it") {
  // Chowdhery et al. 2022, arXiv:2204.02311 table 3: 30.2 %.
  for (const meshgauge::PublishedRun& run : meshgauge::published_runs()) {
    if (run.id == "mt-nlg-530b") CHECK(run.mfu_causal == Approx(0.302).margin(0.005));
  }
}
