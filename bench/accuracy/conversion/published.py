"""Training runs published in papers, vendors' tables and benchmark logs, and those that ran out of memory."""

import re

from . import clusters
from .published_layout import layout_of
from .published_memory import memory_of
from .published_model import model_of
from .published_time import step_seconds
from .recipes import recipe_of
from .rows import Skip, clean, flag, found, need, number, prefix_of, run, whole

# Training software as named in the tables -> engine and what differs from that engine's defaults. First match wins.
ENGINES = (
    (r"megatron fsdp", "fsdp2", {}),
    (r"composer|fms-fsdp|litgpt|xformers|metaseq", "fsdp1", {}),
    (r"torchtitan.*fsdp1", "fsdp1", {}),
    (r"torchtitan", "torchtitan", {}),
    (r"automodel|fsdp2|maxtext|pax", "fsdp2", {}),
    (r"hf trainer|^hf \+ deepspeed|swift \+ deepspeed|^deepspeed zero|sagemaker|colossal|fast-llm", "deepspeed", {}),
    (r"torchtune", "single", {}),
    # 16-bit gradients, reduced while the backward runs (InternEvo configs/7B_sft.py: dtype, overlap_sync_grad).
    (r"internevo", "megatron", {"gradient_accumulation_fusion": False, "dropout": False, "gradient_dtype": "bf16",
                                "overlap_gradient_reduction": True}),
    (r"nanogpt ddp", "ddp", {}),
    (r"nanogpt|llm\.c|flash-attention training", "ddp", {}),
    (r"aa-scaling|aleph", "aleph_alpha", {}),
    # Megatron's layout with other kernels: element-wise operators one by one, gradients added by autograd.
    (r"nanotron", "megatron", {"kernels": "eager", "gradient_accumulation_fusion": False, "dropout": False}),
    (r"megatron-deepspeed|gpt-neox|deepspeed.*megatron|megatron.*deepspeed", "megatron_deepspeed", {}),
    (r"megatron|nemo|primus|megascale|hai-llm|flagscale|mcore", "megatron", {}),
)
FSDP_LIKE = ("fsdp1", "fsdp2", "torchtitan")

MODULES = {"core_attn": "core_attention", "core_attention": "core_attention", "layernorm": "layernorm",
           "norm": "layernorm", "mlp": "mlp", "act": "moe_activation", "moe_act": "moe_activation",
           "mla_up_proj": "mla_up_projection", "up_proj": "mla_up_projection"}

DISPATCHERS = ((r"hybridep", "hybridep"), (r"deepep", "deepep"), (r"alltoall|\ba2a\b|all-to-all", "alltoall"),
               (r"allgather dispatcher", "allgather"))

# What does not belong to a configuration and its numbers, and what does not belong to a configuration.
REMARKS = ("id", "source", "notes", "inferred_fields", "tier", "same_as", "mfu_pct", "tflops_per_gpu", "hfu_pct",
           "hw_tflops_per_gpu")
MEASURED = (*REMARKS, "tokens_per_s_per_gpu", "step_time_s", "peak_mem_gib", "framework")


def prepare(rows):
    copies, superseded = repeated(rows), older_releases(rows)
    oom_table = not any(row.get(c) for row in rows for c in ("step_time_s", "tokens_per_s_per_gpu", "peak_mem_gib"))
    return lambda row: line(row, copies, superseded, oom_table)


def repeated(rows):
    """Ids of rows that have the configuration and the numbers of an earlier row of the same source."""
    seen, copies = set(), set()
    for row in rows:
        if not any(row.get(c) for c in ("step_time_s", "tokens_per_s_per_gpu", "peak_mem_gib")):
            continue
        settings = re.findall(r"zero1=\S+|precision label \S+|schedule[^,;]*|method=\S+|PP algorithm \S+|variant: \w+",
                              row.get("notes", ""))
        key = (prefix_of(row), *settings, *(value for name, value in row.items() if name not in REMARKS))
        if key in seen:
            copies.add(row["id"])
        seen.add(key)
    return copies


def older_releases(rows):
    """Vendor tables repeat a configuration across software releases: the newest counts, the others are its kin."""
    newest, older = {}, set()
    for row in rows:
        release = found(r"^release ([\d.]+)", row.get("notes"))
        if not release:
            continue
        number_of = tuple(int(v) for v in release.strip(".").split("."))
        variant = tuple(re.findall(r"precision label [^;]+|variant: [^;]+|FSDP[^;]+|w/o MTP", row["notes"]))
        key = (variant, prefix_of(row)) + tuple(v for c, v in row.items() if c not in MEASURED)
        if key in newest and newest[key][0] >= number_of:
            older.add(row["id"])
            continue
        if key in newest:
            older.add(newest[key][1])
        newest[key] = (number_of, row["id"])
    return older


def engine_of(row):
    framework = row.get("framework", "").lower()
    for pattern, engine, further in ENGINES:
        if re.search(pattern, framework):
            break
    else:
        raise Skip(f"training software {row.get('framework') or 'not stated'} has no engine")
    if engine == "ddp" and whole(row.get("zero_stage")):
        raise Skip(f"ZeRO in {row['framework']} has no engine")
    zero = whole(row.get("zero_stage"))
    if engine == "fsdp2" and zero == 0:
        engine = "ddp"
    if engine.startswith("megatron") and zero and zero > 1:  # sharded weights or gradients: not Megatron's optimizer
        engine = "fsdp1" if zero == 3 else "deepspeed"
        further = {}
    degrees = [whole(row.get(column)) or 1 for column in ("tp", "pp", "cp", "ep")]
    if engine not in ("megatron", "megatron_deepspeed", "torchtitan", "aleph_alpha") and max(degrees) > 1:
        raise Skip(f"no engine has {row['framework']} with TP, PP, CP or EP")
    if engine in ("ddp", "single") and whole(row.get("gpus_total")) == 1:
        engine = "single"
    if engine == "single" and whole(row.get("gpus_total")) != 1:
        engine = "fsdp2"  # torchtune's distributed recipes
    return engine, further


def precision_of(row, engine):
    precision, notes = row.get("precision", ""), row.get("notes", "")
    if not precision:
        raise Skip("the source does not state precision")
    if precision == "fp8" and re.search(r"mxfp8", notes, re.IGNORECASE):
        return "mxfp8"
    if precision in ("nvfp4", "fp8", "fp16", "fp32", "tf32"):
        return precision
    return "bf16"


def recompute_of(row):
    """What is dropped, and whether the source says it."""
    kind, notes = row.get("recompute", ""), row.get("notes", "")
    said = found(r"recompute[_ ]modules[=: ]+([\w ,+/]+)", notes)
    if kind == "other":
        raise Skip("recompute of another kind than none, selective and full")
    if kind == "selective" and said and "not stated" not in said:
        names = [n for n in re.split(r"[\s,+/]+", said.strip()) if n]
        known = [MODULES[n] for n in names if n in MODULES]
        if len(known) == len(names):
            return {"modules": sorted(set(known), key=known.index)}, True
        unknown = [n for n in names if n not in MODULES and n not in ("none", "full")]
        if unknown:
            raise Skip("recompute of " + ", ".join(unknown) + " is not in the scenario format")
    return kind or None, bool(kind)


def attention_of(row, engine, gpu_id):
    flash = flag(row.get("flash_attn"))
    if flash is None:
        # --use-flash-attn is off by default in the Megatron-LM of 2023, before Megatron-Core
        return "unfused" if "megatron-lm fork" in row.get("framework", "").lower() else None
    if not flash:
        return "unfused"
    # From Hopper on Megatron's "flash attention" usually is cuDNN's: left to the engine.
    newer = not gpu_id.startswith(("a100", "a800", "v100"))
    return None if engine == "megatron" and newer else "flash"


def global_batch_of(row, parallelism, gpus, remarks):
    batch = whole(row.get("global_batch"))
    if batch:
        return batch
    if whole(row.get("pp")) != 1:
        raise Skip("the source does not state global_batch")
    degrees = (parallelism["tensor_parallel_size"] or 1) * (parallelism["context_parallel_size"] or 1)
    remarks.append("global batch not stated, one micro-batch on each replica assumed")
    return need(row, "micro_batch") * gpus // degrees


def adapters_of(row):
    kind, notes = row.get("kind", ""), row.get("notes", "")
    if kind != "lora-bench" and not re.search(r"\bLoRA\b|QLoRA", row.get("framework", "") + notes):
        return {}, False
    quantised = "qlora" in notes.lower()
    rank = whole(found(r"rank (\d+)", notes))
    # Megatron's recipes adapt every linear layer; MLPerf's benchmark the attention matrices (rank 16).
    targets = "attention" if row["id"].startswith("mlp-") else "all_linear"
    return {"peft": "qlora" if quantised else "lora", "lora_rank": rank, "lora_targets": targets}, True


def refuse(row, copies, superseded):
    if row.get("kind") == "ci-golden" or row["id"].startswith("smx-"):
        raise Skip("the same run with every setting is in another table, counted there")
    if row.get("tier") == "C":
        raise Skip("tier C: underspecified, approximate or read from a chart")
    flagged = row.get("check_flags", "")
    # A doubtful MFU does not touch a printed step time.
    if flagged and not (flagged.startswith("MFU implies") and row.get("step_time_s")):
        raise Skip(f"flagged: {flagged}")
    if row["id"] in copies:
        raise Skip("same configuration and numbers as another row, counted once")
    if row["id"] in superseded:
        raise Skip("the same configuration is in a newer release of the same table")
    if "MegaScale" in row.get("framework", ""):
        raise Skip("MegaScale's modified model (parallel block, sliding window) is not in the scenario format")
    if re.search(r"optimizer offload \d", row.get("notes", "")):
        raise Skip("partial offload of the optimizer is not in the scenario format")


def line(row, copies, superseded, oom_table):
    refuse(row, copies, superseded)
    sequence, micro, gpus = need(row, "seq_len", "micro_batch", "gpus_total")
    engine, further = engine_of(row)
    gpu_id, memory, gpu_remark = clusters.gpu_of(row["gpu"], number(row.get("gpu_mem_gb")))
    model, model_remarks = model_of(row)
    parallelism, remarks = layout_of(row, engine, gpus)
    remarks = [gpu_remark, *model_remarks, *remarks]
    global_batch = global_batch_of(row, parallelism, gpus, remarks)
    precision = precision_of(row, engine)
    recompute, recompute_said = recompute_of(row)
    adapters, adapted = adapters_of(row)
    notes = row.get("notes", "")
    compiled = flag(row.get("compile"))
    dispatcher = next((name for pattern, name in DISPATCHERS if re.search(pattern, notes, re.IGNORECASE)), None)
    experts = whole(row.get("moe_experts"))
    capacity = number(found(r"capacity factor ([\d.]+)", notes))
    gradient = None
    if row["id"].startswith(("mlp-", "mbs-")) and engine == "megatron" and not gpu_id.startswith("mi"):
        gradient = "bf16"  # NVIDIA's performance recipes and MLPerf submissions reduce gradients in bf16
        remarks.append("bf16 gradients, as NVIDIA's performance recipes set them")
    if re.search("BigScience", row.get("framework", "")):
        gradient = "fp32" if "fp32 grad accumulation" in notes else precision if precision == "fp16" else None
    # Megatron-Bridge recipes/moonlight/h100/moonlight_16b.py: bf16 moments, Transformer Engine's cross entropy.
    moonlight = row["id"].startswith("mbs-") and "moonlight" in row.get("model_name", "").lower()
    training = {
        "engine": engine, "precision": precision, "optimizer": "adamw", "gradient_dtype": gradient,
        "fp8_parameters": True if re.search(r"FP8 params/param-gather=True", notes) else None,
        "sequence_length": sequence, "micro_batch_size": micro, "global_batch_size": global_batch,
        "recompute": recompute, "attention": attention_of(row, engine, gpu_id),
        "kernels": ("compiled" if compiled else None) if engine in ("fsdp1", "fsdp2", "ddp", "single")
        else ("eager" if compiled is False and engine == "torchtitan" else None),
        "moment_dtype": "bf16" if moonlight else None,
        # From before the launcher set it: their active and reserved memory differ by a third.
        "expandable_segments": False if engine == "torchtitan" and "PR #165 " in row["source"] else None,
        # llm-foundry's MPT takes fused_crossentropy unless told otherwise.
        "loss": "fused" if moonlight or "composer" in row.get("framework", "").lower() else None,
        "moe_dispatcher": dispatcher if experts and engine == "megatron" else None,
        "moe_capacity_factor": capacity if experts else None,
        "cuda_graphs": True if re.search(r"CUDA graphs (attn|on|full)", notes) else None,
        "engine_version": "0.0.2" if engine == "torchtitan" and "202412" in row["source"]
        else found(r"core[ _rv]*(\d+\.\d+)", row.get("framework", "").lower()),
        **further, **adapters,
    }
    recipe, recipe_remarks = recipe_of(row, engine, parallelism)
    training.update({name: value for name, value in recipe.items() if value is not None})
    remarks += recipe_remarks
    measured, memory_remark = memory_of(row)
    oom = oom_table or row.get("kind") == "oom"
    time_remark = None
    if oom:
        measured = {"out_of_memory": True}
    else:
        seconds, time_remark = step_seconds(row, global_batch, gpus, gpu_id, precision) if not adapted else \
            (number(row.get("step_time_s")), None)
        if seconds and "power-limited" in notes:
            seconds, time_remark = None, "step time left out: the GPU's power limit is not stated"
        if seconds and not (gpu_remark and "counted as" in gpu_remark):
            measured["step_seconds"] = seconds
    prefix = prefix_of(row)
    blanks = [] if recompute_said else ["recompute"]
    if "vpp not stated" in remarks:
        blanks.append("vpp")
    if blanks and measured and not oom:
        measured["out_of_memory"] = None  # whether it fits hangs on what is not stated
    family = prefix + (f", tier {row['tier']}" if row.get("tier") == "B" else "")
    if blanks:
        family += ", " + " and ".join(blanks) + " not stated"
    if adapted:
        family += ", adapters"
    if "copied" in notes and prefix == "iev":
        remarks.append("the source copies some numbers between rows")
    per_node = whole(row.get("gpus_per_node"))
    cluster = clusters.cluster_of(gpu_id, gpus, memory, per_node, number(row.get("inter_node_gbps_per_gpu")))
    clusters.as_noted(cluster, row)
    remarks += [memory_remark, time_remark]
    if flag(row.get("flash_attn")) is None and training["attention"] == "unfused":
        remarks.append("flash attention not stated, off by default in that Megatron-LM")
    inferred = row.get("inferred_fields")
    return run(row, family, model, cluster, clean(parallelism), training, measured,
               [f"inferred: {inferred}" if inferred else None, *remarks, notes])
