// Configurations of other programs become scenarios, and what launch writes reads back as what it was written from.
#include "core/io/read_config.hpp"

#include <string>

#include "core/io/configs/syntax.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/door.hpp"

namespace {

using meshgauge::parse_options;
using meshgauge::parse_python_arguments;
using meshgauge::parse_yaml;
using meshgauge::testing::ask;
using meshgauge::testing::json;
using ordered = nlohmann::ordered_json;

json read(const std::string& text, const json& known = json::object()) {
  return ask({{"command", "read_config"}, {"text", text}, {"scenario", known}});
}

bool lists(const json& entries, const std::string& key) {
  for (const json& entry : entries) {
    if (entry.at("key") == key) return true;
  }
  return false;
}

const json eight_gpus = {{"model", "llama-2-7b"}, {"cluster", {{"system", "dgx-a100-80gb"}, {"gpus", 8}}}};

}  // namespace

TEST_CASE("DeepSpeed's JSON becomes a scenario, and each of its settings is accounted for") {
  const json answer = read(
      R"({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "gradient_clipping": 1.0,
          "bf16": {"enabled": true}, "fp16": {"enabled": false}, "steps_per_print": 10, "my_key": {"a": 1},
          "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
          "zero_optimization": {"stage": 3, "overlap_comm": true, "contiguous_gradients": true,
            "reduce_bucket_size": 16777216, "offload_optimizer": {"device": "cpu", "pin_memory": true}}})",
      eight_gpus);
  REQUIRE(answer["ok"] == true);
  CHECK(answer["kind"] == "deepspeed");
  const json& t = answer["scenario"]["training"];
  CHECK(t["engine"] == "deepspeed");
  CHECK(t["precision"] == "bf16");
  CHECK(t["micro_batch_size"] == 4);
  CHECK(t["global_batch_size"] == 64);  // 4 x 2 x 8
  CHECK(t["reduce_bucket_size"] == 16777216);
  CHECK(t["optimizer_offload"] == "cpu");
  CHECK(answer["scenario"]["parallelism"]["zero_stage"] == 3);
  CHECK(lists(answer["irrelevant"], "steps_per_print"));
  CHECK(lists(answer["irrelevant"], "zero_optimization.contiguous_gradients"));
  CHECK(lists(answer["not_understood"], "my_key.a"));
  CHECK(answer["used"].size() + answer["irrelevant"].size() + answer["not_understood"].size() == 15);
  CHECK(meshgauge::testing::estimate(answer["scenario"])["scenario"]["parallelism"]["zero_stage"] == 3);
}

TEST_CASE("DeepSpeed's auto is what the Trainer fills in, as far as the model tells") {
  const std::string text =
      R"({"bf16": {"enabled": "auto"}, "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
          "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto",
          "stage3_param_persistence_threshold": "auto"}})";
  const json answer = read(text, eight_gpus);
  REQUIRE(answer["ok"] == true);
  // hidden_size^2 and 0.9 hidden_size^2 (transformers/integrations/deepspeed.py); Llama-2 7B has 4,096.
  CHECK(answer["scenario"]["training"]["reduce_bucket_size"] == 16777216);
  CHECK(answer["scenario"]["training"]["stage3_prefetch_bucket_size"] == 15099494);
  CHECK(lists(answer["not_understood"], "bf16.enabled"));
  CHECK(lists(answer["not_understood"], "train_batch_size"));
  CHECK(lists(answer["irrelevant"], "zero_optimization.stage3_param_persistence_threshold"));
  const json alone = read(text);
  CHECK(lists(alone["not_understood"], "zero_optimization.reduce_bucket_size"));
}

TEST_CASE("Accelerate's YAML becomes a scenario") {
  const json answer = read(R"(# as accelerate config writes it
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: FSDP
downcast_bf16: 'no'
fsdp_config:
  fsdp_activation_checkpointing: true
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_offload_params: false
  fsdp_reshard_after_forward: true
  fsdp_version: 2
  fsdp_new_thing: 3
machine_rank: 0
mixed_precision: bf16
num_machines: 2
num_processes: 16
)");
  INFO(answer.dump(1));
  REQUIRE(answer["ok"] == true);
  const json& s = answer["scenario"];
  CHECK(s["training"]["engine"] == "fsdp2");
  CHECK(s["training"]["precision"] == "bf16");
  CHECK(s["training"]["recompute"] == "full");
  CHECK(s["parallelism"]["reshard_after_forward"] == true);
  CHECK(s["cluster"]["gpus"] == 16);
  CHECK(s["cluster"]["gpus_per_node"] == 8);
  CHECK(lists(answer["not_understood"], "fsdp_config.fsdp_new_thing"));
}

TEST_CASE("Megatron's arguments are read out of a script with variables, arrays and line continuations") {
  const json answer = read(R"(#!/bin/bash
TP=8   # tensor
LAYERS=96
MODEL_ARGS=(
    --num-layers $LAYERS
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length "2048"
    --max-position-embeddings 2048
    --attention-backend auto # Can use (flash/fused/unfused/local)
)
torchrun --nproc_per_node 8 --nnodes ${NODES:-128} pretrain_gpt.py \
    --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size 16 \
    --micro-batch-size 1 --global-batch-size=1536 --bf16 --lr 6.0e-5 \
    --vocab-size 50257 --use-distributed-optimizer --frobnicate 7 "${MODEL_ARGS[@]}"
)",
                           {{"cluster", {{"system", "dgx-a100-80gb"}}}});
  INFO(answer.dump(1));
  REQUIRE(answer["ok"] == true);
  const json& s = answer["scenario"];
  CHECK(s["parallelism"]["tensor_parallel_size"] == 8);
  CHECK(s["parallelism"]["pipeline_parallel_size"] == 16);
  CHECK(s["parallelism"]["zero_stage"] == 1);
  CHECK(s["training"]["global_batch_size"] == 1536);
  CHECK(s["training"]["sequence_length"] == 2048);
  CHECK(s["cluster"]["gpus"] == 1024);
  CHECK(lists(answer["irrelevant"], "lr"));
  CHECK(lists(answer["not_understood"], "frobnicate"));
  CHECK(lists(answer["irrelevant"], "attention-backend"));
  // GPT-3 175B: 96 layers of 12,288 hold 174.6e9 parameters (Brown et al. 2020 table 2.1: 175.0B).
  CHECK(meshgauge::testing::estimate(s)["model"]["parameters"].get<double>() == Approx(174.6e9).epsilon(0.001));
}

TEST_CASE("TrainingArguments are read from JSON, from a call, from lines and from a command line") {
  const char* const forms[] = {
      R"({"output_dir": "out", "per_device_train_batch_size": 4, "gradient_accumulation_steps": 8, "bf16": true, "gradient_checkpointing": true, "optim": "adamw_bnb_8bit", "mystery": 1})",
      "args = TrainingArguments(\n    output_dir=\"out\",  # where\n    per_device_train_batch_size=4, "
      "gradient_accumulation_steps=8,\n    bf16=True,\n    gradient_checkpointing=True, optim='adamw_bnb_8bit', "
      "mystery=1,\n)",
      "output_dir = \"out\"\nper_device_train_batch_size = 4\ngradient_accumulation_steps = 8\nbf16 = "
      "True\ngradient_checkpointing = True\noptim = \"adamw_bnb_8bit\"\nmystery = 1\n",
      "python run_clm.py --output_dir out --per_device_train_batch_size 4 --gradient_accumulation_steps 8 --bf16 "
      "--gradient_checkpointing True --optim adamw_bnb_8bit --mystery 1",
  };
  for (const char* form : forms) {
    const json answer = read(form, eight_gpus);
    INFO(form << '\n' << answer.dump(1));
    REQUIRE(answer["ok"] == true);
    CHECK(answer["kind"] == "training_arguments");
    const json& t = answer["scenario"]["training"];
    CHECK(t["engine"] == "hf");
    CHECK(t["precision"] == "bf16");
    CHECK(t["micro_batch_size"] == 4);
    CHECK(t["global_batch_size"] == 256);
    CHECK(t["recompute"] == "full");
    CHECK(t["optimizer"] == "adamw_8bit");
    CHECK(lists(answer["not_understood"], "mystery"));
    CHECK(lists(answer["irrelevant"], "output_dir"));
  }
}

TEST_CASE("An expression of Python is not understood, and says so") {
  const json answer =
      read("TrainingArguments(per_device_train_batch_size=args.batch, bf16=is_bf16(), fsdp=\"full_shard auto_wrap\")");
  REQUIRE(answer["ok"] == true);
  CHECK(answer["scenario"]["parallelism"]["zero_stage"] == 3);
  CHECK(lists(answer["not_understood"], "bf16.expression"));
}

TEST_CASE("What launch writes reads back as the scenario in the fields that the target carries") {
  struct Trip {
    const char *target, *file, *scenario;
  };
  const Trip trips[] = {
      {"deepspeed", "ds_config.json",
       R"({"model":"llama-2-7b","cluster":{"system":"dgx-a100-80gb","gpus":16},"parallelism":{"zero_stage":3},"training":{"engine":"deepspeed","micro_batch_size":2,"global_batch_size":128,"optimizer_offload":"cpu","stage3_max_reuse_distance":0,"zero_quantized_weights":true}})"},
      {"deepspeed", "ds_config.json",
       R"({"model":"gpt2-124m","cluster":{"gpu":"v100-sxm2-32gb","gpus":8},"parallelism":{"zero_stage":1},"training":{"engine":"deepspeed","precision":"fp16","optimizer":"momentum"}})"},
      {"accelerate", "accelerate.yaml",
       R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":16},"training":{"engine":"fsdp2","recompute":"full"}})"},
      {"accelerate", "accelerate.yaml",
       R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":8},"parallelism":{"zero_stage":2},"training":{"engine":"fsdp1","parameter_offload":"cpu","optimizer_offload":"cpu"}})"},
      {"accelerate", "accelerate.yaml",
       R"({"model":"llama-2-7b","cluster":{"system":"dgx-h100","gpus":8},"parallelism":{"zero_stage":2},"training":{"engine":"deepspeed"}})"},
      {"megatron", "megatron_args.sh",
       R"({"model":"llama-3.1-70b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":8,"pipeline_parallel_size":4,"virtual_pipeline_size":5},"training":{"engine":"megatron","global_batch_size":128,"overlap_gradient_reduction":true,"recompute":{"method":"block","layers":2}}})"},
      {"megatron", "megatron_args.sh",
       R"({"model":"gpt3-175b","cluster":{"system":"dgx-a100-80gb","gpus":128},"parallelism":{"tensor_parallel_size":8,"pipeline_parallel_size":8,"zero_stage":0},"training":{"engine":"megatron","global_batch_size":64,"attention":"unfused","recompute":"selective","gradient_dtype":"bf16"}})"},
      {"megatron", "megatron_args.sh",
       R"({"model":"mixtral-8x7b","cluster":{"system":"dgx-h100","gpus":64},"parallelism":{"tensor_parallel_size":2,"expert_parallel_size":8,"expert_tensor_parallel_size":1,"context_parallel_size":2},"training":{"engine":"megatron","precision":"fp8","loss":"fused"}})"},
      {"megatron", "megatron_args.sh",
       R"({"model":"deepseek-v3","cluster":{"system":"dgx-h100","gpus":1024},"parallelism":{"pipeline_parallel_size":8,"stage_layers":[7,8,8,8,8,8,8,6],"expert_parallel_size":64,"expert_tensor_parallel_size":1},"training":{"engine":"megatron","global_batch_size":4096,"sequence_length":4096,"moment_dtype":"bf16","master_dtype":"bf16","recompute":{"modules":["mla_up_projection","layernorm"]}}})"},
      {"megatron", "megatron_args.sh",
       R"({"model":"qwen2.5-7b","cluster":{"system":"dgx-h100","gpus":8},"training":{"engine":"megatron","optimizer":"sgd","dropout":true,"deterministic":true}})"},
  };
  for (const Trip& trip : trips) {
    const json scenario = json::parse(trip.scenario);
    const json set = ask({{"command", "launch"}, {"target", trip.target}, {"scenario", scenario}});
    INFO(trip.target << ' ' << trip.scenario << '\n' << set.dump(1).substr(0, 3000));
    REQUIRE(set["ok"] == true);
    std::string text;
    for (const json& file : set["files"]) {
      if (file["path"] == trip.file) text = file["text"];
    }
    // What the file cannot know: the hardware, for accelerate and DeepSpeed the model, and the length of a sequence.
    json known{{"cluster", scenario["cluster"]}};
    const bool megatron = std::string(trip.target) == "megatron";
    if (!megatron) known["model"] = scenario["model"];
    const json back = read(text, known);
    INFO(text << '\n' << back.dump(1).substr(0, 6000));
    REQUIRE(back["ok"] == true);
    CHECK(back["not_understood"].empty());
    const json first = meshgauge::testing::estimate(scenario), second = meshgauge::testing::estimate(back["scenario"]);
    CHECK(second["scenario"]["parallelism"] == first["scenario"]["parallelism"]);
    CHECK(second["model"]["parameters"] == first["model"]["parameters"]);
    CHECK(second["model"]["active_parameters"] == first["model"]["active_parameters"]);
    json was = first["scenario"]["training"], is = second["scenario"]["training"];
    if (std::string(trip.target) == "accelerate") {
      for (const char* field : {"global_batch_size", "micro_batch_size"}) {  // they stand in the program
        was.erase(field);
        is.erase(field);
      }
    }
    CHECK(is == was);
  }
}

TEST_CASE("The part of YAML that is read gives what PyYAML gives") {
  const auto yaml =
      parse_yaml("a: 1\nb:\n  c: 'no'\n  d: [x, 2, true]\n  e:\n  - one\n  - 2\nf: \"q # r\" # c\ng: no\nh:\n");
  REQUIRE(yaml.ok());
  CHECK(*yaml.value ==
        ordered::parse(R"({"a":1,"b":{"c":"no","d":["x",2,true],"e":["one",2]},"f":"q # r","g":false,"h":null})"));
  for (const char* bad : {"a: &x 1", "a: |\n  text", "- a: 1", "a:\n\tb: 1", "just words", "a: 1\n  b: 2",
                          "a: [1, [2]]", "a: \"open", "a: 1\na: 2", "a: {b: 1}"}) {
    INFO(bad);
    const auto refused = parse_yaml(bad);
    CHECK_FALSE(refused.ok());
    REQUIRE_FALSE(refused.issues.empty());
    CHECK(refused.issues[0].message.rfind("line ", 0) == 0);
  }
}

TEST_CASE("Options take quotes, continuations, equals signs and several values") {
  const auto options =
      parse_options("X=3; run --a $X --b='two words' --c 1 2 \\\n --d --e \"${Y:-7}\" --f '$X' # --g 1\n--h \"$Z\"");
  REQUIRE(options.ok());
  CHECK(*options.value == ordered::parse(R"({"a":3,"b":"two words","c":[1,2],"d":true,"e":7,"f":"$X","h":"$Z"})"));
}

TEST_CASE("Arguments of Python are literals, or said to be none") {
  const auto call = parse_python_arguments(
      "x = TrainingArguments('out', a=1e-4, b=[1, \"2\"], c={'d': None, \"e\": False}, f=g(1, 2), h=-3)");
  REQUIRE(call.ok());
  CHECK(*call.value ==
        ordered::parse(R"~({"a":1e-4,"b":[1,"2"],"c":{"d":null,"e":false},"f":{"expression":"g(1, 2)"},"h":-3})~"));
}

TEST_CASE("Any bytes give an answer or issues") {
  const std::string seeds[] = {"distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n",
                               R"({"zero_optimization": {"stage": 3}})",
                               "--num-layers 2 --hidden-size \"8\" --moe-layer-freq '([0]*3+[1]*5)' --num-experts 4 "
                               "--num-layers-per-virtual-pipeline-stage 0",
                               "TrainingArguments(per_device_train_batch_size=4, a=[1, {'b': (2)}], c=\"d\")"};
  unsigned state = 1;
  const auto random = [&] { return state = state * 1664525U + 1013904223U, state >> 8U; };
  for (const std::string& seed : seeds) {
    for (int round = 0; round < 400; ++round) {
      std::string text = seed;
      for (unsigned i = random() % 6; i-- > 0;) text[random() % text.size()] = static_cast<char>(random());
      if (random() % 4 == 0) text.resize(random() % text.size());
      for (std::size_t kind = 0; kind < meshgauge::all_names<meshgauge::ConfigKind>().size(); ++kind) {
        const auto answer = meshgauge::read_config(text, static_cast<meshgauge::ConfigKind>(kind), ordered::object());
        CHECK((answer.ok() || !answer.issues.empty()));
        if (answer.ok()) CHECK_FALSE(answer.value->dump(-1, ' ', false, ordered::error_handler_t::strict).empty());
      }
    }
  }
}

TEST_CASE("A text that is no configuration is refused") {
  CHECK(read("hello")["issues"][0]["path"] == "/text");
  CHECK(read("")["ok"] == false);
  CHECK(ask({{"command", "read_config"}})["ok"] == false);
  CHECK(ask({{"command", "read_config"}, {"text", "--bf16"}, {"kind", "fairseq"}})["ok"] == false);
}
