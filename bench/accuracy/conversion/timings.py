"""Timings of collectives and kernels: not runs, but the same columns in SI units, one a line, for calibration."""

from . import clusters
from .rows import Skip, clean, flag, found, number, whole

NAMES = {"p2p": "send_recv", "sendrecv": "send_recv", "alltoall": "all_to_all", "allreduce": "all_reduce",
         "allgather": "all_gather", "reducescatter": "reduce_scatter"}
MATRIX = ("gemm", "grouped_gemm", "attention_fwd", "attention_bwd")


def prepare_collectives(rows):
    return collective


def prepare_kernels(rows):
    return kernel


def gpu_name(row):
    name, memory, remark = clusters.gpu_of(row["gpu"].replace("_", " "))
    if remark and "counted as" in remark:
        raise Skip(f"GPU {row['gpu']} is not in the catalog")
    return name


def collective(row):
    size, seconds = number(row.get("bytes")), number(row.get("seconds"))
    algorithm, bus = number(row.get("algbw_gbs")), number(row.get("busbw_gbs"))
    notes = row.get("notes", "")
    if "BROKEN" in notes:
        raise Skip("marked as broken: an impossible bandwidth")
    if not seconds and size and algorithm:
        seconds = size / (algorithm * 1e9)
    if not seconds and not bus:
        raise Skip("neither a time nor a bandwidth")
    return clean({
        "id": row["id"], "source": row["source"], "kind": "collective",
        "collective": NAMES.get(row["collective"], row["collective"]),
        "gpu": gpu_name(row), "link": row.get("link") or None,
        "ranks": whole(row.get("n_ranks")), "nodes": whole(row.get("n_nodes")),
        "gpus_per_node": whole(row.get("gpus_per_node")), "bytes": int(size) if size else None,
        "dtype": row.get("dtype") or None, "seconds": seconds,
        "algbw_bytes_per_s": algorithm * 1e9 if algorithm else None, "busbw_bytes_per_s": bus * 1e9 if bus else None,
        "suspect": True if "suspect" in notes.lower() else None, "notes": notes,
    })


def kernel(row):
    seconds, rate = number(row.get("seconds")), number(row.get("tflops_or_gbs"))
    if not seconds and not rate:
        raise Skip("neither a time nor a rate")
    matrix = row["op"] in MATRIX
    shape = {key: whole(row.get(key)) for key in ("m", "n", "k", "batch", "heads", "kv_heads", "head_dim", "seq")}
    return clean({
        "id": row["id"], "source": row["source"], "kind": "kernel", "op": row["op"], "gpu": gpu_name(row),
        "dtype": row.get("dtype") or None, **shape, "causal": flag(row.get("causal")), "seconds": seconds,
        "flops_per_s": rate * 1e12 if rate and matrix else None,
        "bytes_per_s": rate * 1e9 if rate and not matrix else None, "notes": row.get("notes", ""),
    })
