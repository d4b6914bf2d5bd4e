"""Public tables of fine-tuning memory: LitGPT and fsdp_qlora."""

import json

from . import clusters, models
from .rows import GIB, Skip, flag, need, number, run, whole


def prepare(rows):
    return line


def adapter_of(row, raw):
    """Rank, targets, dropout and a remark: from the row's config, else the defaults of the script (LitGPT: rank 8 on
    query and value, dropout 0.05; fsdp_qlora: rank 64 on every linear layer, dropout 0.1)."""
    if row["source"] == "fsdp_qlora":
        return 64, "all_linear", 0.1, None
    config = raw.get("config") or {}
    if "lora_r" not in config:
        return 8, "query_value", 0.05, None
    dropout = config.get("lora_dropout", 0)
    on = {key for key in ("query", "key", "value", "projection", "mlp", "head") if config.get(f"lora_{key}")}
    remark = "the adapter on the output head is not counted" if "head" in on else None
    on.discard("head")
    for targets, name in (({"query", "value"}, "query_value"), ({"query", "key", "value", "projection"}, "attention"),
                          ({"query", "key", "value", "projection", "mlp"}, "all_linear")):
        if on == targets:
            return int(config["lora_r"]), name, dropout, remark
    raise Skip("LoRA on " + ", ".join(sorted(on)) + " is not in the scenario format")


def measured_of(row, gpus, offload):
    if flag(row.get("oom")):
        return {"out_of_memory": True}, None
    measured, note = {"out_of_memory": False}, None
    peak = number(row.get("peak_gb"))
    if peak:
        unit = GIB if row.get("peak_unit", "").startswith("GiB") else 10**9
        kind = "reserved_bytes" if "reserved" in row.get("peak_kind", "") else "allocated_bytes"
        measured |= {kind: int(peak * unit), "rank": "max" if gpus > 1 else "first"}
    seconds = number(row.get("time_s"))
    if seconds and row.get("time_kind") == "1024 samples" and not offload:
        measured["step_seconds"] = round(seconds * need(row, "micro_batch") * gpus / 1024, 6)
    elif seconds:
        note = f"time of {row.get('time_kind')} {row['time_s']} s: samples of varying length, or offload"
    return measured, note


def line(row):
    raw = json.loads(row["raw"]) if row.get("raw", "").startswith("{") else {}
    method, quant = row["method"].lower(), (row.get("quant") or "").lower()
    if method not in ("full", "lora", "qlora"):
        raise Skip(f"method {row['method']} is not in the scenario format")
    if quant and not quant.startswith("bnb.nf4"):
        raise Skip(f"quantisation {row['quant']} is not in the scenario format")
    gpus, sequence, micro = need(row, "n_gpus", "seq_len", "micro_batch")
    litgpt = row["source"].startswith("litgpt")
    gpu_id, memory, remark = clusters.gpu_of(row["gpu"])
    offload = flag(row.get("offload"))
    peft = "none" if method == "full" else "qlora" if method == "qlora" or quant else "lora"
    rank, targets, dropout, head = adapter_of(row, raw) if peft != "none" else (None, None, None, None)
    sharded = gpus > 1
    if litgpt and sharded:
        raise Skip("LitGPT builds the whole model on each GPU before sharding it: the printed peak is of loading")
    recompute = flag(row.get("ckpt"))
    if recompute is None and litgpt:  # LitGPT's FSDP strategy checkpoints every block, its single-GPU run none
        recompute = sharded
    global_batch = whole(row.get("global_batch")) or micro * gpus
    rounded = max(global_batch // (micro * gpus), 1) * micro * gpus
    measured, note = measured_of(row, gpus, offload)
    if remark and "counted as" in remark:
        measured.pop("step_seconds", None)
    training = {
        "engine": "fsdp1" if sharded else "single",
        # bf16-true, and fsdp_qlora's bf16: weights, gradients and adapters all in bf16
        "precision": "pure_bf16" if row["precision"].startswith("bf16") else row["precision"].split("-")[0],
        # LitGPT of these tables required torch 2.2 and bitsandbytes 0.42.
        "engine_version": "2.2" if litgpt and not sharded else None,
        "optimizer": "adamw", "sequence_length": sequence, "micro_batch_size": micro, "global_batch_size": rounded,
        "recompute": "full" if recompute else "none",
        "loss": "unfused", "kernels": "eager", "peft": peft, "lora_rank": rank, "lora_targets": targets,
        "lora_dropout": dropout,
        "double_quantisation": ("dq" in quant) if peft == "qlora" and quant else None,
        "parameter_offload": "cpu" if offload else None, "optimizer_offload": "cpu" if offload else None,
    }
    notes = [row.get("section"), note, remark, head,
             f"global batch {global_batch} rounded to {rounded}" if rounded != global_batch else None]
    return run(row, f"{row['source']} {'full' if peft == 'none' else peft}", models.named(row["model"]),
               clusters.cluster_of(gpu_id, gpus, memory, gpus if gpus > 1 else None),
               {"zero_stage": 3} if sharded else {}, training, measured, notes,
               source=f"{row['source']}:{row['source_path']} line {row['line']}")
