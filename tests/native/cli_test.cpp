// The command line as scripts and people see it: output, standard error and exit status of the built program.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/api.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"
#include "tests/support/program.hpp"

namespace {

using meshgauge::testing::json;
using meshgauge::testing::Outcome;
using meshgauge::testing::run;
using meshgauge::testing::Scratch;

const std::string small = "estimate --model gpt2-124m --system dgx-h100";

/// Problems on standard error, one a line: lines that go on are joined.
std::vector<std::string> refusals(const std::string& err) {
  std::vector<std::string> problems;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("    ", 0) == 0 && !problems.empty()) {
      problems.back() += line.substr(3);
    } else {
      problems.push_back(line);
    }
  }
  return problems;
}

/// Columns of a terminal: Chinese characters take two.
std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    columns += byte >= 0xe3 && byte <= 0xef ? 2 : (byte & 0xc0U) != 0x80 ? 1 : 0;
  }
  return columns;
}

void check_refused(const std::string& arguments, const std::string& says) {
  const Outcome outcome = run(arguments);
  CAPTURE(arguments, outcome.out, outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  const std::vector<std::string> problems = refusals(outcome.err);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].rfind("meshgauge: ", 0) == 0);
  CHECK(problems[0].find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("Exit status tells whether a job fits") {
  CHECK(run(small).status == 0);
  CHECK(run("estimate --model llama-2-70b --gpu rtx-3090 --gpus 1").status == 1);
}

TEST_CASE("A bad flag value is one problem with flag, value and what is allowed") {
  check_refused(small + " --tp six",
                "--tp: tensor_parallel_size is \"six\", a string. Expected: a whole number, 1 to 1,000,000.");
  check_refused(small + " --tp -3", "--tp: tensor_parallel_size is -3. Allowed: 1 to 1,000,000.");
  check_refused(small + " --tp=", "--tp needs a value");
  check_refused(small + " --tp ''", "--tp: tensor_parallel_size is \"\"");
  check_refused(small + " --gpus 8.5", "--gpus: gpus is 8.5. Expected: a whole number");
  check_refused(small + " --seq 0", "--seq: sequence_length is 0. Allowed: 1 to 1,000,000,000.");
  check_refused(small + " --tokens 1X", "--tokens: tokens is \"1X\"");
  check_refused(small + " --precision fp99", "--precision: precision is \"fp99\". Allowed: fp32");
  check_refused(small + " --zero 4", "--zero: zero_stage is 4. Allowed: 0 to 3.");
  check_refused(small + " --gpus", "--gpus needs a value");
  check_refused(small + " --tp 2 --tp 4", "--tp is given more than once");
  check_refused(small + " --gps 8", "There is no flag \"--gps\". Did you mean \"--gpu\"?");
  check_refused("estimate handbook:model-sizes b.json", "One argument too many: \"b.json\".");
  check_refused(small + " --set loss=fused", "/json/path=value");
  check_refused(small + " --set /training/tokens=1e999", "--set /training/tokens: 1e999 is too large.");
  check_refused(small + " --set /training/los=fused", "--set /training/los: There is no field \"los\" here.");
  check_refused("estimate --model lama-2-7b --system dgx-h100",
                "\"llama-2-7b\"? `meshgauge catalog models` lists them.");
  check_refused("estimate --model gpt2-124m --system dgx-h1000", "`meshgauge catalog systems` lists them.");
  check_refused("estimate --model gpt2-124m", "Set system or gpu");
  check_refused("estimate handbook:nothing", "no handbook case");
  check_refused("estimate handbook:nothing --tp 2", "no handbook case");
  check_refused("catalog", "Allowed: models, gpus, systems, handbook.");
  check_refused("catalog model", "Did you mean \"models\"?");
  check_refused("catalog gpus h1000x", "h1000x");
  check_refused("fly", "Commands: estimate, plan, solve, validate,");
  check_refused("--verson", "There is no command");
}

TEST_CASE("Files that cannot be read are named") {
  const Scratch scratch;
  check_refused("estimate " + scratch.path("none.json"), "No such file");
  check_refused("estimate " + scratch.path(""), "it is a folder");
  check_refused("estimate --system dgx-h100 --model " + scratch.path("none.json"), "--model: Cannot read");
  check_refused(small + " --profile " + scratch.path("none.json"), "--profile: Cannot read");
  check_refused("estimate " + scratch.write("broken.json", "{\n  \"model\": gpt2\n}"),
                "broken.json: line 2, column 12: met \"gpt2\"");
  check_refused("estimate " + scratch.write("large.json", std::string(5000000, ' ')), "has 5,000,000 bytes");
  check_refused("estimate " + scratch.write("junk.json", std::string("\x7f"
                                                                     "ELF\0\1\2",
                                                                     7)),
                "line 1, column 5: met \"\\u0000\", a NUL byte.");
  check_refused("estimate " + scratch.write("list.json", "[]") + " --tp 2",
                "The scenario is a list of 0. Expected: an object");
  check_refused("estimate " + scratch.write("config.json", R"({"model_type":"llama","hidden_size":4096})"),
                "Give it with --model");
  check_refused("estimate - </dev/zero", "Standard input goes on after 4,194,304 bytes. Allowed: up to 4,194,304");
}

TEST_CASE("JSON output is the core's answer and a line break") {
  const std::string scenario = R"({"model":"gpt2-124m","cluster":{"system":"dgx-h100","gpus":16}})";
  const Scratch scratch;
  const std::string path = scratch.write("s.json", scenario);
  const std::string expected = meshgauge::api(R"({"command":"estimate","scenario":)" + scenario + "}") + '\n';
  CHECK(run("estimate --json " + path).out == expected);
  CHECK(run("estimate --json - <" + path).out == expected);
  CHECK(run("estimate --json --model gpt2-124m --system dgx-h100 --gpus 16").out == expected);
  CHECK(run("describe --json").out == meshgauge::api(R"({"command":"describe"})") + '\n');
  CHECK(run("catalog gpus --json").out == meshgauge::api(R"({"command":"catalog","kind":"gpus"})") + '\n');
  CHECK(run("catalog gpus t4 --json").out == meshgauge::api(R"({"command":"catalog","kind":"gpus","id":"t4"})") + '\n');
  CHECK(run("estimate --json handbook:model-sizes").out ==
        meshgauge::api(R"({"command":"estimate","scenario":"handbook:model-sizes"})") + '\n');
}

TEST_CASE("With --json a refusal is JSON as well") {
  for (const char* arguments : {"estimate --json --tp six", "estimate --json --foo", "estimate --json none.json",
                                "estimate --json --model gpt2-124m", "catalog --json things", "plan --json"}) {
    const Outcome outcome = run(arguments);
    CAPTURE(arguments, outcome.out);
    CHECK(outcome.status == 2);
    CHECK(json::parse(outcome.out).at("ok") == false);
    CHECK_FALSE(json::parse(outcome.out).at("issues").empty());
  }
}

TEST_CASE("Problems of flags stand at the paths that the flags set, beside all of the document's") {
  const Scratch scratch;
  const std::string path = scratch.write("s.json", R"({"model":"gpt2-124m","cluster":{"system":"dgx-h100","gpus":"8"},
    "trainin":3})");
  const auto paths = [&](const std::string& arguments) {
    const Outcome outcome = run("estimate --json " + arguments);
    CAPTURE(arguments, outcome.out);
    CHECK(outcome.status == 2);
    std::string all;
    const json answer = json::parse(outcome.out);
    for (const json& issue : answer.at("issues")) all += issue.at("path").get<std::string>() + ' ';
    return all;
  };
  CHECK(paths(path + " --tp abc --micro-batch 0") ==
        "/trainin /cluster/gpus /parallelism/tensor_parallel_size /training/micro_batch_size ");
  CHECK(paths(path + " --tp --seq 4 --seq 5 --foo 3") ==
        "/parallelism/tensor_parallel_size /training/sequence_length  /trainin /cluster/gpus ");
  CHECK(paths(path + " --profile none --set /training/tokens=1e999") ==
        "/profile /training/tokens /trainin /cluster/gpus ");
  CHECK(paths(scratch.write("bad.json", "{bad") + " --precision x --profile none") == " /profile /training/precision ");
  CHECK(paths(scratch.write("five.json", R"({"model":"gpt2-124m","cluster":{"system":"dgx-h100"},"parallelism":5})") +
              " --tp 2") == "/parallelism ");
  CHECK(paths(scratch.write("null.json", "null")) == " ");
}

TEST_CASE("Refusals fit eighty columns") {
  std::istringstream text(run(small + " --tp six --precision fp99 --schedule x --set /training/recompute=true").err);
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines) CHECK(columns_of(line) <= 80);
  CHECK(lines > 4);
}

TEST_CASE("A handbook case shows its figures as a table") {
  for (const char* arguments : {"estimate handbook:70b-divided-by-two", "catalog handbook 70b-divided-by-two"}) {
    const std::string out = run(arguments).out;
    CAPTURE(out);
    CHECK(out.find("text says  what follows") != std::string::npos);
    CHECK(out.find("cards for the training states                          2            14 GPUs") != std::string::npos);
    CHECK(out.find("16 * P / 1e9 = 16 * 68,976,648,192 / 1e9") != std::string::npos);
    CHECK(out.find("\"what\"") == std::string::npos);
  }
}

TEST_CASE("Items of lists are set by their index") {
  const std::string two = "estimate --json --model gpt2-124m --system dgx-h100 --gpus 2 --pp 2";
  const auto layers = [&](const std::string& sets) {
    return json::parse(run(two + sets).out).at("scenario").at("parallelism").at("stage_layers");
  };
  CHECK(layers(" --set /parallelism/stage_layers/0=4 --set /parallelism/stage_layers/-=8") == json({4, 8}));
  CHECK(layers(" --set /parallelism/stage_layers=[4,7] --set /parallelism/stage_layers/1=8") == json({4, 8}));
  check_refused(
      "estimate --model gpt2-124m --system dgx-h100 --set /parallelism/stage_layers=[12] "
      "--set /parallelism/stage_layers/2=1",
      "\"2\" is no item of a list of 1. Allowed: 0 to 1, or - to append.");
}

TEST_CASE("Flags override the document") {
  const Scratch scratch;
  const std::string path = scratch.write("s.json", R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":64},
    "parallelism":{"tensor_parallel_size":8,"data_parallel_size":8},"training":{"engine":"megatron","sequence_length":2048}})");
  const auto scenario = [&](const std::string& flags) {
    const Outcome outcome = run("estimate --json " + path + " " + flags);
    CAPTURE(flags, outcome.out.substr(0, 500));
    return json::parse(outcome.out).at("scenario");
  };
  CHECK(scenario("--seq 8k").at("training").at("sequence_length") == 8192);
  CHECK(scenario("--tokens 1.4T").at("training").at("tokens") == 1400000000000);
  CHECK(scenario("--tp 4").at("parallelism").at("data_parallel_size") == 16);
  CHECK(scenario("--gpus 128").at("parallelism").at("data_parallel_size") == 16);
  CHECK(scenario("--gpu a100-sxm-80gb").at("cluster").at("gpu") == "a100-sxm-80gb");
  CHECK_FALSE(scenario("--gpu a100-sxm-80gb").at("cluster").contains("system"));
  CHECK(scenario("--set /training/loss=fused --set /training/recompute='{\"modules\":[\"mlp\"]}'")
            .at("training")
            .at("loss") == "fused");
  CHECK(scenario("--set /training/tokens=2T").at("training").at("tokens") == 2000000000000);
  CHECK(scenario("--set /parallelism/sequence_parallel=false").at("parallelism").at("sequence_parallel") == false);
  CHECK(scenario("--model gpt2-124m --seq 1k --tp 4").at("model") == "gpt2-124m");
}

TEST_CASE("A config.json stands in for a model id") {
  const Scratch scratch;
  const std::string path = scratch.write("config.json", R"({"model_type":"llama","hidden_size":2048,
    "intermediate_size":5632,"num_hidden_layers":22,"num_attention_heads":32,"num_key_value_heads":4,"vocab_size":32000})");
  const json answer = json::parse(run("estimate --json --system dgx-h100 --model " + path).out);
  REQUIRE(answer.at("ok") == true);
  CHECK(answer.at("scenario").at("model").at("hidden_size") == 2048);
  CHECK(answer.at("model").at("parameters") == 1100048384);  // TinyLlama 1.1B has this shape
}

TEST_CASE("A profile file changes prices") {
  const Scratch scratch;
  const std::string path = scratch.write("p.json", R"({"schema_version":1,"name":"mine","memory_sigma":0.1})");
  CHECK(json::parse(run(small + " --json --profile " + path).out).at("profile").at("name") == "mine");
}

TEST_CASE("Tables fit eighty columns, without colour where nobody looks") {
  for (const std::string& arguments :
       {small + " --explain --tokens 1e9", std::string("estimate handbook:model-sizes"),
        std::string(
            "estimate --model deepseek-v3 --system dgx-h100 --gpus 2048 --tp 8 --pp 16 --ep 64 --etp 1 --explain"),
        std::string("estimate --help"), std::string("describe"), std::string("catalog gpus t4"),
        std::string("catalog handbook 70b-divided-by-two"), std::string("catalog handbook adam-and-sgd"),
        std::string("--help")}) {
    const Outcome outcome = run(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK_FALSE(outcome.out.empty());
    CHECK(outcome.out.find('\033') == std::string::npos);
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);) {
      CAPTURE(line);
      const std::size_t columns = columns_of(line);
      CHECK((columns <= 80 || line.find(' ') == std::string::npos || line.find('/') != std::string::npos));
    }
  }
}

TEST_CASE("The verdict comes first and the totals of the ledger are in the text") {
  const Outcome outcome = run(small);
  CHECK(outcome.out.rfind("Fits: ", 0) == 0);
  for (const char* word : {"allocated", "reserved", "device", "backward", "compute", "MFU"}) {
    CAPTURE(word);
    CHECK(outcome.out.find(word) != std::string::npos);
  }
  CHECK(run("estimate --model llama-2-70b --gpu rtx-3090 --gpus 1")
            .out.find("Parameters, gradients and optimizer alone need") != std::string::npos);
}

TEST_CASE("The flag --explain shows formula, values and source") {
  const std::string out = run(small + " --explain").out;
  CHECK(out.find("w * P / d") != std::string::npos);
  CHECK(out.find("= 4 * 124,439,808 / 1") != std::string::npos);
  CHECK(out.find("source: ") != std::string::npos);
}

TEST_CASE("Version and help are told on standard output") {
  CHECK(run("--version").out.rfind("meshgauge ", 0) == 0);
  CHECK(run("--version").status == 0);
  CHECK(run("--help").status == 0);
  CHECK(run("estimate --help").out.find("--global-batch") != std::string::npos);
  CHECK(run("").status == 2);
}

TEST_CASE("A full disk is the machine's failure") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Scratch scratch;
  const int status = std::system(("\"" MESHGAUGE_EXECUTABLE "\" describe >/dev/full 2>" + scratch.path("err")).c_str());
  CHECK(WEXITSTATUS(status) == 3);
}
