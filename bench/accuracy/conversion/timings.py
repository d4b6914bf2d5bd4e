"""Tables of collectives and kernels that were timed alone."""

import re

from . import clusters
from .rows import Skip, clean, flag, found, number, run_family, whole

COLLECTIVES = {"p2p": "send_recv", "sendrecv": "send_recv", "alltoall": "all_to_all", "allreduce": "all_reduce",
               "allgather": "all_gather", "reducescatter": "reduce_scatter"}

# What a harness cannot go below, in seconds. torch.distributed tests spend 40 to 95 us of host time on each call;
# nccl-tests with one process for each GPU has no floor.
FLOORS = (("torch.distributed", 70e-6), ("one process", 35e-6))

# PyTorch's profiler shows how long a kernel waited for the slowest rank, which is some 50 us: times near it say nothing.
SKEW = (("kineto", 75e-6), ("torch profiler", 75e-6))

# How a link column names the node and the network. Rates of a NIC in Gb/s for each GPU.
LINKS = (
    (r"nvlink pairs", {"intra_node_topology": "nvlink-bridge"}),
    (r"\(4 gpus/node\)|nvlink mesh", {"intra_node_topology": "nvlink-mesh"}),
    (r"nvswitch|nvl72", {"intra_node_topology": "nvswitch"}),
    (r"no p2p|host", {"intra_node_topology": "pcie-host-bridge"}),
    (r"pcie", {"intra_node_topology": "pcie-switch"}),
)

OPS = {"attention_fwd": "attention_forward", "attention_bwd": "attention_backward", "memcpy": "copy",
       "adam": "optimizer"}
FORMATS = {"fp8-block128": "fp8", "nvfp4": "fp4"}
PASSES = {"fwd": "forward", "bwd_grad_act": "input_gradient", "bwd_grad_w": "weight_gradient"}
NO_GPU = {"Arc-Pro-B60": "Arc Pro B60", "MI250X-GCD": "one die of MI250X"}


def prepare_collectives(rows):
    return collective


def prepare_kernels(rows):
    return kernel


def gpu_name(row):
    text = row["gpu"].replace("_", " ")
    if row["gpu"] in NO_GPU:
        raise Skip(f"GPU {NO_GPU[row['gpu']]} is not in the catalog")
    name, _, remark = clusters.gpu_of(text)
    if remark and "counted as" in remark:
        raise Skip(f"GPU {row['gpu']} is not in the catalog")
    return name


def refuse_broken(notes):
    """Rows that the table itself doubts are no measure of a prediction."""
    for word in ("BROKEN", "SUSPECT"):
        if word in notes:
            reason = notes[notes.index(word) + len(word):].strip(" :")
            raise Skip(f"the table marks it as {word.lower()}: {reason}")


def collective_cluster(row, gpu, ranks, nodes):
    link = (row.get("link") or "").lower()
    cluster = {"gpu": gpu, "gpus": ranks}
    per_node = -(-ranks // nodes)
    if "nvl72" in link:  # trays of one NVLink domain are one node to NCCL
        per_node, nodes = ranks, 1
    wired = whole(found(r"\((\d+) gpus/node\)", link))
    cluster["gpus_per_node"] = max(per_node, wired or whole(row.get("gpus_per_node")) or per_node)
    for pattern, values in LINKS:
        if re.search(pattern, link):
            cluster.update(values)
            break
    if cluster.get("intra_node_topology") == "nvlink-bridge":
        cluster["intra_node_bytes_per_second"] = 31.5e9  # PCIe 4 between the pairs
    if "slingshot" in link:  # Perlmutter: four NICs of 200 Gb/s, one for each A100
        cluster.update({"network": "Slingshot", "inter_node_bytes_per_second": 25e9, "intra_node_topology": "nvlink-mesh"})
    elif nodes > 1:
        raise Skip("the network is not stated")
    return cluster, per_node


def collective(row):
    size, seconds = number(row.get("bytes")), number(row.get("seconds"))
    algorithm = number(row.get("algbw_gbs"))
    notes = row.get("notes", "")
    refuse_broken(notes)
    if not seconds and size and algorithm:
        seconds = size / (algorithm * 1e9)
    if not seconds:
        raise Skip("no time")
    if not size:
        raise Skip("no size")
    ranks, nodes = whole(row.get("n_ranks")), whole(row.get("n_nodes")) or 1
    if not ranks or ranks < 2:
        raise Skip("fewer than two ranks")
    gpu = gpu_name(row)
    cluster, per_node = collective_cluster(row, gpu, ranks, nodes)
    skew = next((least for words, least in SKEW if words in notes), 0)
    if seconds < skew:
        raise Skip("as short as the ranks wait for each other in the profiler")
    if "kineto" in notes and row["collective"] == "send_recv":
        raise Skip("the profiler's span of one of the two ranks")
    if "list all_gather" in notes:
        raise Skip("includes the copies of an all-gather of a list")
    floor = next((seconds for words, seconds in FLOORS if words in notes), None)
    return {
        "id": row["id"], "source": row["source"], "family": f"{run_family(row)} {gpu}", "kind": "collective",
        "cluster": cluster,
        "collective": {"operation": COLLECTIVES.get(row["collective"], row["collective"]), "bytes": int(size),
                       "ranks": ranks, "ranks_per_node": min(per_node, ranks)},
        "measured": clean({"seconds": seconds, "floor_seconds": floor}), "notes": notes,
    }


def attention_of(row, gpu, notes):
    """Whose kernel, and whether its keys lie in the pages of an inference engine."""
    name = notes.lower()
    paged = "paged" in name
    if "not stated" in name:
        raise Skip("heads and mask are not stated")
    if "fa4" in name:
        raise Skip("FlashAttention-4 is not covered")
    if "fa3" in name:
        return "flash3", paged
    if "cudnn" in name:
        return "cudnn", paged
    if "aiter" in name:
        return "aiter", paged
    if "trtllmprefill" in name or "trtllm_mha" in name:
        return "flashinfer", paged
    if "trtllm" in name:
        return "trtllm", paged
    if "kernel=flash_attention" in name and gpu.startswith(("h100", "h200")):
        return "flash3", paged  # what SGLang takes on Hopper
    if "fa2" in name or "flash-attn 2" in name or "flash_attn" in name or "flash_attention" in name:
        return "flash2", paged
    raise Skip("the source does not say whose attention kernel ran")


def attention(row, gpu, notes):
    kernel, paged = attention_of(row, gpu, notes)
    shape = {"batch": whole(row.get("batch")), "heads": whole(row.get("heads")), "kv_heads": whole(row.get("kv_heads")),
             "head_dim": whole(row.get("head_dim")), "sequence": whole(row.get("seq"))}
    if not all((shape["heads"], shape["head_dim"], shape["sequence"])):
        raise Skip("the shape is not stated")
    both = "FWD+BWD" in notes
    return {"op": "attention_both" if both else OPS[row["op"]], "attention": kernel, "causal": flag(row.get("causal")),
            "paged": paged or None, **shape}


def product(row, notes):
    if "fused MoE block" in notes:
        raise Skip("a whole block of an inference engine, whose kernels differ by a factor of thirty")
    if "upper envelope" in notes:
        raise Skip("the best of a sweep")
    stage = found(r"stage=(\w+)", notes)
    return {
        "op": "gemm_backward" if "BACKWARD PAIR" in notes else row["op"], "format": FORMATS.get(row["dtype"], row["dtype"]), "m": whole(row.get("m")),
        "n": whole(row.get("n")), "k": whole(row.get("k")),
        "groups": whole(row.get("batch")) if row["op"] == "grouped_gemm" else None, "pass": PASSES.get(stage),
        "block_scaled": True if "block" in row["dtype"] else None,
        "quantises_input": True if "includes activation quantise" in notes else None,
        "sustained": True if "SUSTAINED" in notes or "back-to-back iterations" in notes or "40 timed" in notes else None,
    }


def memory_bound(row, notes):
    moved = number(found(r"bytes=(\d+)", notes))
    if row["op"] == "adam":
        return {"op": "optimizer", "m": whole(row.get("m"))}
    if not moved and "nominal for 2^28 fp64" in notes:
        arrays = 3 if "add" in row["id"] or "triad" in row["id"] else 2
        moved = arrays * 8 * 2**28
    if "UNFUSED python" in notes:
        raise Skip("several kernels in one time")
    if not moved:
        raise Skip("the bytes are not stated")
    backward = row["op"] == "norm" and (row["id"].endswith("-b") or "bwd" in notes)
    return {"op": OPS.get(row["op"], row["op"]), "bytes": moved, "pass": "input_gradient" if backward else None}


def kernel(row):
    seconds, notes = number(row.get("seconds")), row.get("notes", "")
    refuse_broken(notes)
    if not seconds:
        raise Skip("no time")
    gpu = gpu_name(row)
    if row["op"].startswith("attention"):
        call = attention(row, gpu, notes)
    elif row["op"] in ("gemm", "grouped_gemm"):
        call = product(row, notes)
    else:
        call = memory_bound(row, notes)
    return {
        "id": row["id"], "source": row["source"], "family": f"{run_family(row)} {gpu}", "kind": "kernel",
        "cluster": {"gpu": gpu}, "kernel": clean(call), "measured": {"seconds": seconds}, "notes": notes,
    }
