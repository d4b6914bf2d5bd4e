"""Benchmark references of fms-acceleration: Hugging Face Trainer, full fine-tuning and adapters."""

import re

from . import clusters, models
from .rows import MIB, Skip, flag, need, number, run, whole

PEFT = {"full": "none", "lora": "lora", "qlora-nf4": "qlora", "qlora": "qlora", "gptq-lora": "gptq_lora"}


def prepare(rows):
    return line


def precision_of(row, sharded):
    """Weights are loaded in 16 bits. With bf16 autocast accelerate widens trained parameters to fp32 under FSDP; on one
    GPU, and without autocast, they stay as they are."""
    amp = row.get("amp", "")
    full = row["method"] == "full"
    if full and amp and sharded:
        return amp.split("-")[0], None
    if full or not amp:
        note = "float16 weights counted as bfloat16" if row.get("weights_dtype") == "float16" else None
        return "pure_bf16", note
    return amp.split("-")[0], None


def line(row):
    method = PEFT.get(row["method"])
    if method is None:
        raise Skip(f"method {row['method']} is not in the scenario format")
    sequence = whole(row.get("seq_len"))
    if sequence is None:
        raise Skip("unpacked samples of varying length: no sequence length")
    if (whole(row.get("ep")) or 1) > 1:
        raise Skip("expert parallelism in the Hugging Face Trainer is not in the scenario format")
    gpus, micro, global_batch = need(row, "n_gpus", "micro_batch", "global_batch")
    parallel = row["parallel"]
    if parallel not in ("none", "fsdp-full-shard", "ddp"):
        raise Skip(f"parallelism {parallel} is not in the scenario format")
    sharded = parallel == "fsdp-full-shard"
    gpu_id, memory, remark = clusters.gpu_of(row["gpu"])
    model = models.named(row["model"])
    precision, precision_note = precision_of(row, sharded)
    targets = row.get("target_modules", "").split()
    adapters = method != "none"
    linear = any(re.search("gate_proj|up_proj|down_proj|fc|all", t) for t in targets)
    fused = flag(row.get("foak"))
    baseline = row.get("framework_config", "").startswith("baseline-peft-bnb")
    training = {
        "engine": "hf", "engine_version": row.get("transformers") or None, "precision": precision, "optimizer": "adamw",
        "sequence_length": sequence, "micro_batch_size": micro, "global_batch_size": global_batch,
        "recompute": "full" if flag(row.get("grad_ckpt")) else "none",
        "attention": "flash" if "flash" in row.get("attention", "") else "unfused",
        "loss": "chunked" if flag(row.get("liger")) else "fused" if fused else "unfused",
        "peft": method,
        "lora_rank": whole(row.get("lora_r")) if adapters else None,
        "lora_targets": ("all_linear" if linear else "attention") if adapters else None,
        "lora_kernels": ("fused" if fused and method != "lora" else "plain") if adapters else None,
        "lora_dropout": number(row.get("lora_dropout")) if adapters else None,
        "fused_norm": True if fused else None,
        # prepare_model_for_kbit_training, which the accelerated plugins leave out
        "upcast_residual": True if method == "qlora" and baseline and not sharded else None,
    }
    if flag(row.get("oom")):
        measured = {"out_of_memory": True}
    else:
        measured = {"out_of_memory": False}
        peak, device = whole(row.get("peak_allocated_bytes")), number(row.get("nvidia_smi_mib"))
        if peak:
            measured |= {"allocated_bytes": peak, "rank": "first"}
        if device:
            measured["device_bytes"] = int(device * MIB)
        rate = number(row.get("tokens_per_s_per_gpu"))  # of one process
        if rate:
            measured["step_seconds"] = round(sequence * global_batch / gpus / rate, 6)
    notes = [row.get("framework_config") and f"framework_config {row['framework_config']}", precision_note, remark,
             row.get("lora_dropout") and f"LoRA dropout {row['lora_dropout']}",
             "nvidia-smi is the mean over GPUs" if "device_bytes" in measured and gpus > 1 else None,
             row.get("allocated_bytes") and f"allocated after training {row['allocated_bytes']} bytes"]
    family = {"none": "fms full", "lora": "fms LoRA", "qlora": "fms QLoRA", "gptq_lora": "fms GPTQ"}[method]
    cluster = clusters.cluster_of(gpu_id, gpus, memory)
    return run(row, family, model, cluster, {"zero_stage": 3 if sharded else 0}, training, measured, notes,
               source=f"foundation-model-stack/fms-acceleration:{row['source_path']} row {row['row']}")
