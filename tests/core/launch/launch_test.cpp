// What launch files say and what they refuse, through the door.
#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::testing::ask;
using meshgauge::testing::json;

json launch(const std::string& target, const json& scenario) {
  return ask({{"command", "launch"}, {"target", target}, {"scenario", scenario}});
}

json job(const std::string& engine, int gpus = 16, const std::string& model = "llama-2-7b") {
  json scenario{{"model", model}, {"cluster", {{"system", "dgx-h100"}, {"gpus", gpus}}}};
  if (!engine.empty()) scenario["training"]["engine"] = engine;
  return scenario;
}

std::string file(const json& answer, const std::string& path) {
  for (const json& one : answer.at("files")) {
    if (one.at("path") == path) return one.at("text");
  }
  return {};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool complains(const json& answer, const std::string& path) {
  for (const json& issue : answer.at("issues")) {
    if (issue.at("path") == path) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Several nodes get a static and a c10d start, one node a standalone one") {
  const json nodes = launch("torchrun", job("ddp"));
  REQUIRE(nodes["ok"] == true);
  CHECK(says(file(nodes, "run_static.sh"), "--nnodes=2 \\\n  --nproc_per_node=8 \\\n  --node_rank=\"$NODE_RANK\""));
  CHECK(says(file(nodes, "run_c10d.sh"), "--rdzv_backend=c10d"));
  const json one = launch("torchrun", job("ddp", 8));
  CHECK(says(file(one, "run.sh"), "exec torchrun \\\n  --standalone \\\n  --nproc_per_node=8 \\\n  train_ddp.py"));
  CHECK(launch("torchrun", job("ddp", 4))["commands"][0]["text"] == "./run.sh");
}

TEST_CASE("A scenario without an engine gets that of the target") {
  CHECK(launch("fsdp2", job(""))["scenario"]["training"]["engine"] == "fsdp2");
  CHECK(launch("deepspeed", job(""))["scenario"]["training"]["engine"] == "deepspeed");
  CHECK(launch("megatron", job(""))["scenario"]["training"]["engine"] == "megatron");
}

TEST_CASE("An engine that a target does not start is refused, with those that do") {
  const json answer = launch("torchrun", job("megatron"));
  REQUIRE(answer["ok"] == false);
  CHECK(answer["issues"][0]["path"] == "/training/engine");
  CHECK(says(answer["issues"][0]["message"], "Targets that do: megatron, slurm."));
}

TEST_CASE("What a target cannot do is refused at its field, all at once") {
  json scenario = job("ddp", 12, "mixtral-8x7b");
  scenario["training"].update(
      {{"precision", "fp8"}, {"optimizer", "lion"}, {"recompute", "selective"}, {"loss", "fused"}});
  const json answer = launch("torchrun", scenario);
  REQUIRE(answer["ok"] == false);
  for (const char* path : {"/model", "/training/precision", "/training/optimizer", "/training/recompute",
                           "/training/loss", "/cluster/gpus"}) {
    INFO(path << ' ' << answer.dump(1));
    CHECK(complains(answer, path));
  }
}

TEST_CASE("What no file says is a warning at its field") {
  json scenario = job("fsdp2");
  scenario["training"]["document_length"] = 512;
  const json answer = launch("fsdp2", scenario);
  REQUIRE(answer["ok"] == true);
  const json& warnings = answer["warnings"];
  CHECK(std::any_of(warnings.begin(), warnings.end(),
                    [](const json& w) { return w["path"] == "/training/document_length"; }));
}

TEST_CASE("Megatron's arguments name the layout") {
  json scenario = job("megatron", 64, "llama-2-70b");
  scenario["parallelism"] = {{"tensor_parallel_size", 8}, {"pipeline_parallel_size", 4}, {"virtual_pipeline_size", 5}};
  scenario["training"].update({{"sequence_length", 4096}, {"global_batch_size", 64}});
  const json answer = launch("megatron", scenario);
  REQUIRE(answer["ok"] == true);
  const std::string text = file(answer, "megatron_args.sh");
  for (const char* part :
       {"--num-layers 80\n", "--hidden-size 8192\n", "--num-query-groups 8\n", "--tensor-model-parallel-size 8\n",
        "--sequence-parallel\n", "--num-virtual-stages-per-pipeline-rank 5\n", "--use-distributed-optimizer\n",
        "--global-batch-size 64\n", "--bf16\n", "--swiglu\n", "--normalization RMSNorm\n", "--disable-bias-linear\n"}) {
    INFO(part);
    CHECK(says(text, part));
  }
  CHECK(says(file(answer, "env.sh"), "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"));
}

TEST_CASE("An uneven pipeline becomes Megatron's layout string and torchtitan's module lists") {
  json scenario = job("megatron", 16);
  scenario["parallelism"] = {{"pipeline_parallel_size", 4}, {"stage_layers", {7, 9, 9, 7}}};
  CHECK(says(file(launch("megatron", scenario), "megatron_args.sh"),
             "--pipeline-model-parallel-layout \"Et*7|t*9|t*9|t*7L\"\n"));
  json titan = job("torchtitan", 16, "llama-3.1-8b");
  titan["parallelism"] = {{"pipeline_parallel_size", 4}, {"stage_layers", {7, 9, 9, 7}}};
  CHECK(says(file(launch("torchtitan", titan), "torchtitan.toml"), "\"layers.6\"],\n  [\"layers.7\""));
}

TEST_CASE("DeepSeek-V3's experts and latent attention reach Megatron") {
  json scenario = job("megatron", 1024, "deepseek-v3");
  scenario["parallelism"] = {
      {"pipeline_parallel_size", 16}, {"expert_parallel_size", 64}, {"expert_tensor_parallel_size", 1}};
  const std::string text = file(launch("megatron", scenario), "megatron_args.sh");
  // The numbers of deepseek-ai/DeepSeek-V3 config.json
  for (const char* part : {"--moe-layer-freq \"([0]*3+[1]*58)\"", "--num-experts 256\n", "--moe-router-topk 8\n",
                           "--kv-lora-rank 512\n", "--q-lora-rank 1536\n", "--moe-ffn-hidden-size 2048\n",
                           "--moe-router-num-groups 8\n", "--moe-router-group-topk 4\n"}) {
    INFO(part);
    CHECK(says(text, part));
  }
}

TEST_CASE("The environment holds what the cluster needs") {
  json efa = job("ddp");
  efa["cluster"]["network"] = "EFA";
  CHECK(says(file(launch("torchrun", efa), "env.sh"), "export FI_PROVIDER=efa\n"));
  CHECK_FALSE(says(file(launch("torchrun", job("ddp")), "env.sh"), "FI_PROVIDER"));
  CHECK_FALSE(says(file(launch("torchrun", job("ddp", 8)), "env.sh"), "NCCL_SOCKET_IFNAME"));
  json sharp = job("ddp");
  sharp["cluster"]["in_network_reduction"] = true;
  CHECK(says(file(launch("torchrun", sharp), "env.sh"), "export NCCL_COLLNET_ENABLE=1\n"));
}

TEST_CASE("Slurm starts the program of the engine") {
  CHECK(says(file(launch("slurm", job("ddp", 32)), "job.sbatch"), "#SBATCH --nodes=4\n"));
  CHECK(says(file(launch("slurm", job("fsdp2", 32)), "job.sbatch"), "train_fsdp2.py"));
  CHECK(says(file(launch("slurm", job("megatron", 32)), "job.sbatch"), "source ./megatron_args.sh\n"));
  CHECK(launch("slurm", job("aleph_alpha", 32))["ok"] == false);
}

TEST_CASE("Every program multiplies in TF32 where the scenario does, and in fp32 where it does not") {
  for (const auto& [target, program] : {std::pair{"torchrun", "train_ddp.py"},
                                        {"fsdp2", "train_fsdp2.py"},
                                        {"deepspeed", "train_deepspeed.py"},
                                        {"accelerate", "train_accelerate.py"}}) {
    for (const char* precision : {"fp32", "tf32"}) {
      json scenario = job("");
      scenario["training"]["precision"] = precision;
      const json answer = launch(target, scenario);
      INFO(target << ' ' << precision);
      REQUIRE(answer["ok"] == true);
      CHECK(says(file(answer, "settings.py"), "PRECISION = \"" + std::string(precision) + '"'));
      CHECK(says(file(answer, program), "torch.backends.cuda.matmul.allow_tf32 = job.PRECISION != \"fp32\""));
    }
  }
}

TEST_CASE("Every target answers every catalog model with files or with reasons") {
  const json models = ask({{"command", "catalog"}, {"kind", "models"}});
  for (const json& model : models["entries"]) {
    for (const char* target : {"torchrun", "fsdp2", "deepspeed", "accelerate", "megatron", "torchtitan", "slurm"}) {
      const json answer = launch(target, job("", 8, model["id"]));
      INFO(target << ' ' << model["id"]);
      CHECK((answer["ok"] == true ? !answer["files"].empty() : !answer["issues"].empty()));
    }
  }
}
