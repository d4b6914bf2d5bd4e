"""Scenarios that show every line of memory and every transfer between them, for the tables of docs/models.md."""

T5 = {"model_type": "t5", "d_model": 1024, "d_ff": 4096, "d_kv": 64, "num_heads": 16, "num_layers": 24,
      "num_decoder_layers": 24, "vocab_size": 32128}


def scenario(model, gpus, layout=None, **training):
    return {"model": model, "cluster": {"system": "dgx-h100", "gpus": gpus}, "parallelism": layout or {}, "training": training}


def degrees(**sizes):
    return {f"{name}_parallel_size": size for name, size in sizes.items()}


SCENARIOS = [
    scenario("llama-3.1-70b", 64, degrees(tensor=8, pipeline=4), global_batch_size=64, tokens=1e12, recompute="full"),
    scenario("gpt3-6.7b", 64, degrees(tensor=4, pipeline=4) | {"sequence_parallel": False}, engine="megatron", recompute="full",
             precision="fp16", gradient_dtype="fp16", attention="unfused", dropout=True, attention_mask=True, loss="native"),
    scenario("gpt2-1.5b", 16, degrees(pipeline=4), engine="megatron", recompute="selective", precision="fp8", attention="unfused"),
    scenario("llama-2-7b", 8, engine="ddp"),
    scenario("llama-2-7b", 8, engine="dp"),
    scenario("llama-2-7b", 8, engine="fsdp2", loss="chunked", document_length=512, global_batch_size=16),
    scenario("llama-2-7b", 8, {"zero_stage": 2}, engine="fsdp2"),
    scenario("llama-2-7b", 16, {"data_parallel_replicate_size": 2}, engine="fsdp2"),
    scenario("llama-2-7b", 8, {"zero_stage": 3}, engine="hf", global_batch_size=32),
    scenario("qwen3-8b", 8, {"zero_stage": 3}, engine="hf", peft="qlora", lora_dropout=0.1, recompute="full"),
    scenario("llama-2-7b", 8, engine="fsdp2", objective="dpo"),
    scenario("llama-2-7b", 8, engine="torchtitan", recompute={"modules": ["operators"]}),
    scenario("llama-2-7b", 8, {"zero_stage": 2}, engine="deepspeed"),
    scenario("gpt2-1.5b", 8, {"zero_stage": 2}, engine="deepspeed"),
    scenario("llama-2-7b", 16, {"zero_stage": 3}, engine="deepspeed", zero_hpz_partition_size=8, zero_quantized_gradients=True,
             stage3_max_reuse_distance=1e8),
    scenario("llama-2-7b", 16, {"zero_stage": 3}, engine="deepspeed", stage3_max_reuse_distance=1e8),
    scenario("llama-2-7b", 16, degrees(tensor=2, pipeline=2), engine="megatron_deepspeed", global_batch_size=64),
    scenario("llama-2-7b", 16, degrees(tensor=2, pipeline=2), engine="aleph_alpha", global_batch_size=64),
    scenario("llama-2-7b", 16, degrees(pipeline=4) | {"pipeline_schedule": "pipedream"}, engine="megatron", global_batch_size=64),
    scenario("llama-2-7b", 16, degrees(pipeline=4) | {"pipeline_schedule": "zb-v"}, engine="megatron", global_batch_size=64),
    scenario("llama-2-7b", 16, degrees(pipeline=4) | {"pipeline_schedule": "dualpipe"}, engine="megatron", global_batch_size=64),
    *(scenario("llama-3-8b", 16, degrees(context=4) | {"context_parallel_kind": kind}, engine="megatron", recompute="full")
      for kind in ("ring", "all_gather", "ulysses")),
    scenario("deepseek-v3", 128, degrees(tensor=2, pipeline=4, expert=16), engine="megatron", global_batch_size=256,
             recompute="full", moe_dispatch_dtype="fp8", loss="fused"),
    scenario("mixtral-8x7b", 32, degrees(tensor=2, expert=8, expert_tensor=2) | {"data_parallel_replicate_size": 2}, engine="megatron",
             recompute="full"),
    scenario("mixtral-8x7b", 32, degrees(tensor=2, expert=4), engine="megatron", moe_dispatcher="allgather", recompute="full",
             engine_version="0.12"),
    scenario("mixtral-8x7b", 32, degrees(expert=4), engine="torchtitan"),
    scenario("deepseek-v3", 512, engine="fsdp2"),
    scenario(T5, 8, engine="fsdp2"),
]
