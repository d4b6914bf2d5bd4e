"""Golden values of Megatron-LM's functional tests: exact allocated bytes of the last rank, and every argument."""

import re

from . import clusters, models, stages
from .megatron_origin import choose_copies, gpu_name, refuse, version_of
from .rows import Skip, clean, flag, need, number, run, whole

BIG = 1e9  # parameters from which a dense model is no longer a small one

RECOMPUTE_MODULES = {
    "core_attn": "core_attention", "layernorm": "layernorm", "mlp": "mlp", "moe_act": "moe_activation",
    "mla_up_proj": "mla_up_projection",
}
ATTENTION = {"unfused": "unfused", "flash": "flash", "flash(use-flash-attn)": "flash", "fused": "cudnn"}
LOSS = {"": "unfused", "native": "native", "te": "fused"}
SHARDING = {"no_shard": 0, "optim": 1, "optim_grads": 2, "optim_grads_params": 3}
DISPATCHERS = {"allgather": "allgather", "alltoall": "alltoall", "flex/deepep": "deepep", "flex/hybridep": "hybridep",
               "flex": "deepep"}

def prepare(rows):
    kept = choose_copies(rows)
    return lambda row: line(row, kept)


def attention_of(row):
    backend = row.get("attn_backend", "auto")
    # The Transformer Engine of the long-term-support image until October 2025 had no fused attention that is
    # deterministic with dropout on A100, and fell back: its rows hold the scores, later ones of the same tests do not.
    old_image = row.get("environment") == "lts" and row.get("golden_date", "") <= "2025-10-21"
    if backend == "auto" and old_image and flag(row.get("deterministic")) and number(row.get("attn_dropout")):
        return "unfused"
    if backend == "auto":
        # The local (non-Transformer-Engine) layers have their own unfused attention.
        return "unfused" if row.get("transformer_impl") == "local" else None
    if backend == "local":
        return "unfused"
    if backend not in ATTENTION:
        raise Skip(f"attention backend {backend} is not in the scenario format")
    return ATTENTION[backend]


def precision_of(row):
    precision = row["precision"]
    kind = row.get("fp8", "")
    if not kind:
        return precision
    if precision != "bf16":
        raise Skip(f"fp8 over {precision} parameters is not in the scenario format")
    if "mxfp8" in kind:
        return "mxfp8"
    if "nvfp4" in kind or "fp4" in kind:
        return "nvfp4"
    return "fp8"


def recompute_of(row):
    kind = row.get("recompute", "")
    if kind == "full":
        method, layers = row.get("recompute_method"), whole(row.get("recompute_num_layers"))
        return clean({"method": method or None, "layers": layers}) or "full"
    if kind == "selective":
        names = re.findall(r"\w+", row.get("recompute_modules", ""))
        unknown = [n for n in names if n not in RECOMPUTE_MODULES]
        if unknown:
            raise Skip("recompute of " + ", ".join(unknown) + " is not in the scenario format")
        return {"modules": [RECOMPUTE_MODULES[n] for n in names]} if names else "selective"
    return "none"


def model_of(row):
    layers, hidden, ffn, heads, seq = need(row, "layers", "hidden", "ffn", "heads", "seq_len")
    vocab = whole(row.get("vocab_padded")) or need(row, "vocab_raw")
    positions = whole(row.get("max_pos")) or seq
    bias = flag(row.get("linear_bias"))
    family = row.get("family", "")
    if family == "bert":
        return {"model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
                "intermediate_size": ffn, "vocab_size": vocab, "max_position_embeddings": positions}, []
    if family == "t5":
        return {"model_type": "t5", "d_model": hidden, "num_layers": layers,
                "num_decoder_layers": whole(row.get("decoder_layers")) or layers, "num_heads": heads,
                "d_kv": whole(row.get("head_dim")), "d_ff": ffn, "vocab_size": vocab, "n_positions": positions,
                "dense_act_fn": "gelu", "attention_bias": bias, "attention_out_bias": bias, "mlp_bias": bias,
                }, ["learned positions and LayerNorm counted as T5's relative positions and RMSNorm"]
    gated = flag(row.get("swiglu"))
    further = {}
    if flag(row.get("mla")):
        further |= {"q_lora_rank": whole(row.get("q_lora_rank")) or 0, "kv_lora_rank": need(row, "kv_lora_rank"),
                    "qk_nope_head_dim": need(row, "qk_head_dim"), "qk_rope_head_dim": need(row, "qk_pos_emb_head_dim"),
                    "v_head_dim": need(row, "v_head_dim")}
    if whole(row.get("experts")):
        further |= clean({"num_local_experts": need(row, "experts"), "num_experts_per_tok": need(row, "moe_topk"),
                          "moe_intermediate_size": whole(row.get("moe_ffn")) or ffn,
                          "shared_expert_intermediate_size": whole(row.get("moe_shared_ffn")),
                          "moe_layer_freq": models.placement(row.get("moe_layer_freq"))})
    if whole(row.get("mtp_layers")):
        further["num_nextn_predict_layers"] = whole(row["mtp_layers"])
    position = {"learned_absolute": "learned", "rope": "rope"}.get(row.get("pos_emb"))
    if position is None:
        raise Skip(f"position embedding {row.get('pos_emb')} is not in the scenario format")
    activation = None if gated else ("relu2" if flag(row.get("squared_relu")) else "gelu")
    return models.decoder(
        row["normalization"], gated, position, layers=layers, hidden=hidden, ffn=ffn, heads=heads,
        kv_heads=whole(row.get("kv_heads")), head_dim=whole(row.get("head_dim")), vocab=vocab, positions=positions,
        tied=not flag(row.get("untie_embeddings")), bias=bias, activation=activation,
        qk_norm=flag(row.get("qk_layernorm")), **further)


def parallelism_of(row, layers, gpus):
    tensor, pipeline, context = need(row, "tp", "pp", "cp")
    if gpus % (tensor * pipeline * context):
        raise Skip("TP x PP x CP does not divide the number of GPUs")
    virtual, split, layout = 1, None, row.get("pp_layout") or None
    if layout:
        layout = layout.replace("\\", "")
        virtual = stages.layout_chunks(layout) // pipeline
    elif whole(row.get("layers_per_vstage")):
        virtual = layers // (pipeline * whole(row["layers_per_vstage"]))
    elif whole(row.get("vstages_per_rank")):
        virtual = whole(row["vstages_per_rank"])
    first, last = whole(row.get("first_stage_layers")), whole(row.get("last_stage_layers"))
    if first is not None or last is not None:
        split = stages.first_and_last(layers, pipeline, virtual, first, last)
    elif flag(row.get("account_emb_loss")):
        split = stages.counting_ends(layers, pipeline, virtual)
    zero = 1 if flag(row.get("dist_opt")) else 0
    if row.get("fsdp"):  # the sharding strategy acts with Megatron-FSDP only
        zero = SHARDING.get(row.get("sharding", ""), zero)
    experts = whole(row.get("experts")) or 0
    instances = whole(row.get("dist_opt_instances")) or 1
    return {
        "tensor_parallel_size": tensor,
        "sequence_parallel": flag(row.get("sp")),
        "pipeline_parallel_size": pipeline,
        "virtual_pipeline_size": virtual if virtual > 1 else None,
        "pipeline_layout": layout,
        "stage_layers": split,
        "micro_batch_group_size": whole(row.get("mb_group_size_per_vstage")) if virtual > 1 else None,
        "context_parallel_size": context,
        "expert_parallel_size": whole(row.get("ep")) if experts else None,
        "expert_tensor_parallel_size": whole(row.get("etp")) if experts else None,
        "zero_stage": zero,
        "data_parallel_replicate_size": instances if instances > 1 else None,
    }


def training_of(row):
    experts = whole(row.get("experts")) or 0
    capacity = number(row.get("moe_capacity"))
    dropout = (number(row.get("attn_dropout")) or 0) > 0 or (number(row.get("hidden_dropout")) or 0) > 0
    dispatcher = row.get("moe_dispatcher", "")
    if experts and dispatcher and dispatcher not in DISPATCHERS:
        raise Skip(f"dispatcher {dispatcher} is not in the scenario format")
    if row.get("ce_fusion", "") not in LOSS:
        raise Skip(f"cross-entropy fusion {row['ce_fusion']} is not in the scenario format")
    optimizer = {"adam": "adamw", "adamw": "adamw", "sgd": "momentum", "muon": "muon", "dist_muon": "muon"}.get(
        row.get("optimizer", "adam"))
    if optimizer is None:
        raise Skip(f"optimizer {row['optimizer']} is not in the scenario format")
    aware = flag(row.get("precision_aware_opt"))
    return {
        "engine": "megatron",
        "engine_version": version_of(row),
        "precision": precision_of(row),
        "fp8_parameters": flag(row.get("fp8_param_gather")) if row.get("fp8") else None,
        "optimizer": optimizer,
        "gradient_dtype": row.get("grads_dtype") or None,
        "moment_dtype": row.get("exp_avg_dtype") if aware else None,
        "master_dtype": row.get("main_params_dtype") if aware else None,
        "sequence_length": need(row, "seq_len"),
        "micro_batch_size": need(row, "micro_batch"),
        "global_batch_size": whole(row.get("global_batch_in_run")) or need(row, "global_batch"),
        "recompute": recompute_of(row),
        "attention": attention_of(row),
        "loss": LOSS[row.get("ce_fusion", "")],
        "dropout": dropout,
        "gradient_accumulation_fusion": flag(row.get("grad_accum_fusion")),
        "moe_grouped_gemm": flag(row.get("moe_grouped_gemm")) if whole(row.get("experts")) else None,
        "attention_mask": flag(row.get("mask_in_dataloader")),
        "deterministic": flag(row.get("deterministic")),
        "cuda_graphs": bool(row.get("cuda_graph")) or None,
        "activation_offload": bool(row.get("offload_modules")) or None,
        "moe_dispatcher": DISPATCHERS.get(dispatcher) if experts else None,
        "moe_capacity_factor": capacity if experts else None,
        "overlap_gradient_reduction": flag(row.get("overlap_grad_reduce")),
        "overlap_parameter_gather": flag(row.get("overlap_param_gather")),
        "overlap_tensor_parallel": flag(row.get("tp_comm_overlap")),
        "overlap_expert_parallel": flag(row.get("overlap_moe_ep_comm")) if experts else None,
        "overlap_pipeline": flag(row.get("overlap_p2p")) if (whole(row.get("pp")) or 1) > 1 else None,
    }


def measured_of(row, dense, gpus, gpu_id):
    """Peak: torch's allocated_bytes.all.peak on the last rank (the last pipeline stage), never reset. Dense models: the
    last logged value. Mixtures: the second logged one, because the peak grows with the imbalance of routing over the
    run. The value of the first step has no Adam moments and is used for neither."""
    column = "mem_max_allocated_bytes" if dense else "mem_max_second_logged"
    peak = whole(row.get(column))
    measured = {"allocated_bytes": peak, "rank": "last"} if peak else {}
    seconds = number(row.get("iteration_time_s"))
    note = None
    # Deterministic and small runs time the host, not the GPU; a resumed run repeats its first half.
    big = (number(row.get("n_params_est")) or 0) >= BIG
    if seconds and big and not flag(row.get("deterministic")) and row.get("run") != "2":
        parameters = number(row.get("n_params_est")) or 0
        layers, hidden = need(row, "layers", "hidden")
        if not dense:  # lower bound of what is active
            topk, width = need(row, "moe_topk"), whole(row.get("moe_ffn")) or need(row, "ffn")
            parameters = layers * (2 * hidden * hidden + topk * hidden * width * (3 if flag(row.get("swiglu")) else 2))
        tokens = (whole(row.get("global_batch_in_run")) or need(row, "global_batch")) * need(row, "seq_len")
        rate = 6 * parameters * tokens / seconds / gpus / 1e12
        if rate > (clusters.peak_tflops(gpu_id) or 1e9):
            note = f"time left out: it implies {rate:.0f} TFLOP/s per GPU, more than the peak"
        else:
            measured["step_seconds"] = seconds
    return measured, note


def line(row, kept):
    refuse(row, kept)
    dense = not whole(row.get("experts"))
    gpus = need(row, "n_gpus")
    name, gpu_note = gpu_name(row)
    gpu_id, memory, remark = clusters.gpu_of(name, 80 if name == "a100" else None)
    model, remarks = model_of(row)
    measured, time_note = measured_of(row, dense, gpus, gpu_id)
    if not dense:
        family = "Megatron MoE"
    elif (number(row.get("n_params_est")) or 0) >= BIG:
        family = "Megatron dense >= 1B"
    else:
        family = "Megatron small dense"
    how = row.get("n_gpus_how", "")
    notes = [
        row.get("environment") and f"environment {row['environment']}",
        f"GPU count {how}" if "solved" in how or "assumed" in how else None,
        "resumed run: loading the checkpoint may be in the peak" if row.get("run") == "2" else None,
        gpu_note, remark, *remarks, time_note,
        row.get("mem_allocated_bytes") and f"allocated after the step {row['mem_allocated_bytes']} bytes",
        f"iteration {row['iteration_time_s']} s" if row.get("iteration_time_s") and "step_seconds" not in measured
        else None,
        f"modules offloaded {row['offload_modules']}" if row.get("offload_modules") else None,
    ]
    parallelism = parallelism_of(row, need(row, "layers") + (whole(row.get("decoder_layers")) or 0), gpus)
    return run(row, family, model, clusters.cluster_of(gpu_id, gpus, memory, whole(row.get("gpus_per_node"))),
               parallelism, training_of(row), measured, notes,
               source=f"NVIDIA/Megatron-LM@{row.get('golden_commit', '')}:{row['source_path']}")
