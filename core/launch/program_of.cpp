// Which program trains with which engine.
#include <string>

#include "core/launch/configurations.hpp"
#include "core/launch/program.hpp"
#include "core/launch/start.hpp"

namespace meshgauge {
namespace {

Program python_program(const Scenario& s, std::string_view path) {
  return {.files = launch::program_files(s, path), .command = std::string(path), .sourced = {}};
}

}  // namespace

Program program_of(const Scenario& s) {
  switch (s.training.engine) {
    case Engine::fsdp2:
      return python_program(s, "train_fsdp2.py");
    case Engine::deepspeed: {
      Program program = python_program(s, "train_deepspeed.py");
      program.files.push_back({"ds_config.json", launch::deepspeed_json(s)});
      return program;
    }
    case Engine::hf:
    case Engine::fsdp1:
      return accelerate_program(s);
    case Engine::megatron:
      return {.files = {{"megatron_args.sh", launch::megatron_arguments(s)}},
              .command =
                  "\"${MEGATRON_PATH:?set it to a checkout of Megatron-LM core_v0.14.0}/pretrain_gpt.py\" "
                  "\"${MEGATRON_ARGS[@]}\"",
              .sourced = {"megatron_args.sh"}};
    case Engine::torchtitan:
      return {.files = {{"torchtitan.toml", launch::torchtitan_toml(s)}},
              .command = "-m torchtitan.train --job.config_file torchtitan.toml",
              .sourced = {}};
    default:
      return python_program(s, "train_ddp.py");
  }
}

Program accelerate_program(const Scenario& s) {
  Program program = python_program(s, "train_accelerate.py");
  program.files.push_back({"accelerate.yaml", launch::accelerate_yaml(s)});
  program.launcher = "accelerate launch --config_file=accelerate.yaml";
  return program;
}

}  // namespace meshgauge
