"""What the training code behind a table sets although the table does not say it. One entry for each code base."""

import re

from .rows import prefix_of

# NVIDIA's performance recipes (NeMo, Megatron-Bridge, MLPerf submissions, DGX Cloud) turn every overlap on:
# NeMo nemo/collections/llm/recipes/tp_overlap_configs and run/plugins, Megatron-Bridge recipes/*.py, MLPerf conf/*.yaml
# (ub_tp_comm_overlap, overlap_grad_reduce, overlap_param_gather, overlap_p2p_comm).
TUNED = r"nemo|bridge|^megatron-core$"
TUNED_SOURCES = ("dgxc", "mlp", "mbr", "mmz", "nemo")
# MLPerf and Megatron-Bridge replay layers as CUDA graphs (MLPerf conf: MCORE_CUDA_GRAPH, LAYER_CUDA_GRAPH).
GRAPH_SOURCES = ("mlp", "mbr")


def recipe_of(row, engine, parallelism):
    """Training fields that the code behind the row sets, and remarks about them."""
    prefix, framework = prefix_of(row), row.get("framework", "").lower()
    notes = row.get("notes", "")
    fields, remarks = {}, []
    if prefix in TUNED_SOURCES and re.search(TUNED, framework) and engine == "megatron":
        several = (parallelism.get("virtual_pipeline_size") or 1) > 1
        fields = {
            "overlap_gradient_reduction": True,
            "overlap_parameter_gather": True,
            "overlap_tensor_parallel": (parallelism["tensor_parallel_size"] or 1) > 1 or None,
            "overlap_pipeline": True if several else None,
            "cuda_graphs": prefix in GRAPH_SOURCES or None,
        }
        remarks.append("overlaps as NVIDIA's performance recipes set them")
    if prefix == "aa":
        # Hagemann et al. 2023, arXiv:2311.05610 section 3: attention and RMSNorm kernels are variables of the sweep.
        kernel = re.search(r"kernel=([^;]*)", notes)
        label = kernel.group(1) if kernel else ""
        if "v1.0" in label:
            fields["attention"] = "flash1"
        fields["fused_norm"] = "RMS kernel" in label or None
    if prefix == "llmf":
        # llm-foundry of 2023 benchmarks attn_impl: triton, a kernel of FlashAttention 1's generation.
        fields["attention"] = "triton"
        remarks.append("Triton attention, as llm-foundry's benchmark set it in 2023")
    if "paxml" in framework and not row.get("recompute"):
        # Pax GPT configurations checkpoint whole layers (save_nothing).
        fields["recompute"] = "full"
        remarks.append("recompute not stated, whole layers as Pax's GPT configurations")
    if "nanotron" in framework:
        fields["fused_norm"] = True  # nanotron/nn/layer_norm.py TritonRMSNorm
    if "fast-llm" in framework:
        fields["kernels"] = "compiled"  # fast_llm/functional/triton: norms, rotary, MLP activation, cross entropy
    if "bigscience" in framework:
        fields["engine_version"] = "0.6"  # DeepSpeed of BLOOM's training (bigscience tr11-176B-ml README)
    return fields, remarks
