"""What people reported in public threads: a configuration and memory, a step time or running out of memory."""

import re

from . import clusters, models
from .rows import GIB, MIB, Skip, clean, found, need, number, run, whole

MEMORY = {"peak_allocated": "allocated_bytes", "reserved": "reserved_bytes", "nvidia_smi": "device_bytes"}
VERDICTS = {"oom": True, "fits": False}
TIMES = ("step_time", "throughput")

# What a script that the thread names runs with unless told otherwise: its README's command or its file of settings.
SCRIPTS = (
    (r"vicuna|fastchat", {"seq_len": "2048", "micro_batch": "2", "grad_accum": "16", "grad_ckpt": "1",
                          "precision": "bf16"}, "lm-sys/FastChat README: fine-tuning Vicuna-7B with local GPUs"),
    (r"mpt-7b|llm-foundry", {"seq_len": "2048"}, "mosaicml/llm-foundry scripts/train/yamls"),
    (r"llama-?factory", {"seq_len": "1024", "grad_ckpt": "1"}, "hiyouga/LLaMA-Factory: cutoff_len 1024, checkpointing on"),
)

# Models with the shape of another one of the catalog but for a part that hardly counts.
KIN = ((r"qwen2-vl-(7|72)b", r"qwen2-\1b", "the vision tower (0.7e9 parameters) is left out"),)


def prepare(rows):
    return line


def engine_of(text, gpus):
    """Engine and layout from words such as "zero3 + offload", "fsdp full_shard", "megatron tp4 pp1 dp2"."""
    text = text.lower().strip()
    degree = {key: whole(found(rf"\b{key}(\d+)", text)) for key in ("tp", "pp", "cp", "ep", "vp")}
    layout = {"tensor_parallel_size": degree["tp"], "pipeline_parallel_size": degree["pp"],
              "context_parallel_size": degree["cp"], "expert_parallel_size": degree["ep"],
              "virtual_pipeline_size": degree["vp"]}
    zero = found(r"zero-?(\d)", text)
    if text.startswith("megatron"):
        if not any(degree.values()):
            raise Skip("the thread does not state the layout")
        return "megatron", layout | {"zero_stage": 1 if "distributed optimizer" in text else 0}
    if zero is not None or text.startswith("gemini"):  # ColossalAI's Gemini is chunked ZeRO-3
        return "deepspeed", {"zero_stage": int(zero or 3)}
    if text.startswith("fsdp2"):
        return ("torchtitan" if degree["tp"] or degree["pp"] else "fsdp2"), layout | {"zero_stage": 3}
    if text.startswith("fsdp"):
        return "hf", layout | {"zero_stage": 3}
    if text == "ddp":
        return "hf", {"zero_stage": 0}
    if text == "none":
        if gpus != 1:
            raise Skip("several GPUs without a kind of parallelism")
        return "hf", {"zero_stage": 0}
    raise Skip("the thread does not state the parallelism" if not text else f"parallelism {text} has no engine")


def precision_of(text):
    text = text.lower()
    if "int8" in text or "int4" in text:
        raise Skip("8-bit base weights are not in the scenario format")
    if "fp8" in text or "float8" in text:
        return "fp8"
    if re.search(r"pure bf16|bf16-true|states bf16", text):
        return "pure_bf16"
    return next((name for name in ("bf16", "fp16", "fp32") if name in text), None)


def adapters_of(text):
    text = text.lower().strip()
    if text in ("", "full"):
        return {"peft": "none"} if text else {}
    if "int8" in text or "8bit" in text:
        raise Skip("8-bit base weights are not in the scenario format")
    kind = re.match(r"(gptq[ -]?lora|qlora|lora)\b", text)
    if not kind or re.search(r"embed|head|dora", text):
        raise Skip(f"{text} is not in the scenario format")
    name = {"gptq": "gptq_lora", "qlor": "qlora", "lora": "lora"}[kind.group(1)[:4]]
    targets = "query_value" if re.search(r"\bq,? ?v\b", text) else "attention" if "qkvo" in text else None
    return {"peft": name, "lora_rank": whole(found(r"r ?= ?(\d+)", text)), "lora_targets": targets}


def optimizer_of(text):
    text = text.lower()
    if re.search(r"in-backward|anyprecision", text):
        raise Skip(f"optimizer {text} is not in the scenario format")
    if "muon" in text:
        return "muon"
    if re.search(r"8.?bit", text):
        return "adamw_8bit"
    if "adafactor" in text:
        return "adafactor"
    if text.startswith("sgd"):
        return "sgd"
    return "adamw" if "adam" in text else None


def attention_of(row):
    """MPT's config.json sets attn_impl torch, which keeps the scores, unless a run overrides it."""
    said = {"1": "flash", "0": "unfused"}.get(row.get("flash_attn", ""))
    return said or ("unfused" if row["model_id"].startswith("mpt") else None)


def measured_of(row, sequence, micro, accumulation):
    kind, value, unit = row["observed_kind"], number(row["observed_value"]), row.get("unit", "")
    if kind in VERDICTS:
        return {"out_of_memory": VERDICTS[kind]}, None
    if value is None:
        raise Skip("no number")
    if kind in MEMORY:
        plain = unit.strip().lower()
        size = MIB if plain.startswith(("mib", "mb")) else GIB if plain.startswith(("gib", "gb")) else None
        if size is None or re.search(r"extra|activation|host", plain):
            raise Skip(f"{unit or 'no unit'} is not a peak")
        return {MEMORY[kind]: int(value * size), "rank": "max"}, ("GB taken as GiB" if plain.startswith("gb") else None)
    if kind == "throughput" and unit == "tok/s/GPU":
        return {"step_seconds": round(micro * accumulation * sequence / value, 6)}, "one replica on each GPU assumed"
    if kind == "step_time" and unit in ("s/step", "s/iter", "ms/iter measured"):
        return {"step_seconds": value / (1000 if unit.startswith("ms") else 1)}, None
    raise Skip(f"{kind} in {unit or 'no unit'} is not a step time")


def with_defaults(row):
    """The row with the blanks filled in that the named script's defaults fill, and a remark."""
    named = " ".join((row.get("what_was_run", ""), row["source"], row.get("model_id", "")))
    for pattern, defaults, origin in SCRIPTS:
        if re.search(pattern, named, re.IGNORECASE):
            filled = {key: value for key, value in defaults.items() if row.get(key, "") in ("", "unknown")}
            if filled:
                said = ", ".join(f"{key} {value}" for key, value in filled.items())
                return row | filled, f"not stated: {said} as in {origin}"
            break
    return row, None


def model_of(name):
    for pattern, kin, remark in KIN:
        match = re.search(pattern, name, re.IGNORECASE)
        if match:
            return models.named(match.expand(kin)), remark
    return models.named(name), None


def line(row):
    row, script = with_defaults(row)
    kind = row["observed_kind"]
    if row.get("source_kind") == "benchmark-table":
        raise Skip("a row of a benchmark table, counted with that table")
    if kind not in MEMORY and kind not in VERDICTS and kind not in TIMES:
        raise Skip(f"{kind.replace('_', ' ')}: no memory, time or verdict of a run")
    what = row.get("what_was_run", "")
    if re.search(r"\bPPO|GRPO|inference", what + row.get("parallelism", ""), re.IGNORECASE):
        raise Skip("reinforcement learning and inference are not in the scenario format")
    if not row.get("model_id"):
        raise Skip("the thread does not name the model")
    missing = [c for c in ("gpu", "gpus", "micro_batch", "seq_len") if not row.get(c)]
    if missing:
        raise Skip("the thread does not state " + ", ".join(missing))
    gpus, micro, sequence = need(row, "gpus", "micro_batch", "seq_len")
    engine, layout = engine_of(row.get("parallelism", ""), gpus)
    offload = "offload" in row.get("parallelism", "")
    if engine == "hf" and gpus == 1:
        layout = {"zero_stage": 0}
    name, memory, remark = clusters.gpu_of(row["gpu"])
    accumulation = whole(row.get("grad_accum")) or 1
    measured, note = measured_of(row, sequence, micro, accumulation)
    if remark and "step_seconds" in measured:
        raise Skip("time on a GPU that is not in the catalog")
    parts = [layout.get(k) or 1 for k in ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")]
    replicas = gpus // (parts[0] * parts[1] * parts[2])
    if replicas < 1 or gpus % (parts[0] * parts[1] * parts[2]):
        raise Skip("the degrees do not divide the number of GPUs")
    checkpointing = row.get("grad_ckpt", "")
    expert = layout.get("expert_parallel_size")
    if expert and (gpus // parts[1]) % (expert * parts[0]):  # Megatron's default, TP, does not fit
        layout["expert_tensor_parallel_size"] = 1
    recompute = "selective" if "selective" in checkpointing else {"1": "full", "0": "none"}.get(checkpointing)
    training = {
        "engine": engine, "precision": precision_of(row.get("precision", "")),
        "optimizer": optimizer_of(row.get("optimizer", "")), "sequence_length": sequence, "micro_batch_size": micro,
        "global_batch_size": micro * accumulation * replicas, "recompute": recompute,
        "attention": attention_of(row),
        "parameter_offload": "cpu" if offload else None, "optimizer_offload": "cpu" if offload else None,
        "objective": "dpo" if re.search(r"\b[DC]PO\b", what) else "reward" if "reward model" in what else None,
        **clean(adapters_of(row.get("peft", ""))),
    }
    model, kin = model_of(row["model_id"])
    notes = [what, row.get("observed"), note, remark, script, kin,
             None if recompute else "gradient checkpointing not stated", row.get("cause_or_resolution")]
    return run(row, "field cases", model, clusters.cluster_of(name, gpus, memory, min(gpus, 8)),
               layout, training, measured, notes, source=row.get("url") or row["source"])
