// The command `diagnose` as it is typed: report, JSON, exit status, refusals.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using meshgauge::testing::Outcome;
using meshgauge::testing::read_file;
using meshgauge::testing::run;
using meshgauge::testing::Scratch;
using nlohmann::json;

namespace {

const std::string message =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 3 has a total capacity of 79.15 GiB "
    "of "
    "which 3.25 GiB is free. Process 123 has 75.89 GiB memory in use. Of the allocated memory 63.11 GiB is allocated "
    "by "
    "PyTorch, and 11.20 GiB is reserved by PyTorch but unallocated.\n";
const std::string job = " --model llama-3-8b --gpu h100-sxm-80gb --gpus 8 --engine fsdp2 --seq 8192";

bool within_80_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 80 || (!line.empty() && line.back() == ' ')) return false;
  }
  return true;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("diagnose names the tensor, what held the device and what would help") {
  const Scratch scratch;
  const Outcome outcome = run("diagnose " + scratch.write("oom.txt", message) + job);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(within_80_columns(outcome.out));
  CHECK(says(outcome.out, "T * V * w = 8,192 * 128,256 * 4 = 4,202,692,608 B"));
  CHECK(says(outcome.out, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
  CHECK(says(outcome.out, "--set /training/recompute=full"));
  CHECK(says(outcome.out, "CUDA context, NCCL and libraries"));
}

TEST_CASE("diagnose reads every kept message within 80 columns, with and without a scenario") {
  for (const char* thread :
       {"automodel-2673", "colossalai-4537", "colossalai-4962", "dllm-9", "firefly-33", "litgpt-684",
        "llamafactory-1221", "llamafactory-260", "megatron-525", "megatron-bridge-5508", "verl-2828"}) {
    for (const std::string& flags : {std::string(), job, std::string(" --model qwen3-8b")}) {
      const Outcome outcome =
          run("diagnose \"" MESHGAUGE_TEST_DATA "/out_of_memory/" + std::string(thread) + ".txt\"" + flags);
      INFO(thread << flags << '\n' << outcome.out << outcome.err);
      CHECK(outcome.status == 0);
      CHECK(within_80_columns(outcome.out));
    }
  }
}

TEST_CASE("diagnose takes standard input, a scenario file and answers in JSON") {
  const Scratch scratch;
  const std::string log = scratch.write("oom.txt", message);
  const std::string scenario =
      scratch.write("scenario.json", R"({"model":"llama-3-8b","cluster":{"gpu":"h100-sxm-80gb","gpus":8}})");
  const Outcome outcome = run("diagnose - --json --scenario " + scenario + " --seq 8192 < " + log);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer.at("kind") == "out_of_memory");
  CHECK(answer.at("known") == "scenario");
  CHECK(answer.at("candidates").at(0).at("id") == "logits");
  const Outcome other = run("diagnose " + log + " --json --scenario - < " + scenario);
  CHECK(json::parse(other.out).at("known") == "scenario");
  CHECK(json::parse(run("diagnose --json " + log).out).at("known") == "nothing");
}

TEST_CASE("diagnose refuses what it cannot read with one message and status 2") {
  const Scratch scratch;
  const std::string log = scratch.write("oom.txt", message), calm = scratch.write("calm.txt", "all is well\n");
  const auto refused = [](const std::string& arguments, const std::string& words) {
    const Outcome outcome = run("diagnose " + arguments);
    INFO(arguments << '\n' << outcome.out << outcome.err);
    std::string flat = outcome.err;
    for (std::size_t at = flat.find("\n    "); at != std::string::npos; at = flat.find("\n    "))
      flat.replace(at, 5, " ");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(says(flat, words));
    CHECK(std::count(flat.begin(), flat.end(), '\n') == 1);
  };
  refused(calm, "There is no out-of-memory message of PyTorch in the text.");
  refused("", "No text is given.");
  refused(scratch.path("missing"), "Cannot read");
  refused(log + " --gpus 8 --model llama-3-8b", "The cluster names no hardware.");
  refused(log + " --model no-such-model", "unknown model");
  refused(log + " --seqq 3", "There is no flag");
  refused("- --scenario -", "both standard input");
  const Outcome outcome = run("diagnose --json " + calm);
  CHECK(outcome.status == 2);
  CHECK(json::parse(outcome.out).at("ok") == false);
}

TEST_CASE("diagnose shows what a log of NCCL says, for people and for machines") {
  const std::string folder = MESHGAUGE_TEST_DATA "/nccl/";
  const Outcome shown = run("diagnose " + folder + "sockets.txt");
  CHECK(shown.status == 0);
  CHECK(says(shown.out, "NCCL 2.14.3+cuda11.7, 2 ranks on 2 nodes"));
  CHECK(says(shown.out, "slow     Data between nodes goes over TCP sockets."));
  CHECK(says(shown.out, " 1  ibv_devices"));
  const Outcome both = run("diagnose --json " + folder + "rdma.txt " + folder + "hang.txt");
  const json answer = json::parse(both.out);
  CHECK(answer.at("kind") == "nccl");
  CHECK(answer.at("files").at(1).at("first_line") == 32);
  CHECK(answer.at("nccl").at("hosts").at(0).at("ranks") == json::array({0, 1}));
  CHECK(answer.at("nccl").at("findings").at(0).at("id") == "local_interface");
  const Scratch scratch;
  const Outcome mixed = run("diagnose " + scratch.write("both.txt", message) + ' ' + folder + "watchdog.txt");
  CHECK(says(mixed.out, "Out of memory"));
  CHECK(says(mixed.out, "Ranks 0, 1, 3 waited 600 s"));
}

TEST_CASE("diagnose reads logs up to 64 MiB") {
  const Scratch scratch;
  std::string log;
  while (log.size() < (std::size_t{63} << 20U)) log += "[rank0]: step 12: loss 3.14, 1.2 s, Tokens and Trials\n";
  log += message;
  CHECK(run("diagnose " + scratch.write("long.txt", log)).status == 0);
  log += std::string(std::size_t{2} << 20U, '.');
  CHECK(run("diagnose " + scratch.write("longer.txt", log)).status == 2);
}
