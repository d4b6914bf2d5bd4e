"""SimuMax's measured Megatron-LM runs: memory of every rank, step time, complete settings."""

from . import clusters, models
from .rows import GIB, MIB, Skip, flag, found, need, number, run, whole

CONTEXT = {"a2a": "ulysses", "p2p": "ring", "all_gather": "all_gather", "allgather": "all_gather"}

# Latent attention of DeepSeek-V2 (arXiv:2405.04434 section 3.1.2) and V3 (arXiv:2412.19437 section 4.2).
LATENT = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}


def prepare(rows):
    return line


def model_of(row):
    layers, hidden, ffn, heads, vocab, seq = need(row, "layers", "hidden", "ffn", "heads", "vocab", "seq_len")
    further = {}
    if row.get("attention_type") == "MLA":
        further |= LATENT
    if whole(row.get("moe_experts")):
        width = need(row, "moe_ffn")
        shared = whole(row.get("shared_ffn")) or (whole(row.get("shared_experts")) or 0) * width
        further |= {"num_local_experts": need(row, "moe_experts"), "num_experts_per_tok": need(row, "moe_topk"),
                    "moe_intermediate_size": width, "shared_expert_intermediate_size": shared,
                    "first_k_dense_replace": whole(row.get("dense_layers")) or 0}
    return models.decoder("RMSNorm", True, "rope", layers=layers, hidden=hidden, ffn=ffn, heads=heads,
                          kv_heads=whole(row.get("kv_heads")), head_dim=whole(row.get("head_dim")), vocab=vocab,
                          positions=seq, tied=False, bias=False, **further)


def measured_of(row):
    """Memory of a row that repeats another run's (peak_mem_own_run 0) is not counted again."""
    measured, note = {}, None
    seconds = number(row.get("step_time_s"))
    if seconds:
        measured["step_seconds"] = seconds
    if flag(row.get("peak_mem_own_run")):
        allocated = [float(v) for v in row.get("alloc_mib_by_rank", "").split()]
        reserved = [float(v) for v in row.get("reserved_mib_by_rank", "").split()]
        measured["allocated_bytes"] = int(max(allocated) * MIB) if allocated else int(number(row["peak_mem_gib"]) * GIB)
        if reserved:
            measured["reserved_bytes"] = int(max(reserved) * MIB)
        measured["rank"] = "max"
    elif row.get("peak_mem_gib"):
        note = "memory printed here is that of a run with fewer micro-batches, counted there"
    return measured, note


def line(row):
    if row.get("check_flags"):
        raise Skip(f"flagged: {row['check_flags']}")
    gpus, tensor, pipeline, context = need(row, "gpus_total", "tp", "pp", "cp")
    gpu_id, memory, remark = clusters.gpu_of(row["gpu"], number(row.get("gpu_mem_gb")))
    model, remarks = model_of(row)
    measured, note = measured_of(row)
    experts = whole(row.get("moe_experts"))
    virtual = whole(row.get("vpp")) or 1
    if row.get("recompute") not in ("none", "full", "selective"):
        raise Skip(f"recompute {row.get('recompute') or 'not stated'}")
    fp8 = flag(row.get("fp8"))
    fusion = flag(row.get("ce_fusion"))
    if fusion is None:
        remarks.append("whether the loss was fused is not stated")
    parallelism = {
        "tensor_parallel_size": tensor, "sequence_parallel": flag(row.get("sp")), "pipeline_parallel_size": pipeline,
        "virtual_pipeline_size": virtual if virtual > 1 else None, "context_parallel_size": context,
        "context_parallel_kind": CONTEXT.get(row.get("cp_comm", "")),
        "expert_parallel_size": whole(row.get("ep")) if experts else None,
        "expert_tensor_parallel_size": (whole(row.get("etp")) or 1) if experts else None,
        "zero_stage": whole(row.get("zero_stage")),
    }
    training = {
        "engine": "megatron", "engine_version": found(r"core_[rv](\d+\.\d+(?:\.\d+)?)", row.get("framework")),
        "precision": "fp8" if fp8 else row["precision"], "gradient_dtype": "fp32",
        "sequence_length": need(row, "seq_len"), "micro_batch_size": need(row, "micro_batch"),
        "global_batch_size": need(row, "global_batch"), "recompute": row["recompute"],
        "attention": "flash" if flag(row.get("flash_attn")) else "unfused",
        # SimuMax docs/strategy.md: _cef is --cross-entropy-loss-fusion with --cross-entropy-fusion-impl te
        "loss": {True: "fused", False: "unfused"}.get(fusion), "dropout": False,
        "moe_capacity_factor": number(row.get("moe_capacity_factor")) if experts else None,
        "overlap_gradient_reduction": flag(row.get("overlap_grad_reduce")),
        "overlap_parameter_gather": flag(row.get("overlap_param_gather")),
        "overlap_tensor_parallel": flag(row.get("overlap_tp")),
        "overlap_pipeline": flag(row.get("overlap_p2p")) if pipeline > 1 else None,
    }
    return run(row, "SimuMax", model, clusters.cluster_of(gpu_id, gpus, memory, whole(row.get("gpus_per_node"))),
               parallelism, training, measured, [row.get("notes"), note, remark, *remarks])
