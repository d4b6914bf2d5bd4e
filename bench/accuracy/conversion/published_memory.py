"""Peak memory of a published run: which of the three kinds, in which unit, on which rank."""

import re

from .rows import GIB, number


def memory_of(row):
    """Entries of `measured` and a remark where kind or unit is not certain."""
    value, kind = number(row.get("peak_mem_gib")), row.get("peak_mem_kind", "")
    if not value:
        return {}, None
    text = kind.lower()
    remark = None
    if "max reserved" in text and "max allocated" in text:
        name, remark = "reserved_bytes", "allocated or reserved not stated, reserved assumed"
    elif "(not reserved)" in text or ("allocat" in text and "reserved" not in text):
        name = "allocated_bytes"
    elif "reserved" in text:
        name = "reserved_bytes"
    elif "nvidia-smi" in text or "rocm-smi" in text or "percent of" in text or '"mem"' in text or "16 *" in text:
        name = "device_bytes"
    elif "active" in text or "peak memory per gpu" in text:
        name = "allocated_bytes"
    elif row["id"].startswith("zb-") or '"memory (gb)" as printed' in text:
        name, remark = "allocated_bytes", "kind of memory not stated, torch max allocated assumed"
    else:
        name, remark = "device_bytes", "kind of memory not stated, nvidia-smi assumed"
    # torch, nvidia-smi and torchtitan print GiB and often call it GB; Megatron-Core, Lightning and Zero Bubble print 1e9
    # bytes.
    decimal = "gb" in text.replace("gib", "") and (
        "megatron" in text or "after iter" in text or 'max allocated, "gb"' in text
        or "thunder" in row.get("framework", "")
        # sail-sg/zero-bubble-pipeline-parallelism runtime.py: torch.cuda.max_memory_allocated() // 1000000
        or row["id"].startswith("zb-"))
    if decimal:
        remark = "; ".join(filter(None, (remark, "GB taken as 1e9 bytes")))
    rank = "first" if re.search(r"rank.?0", text) else "max"
    return {name: int(value * (10**9 if decimal else GIB)), "rank": rank}, remark
