"""Names of GPUs in published tables -> the cluster section of a scenario."""

import re

from .rows import GIB, Skip, found, number

# In order: what the plain name has to match, and the catalog id, or ids by memory in GB (None: memory not said).
GPUS = (
    (r"gb300", "gb300-288gb"),
    (r"gb200", "gb200-186gb"),
    (r"gh200", {None: "gh200-96gb", 96: "gh200-96gb", 141: "gh200-144gb", 144: "gh200-144gb"}),
    (r"b300", "b300-sxm-270gb"),
    (r"b200", "b200-sxm-180gb"),
    (r"b100", "b100-sxm"),
    (r"h200", "h200-sxm-141gb"),
    (r"h800", "h800-sxm-80gb"),
    (r"h100.*96gb hbm2e|h100.*500w", "h100-sxm-96gb"),
    (r"h100.*nvl|h100.*94", "h100-nvl-94gb"),
    (r"h100.*pcie", "h100-pcie-80gb"),
    (r"h100", "h100-sxm-80gb"),
    (r"\bh20\b", "h20-sxm-96gb"),
    (r"a800", "a800-sxm-80gb"),
    (r"a100.*pci", {None: "a100-pcie-80gb", 40: "a100-pcie-40gb", 80: "a100-pcie-80gb"}),
    (r"a100", {None: "a100-sxm-80gb", 40: "a100-sxm-40gb", 80: "a100-sxm-80gb"}),
    (r"v100.*pci", {None: "v100-pcie-32gb", 32: "v100-pcie-32gb"}),
    (r"v100", {None: "v100-sxm2-32gb", 16: "v100-sxm2-16gb", 32: "v100-sxm2-32gb"}),
    (r"p100", "p100-sxm2-16gb"),
    (r"a6000.*ada|6000.*ada", "rtx-6000-ada"),
    (r"rtx.?pro.?6000", "rtx-pro-6000-blackwell"),
    (r"a6000", "rtx-a6000"),
    (r"5090", "rtx-5090"),
    (r"4090", "rtx-4090"),
    (r"3090", "rtx-3090"),
    (r"a10g", "a10g"),
    (r"\ba10\b", "a10"),
    (r"\ba30\b", "a30"),
    (r"\ba40\b", "a40"),
    (r"l40", "l40s"),
    (r"\bl4\b", "l4"),
    (r"\bt4\b", "t4"),
    (r"mi100", "mi100"),
    (r"mi2[01]0", "mi210"),
    (r"mi250", "mi250x"),
    (r"mi300", "mi300x"),
    (r"mi325", "mi325x"),
    (r"mi355", "mi355x"),
    (r"gaudi.?2", "gaudi2"),
    (r"gaudi.?3", "gaudi3"),
    (r"910b", "ascend-910b"),
)

# Parts that the catalog lacks and a part with the same memory that it has: good for memory, not for time.
STAND_INS = (
    (r"a5000", "rtx-3090", "RTX A5000 (24 GB) counted as RTX 3090"),
    (r"mi350", "mi355x", "MI350X (288 GB) counted as MI355X"),
    (r"titan rtx", "rtx-3090", "TITAN RTX (24 GB) counted as RTX 3090"),
)

# The server that a GPU is sold in, where a table names the GPU alone: it gives the links.
SYSTEMS = {
    "v100-sxm2-16gb": "dgx-1-v100",
    "v100-sxm2-32gb": "dgx-1-v100-32gb",
    "a100-sxm-40gb": "dgx-a100-40gb",
    "a100-sxm-80gb": "dgx-a100-80gb",
    "a100-pcie-80gb": "8x-a100-pcie-80gb",
    "h100-sxm-80gb": "dgx-h100",
    "h100-sxm-96gb": "meta-grand-teton-h100-96gb",
    "h100-pcie-80gb": "8x-h100-pcie-80gb",
    "h200-sxm-141gb": "dgx-h200",
    "h800-sxm-80gb": "deepseek-h800",
    "b200-sxm-180gb": "dgx-b200",
    "b300-sxm-270gb": "dgx-b300",
    "gb200-186gb": "gb200-nvl72",
    "gb300-288gb": "gb300-nvl72",
    "mi300x": "8x-mi300x",
    "mi355x": "8x-mi355x",
    "rtx-3090": "8x-rtx-3090",
    "rtx-4090": "8x-rtx-4090",
    "a40": "8x-a40",
    "rtx-pro-6000-blackwell": "8x-rtx-pro-6000",
    "gaudi2": "hls-gaudi2",
    "gaudi3": "hls-gaudi3",
}

# GB (as sold) of the ids whose memory a table may say differently, as for the 96 GB edition of the H100.
SOLD_GB = {"h100-sxm-80gb": 80, "a800-sxm-80gb": 80, "h800-sxm-80gb": 80}

# Dense 16-bit TFLOP/s that the sources divide by to get an MFU (research papers and vendors' tables agree on them).
PEAKS = {
    "v100": 125, "a100": 312, "a800": 312, "h100": 989.5, "h200": 989.5, "h800": 989.5, "b200": 2250, "b300": 2250,
    "gb200": 2450, "gb300": 2450, "mi300x": 1307, "mi325x": 1307,
}


def gpu_of(name, memory_gb=None):
    """Catalog id of a GPU, a memory size that differs from the catalog's (bytes or None), and a remark or None."""
    plain = re.sub(r"[_\s]+", " ", (name or "").lower()).strip()
    if not plain:
        raise Skip("the source does not name the GPU")
    said = memory_gb or number(found(r"(\d+)\s*g(?:i?b)?\b", plain))
    said = int(round(said)) if said else None
    for pattern, stand_in, remark in STAND_INS:
        if re.search(pattern, plain):
            return stand_in, None, remark
    for pattern, ids in GPUS:
        if not re.search(pattern, plain):
            continue
        if isinstance(ids, str):
            differs = ids in SOLD_GB and said is not None and said > SOLD_GB[ids]
            return ids, (said * GIB * 0.99 if differs else None), None
        if said not in ids:
            raise Skip(f"no GPU {name} with {said} GB in the catalog")
        return ids[said], None, (None if said else f"memory of the {name} not stated, {ids[None]} assumed")
    raise Skip(f"GPU {name} is not in the catalog")


def peak_tflops(gpu_id):
    """The 16-bit peak that published MFU figures refer to, or None."""
    return PEAKS.get(gpu_id.split("-")[0])


def cluster_of(gpu_id, gpus, memory_bytes=None, gpus_per_node=None, inter_gbps=None):
    system = SYSTEMS.get(gpu_id)
    cluster = {"system": system} if system else {"gpu": gpu_id}
    cluster["gpus"] = gpus
    if system and "nvl72" in system:
        # One NVLink domain has 72 GPUs in trays of 4; jobs of a power of two take 64 of them.
        gpus_per_node = 64 if gpus > 72 and gpus % 64 == 0 else None
    if gpus_per_node:
        cluster["gpus_per_node"] = min(gpus_per_node, gpus)
    cluster["memory_bytes"] = int(memory_bytes) if memory_bytes else None
    cluster["inter_node_bytes_per_second"] = inter_gbps * 1e9 / 8 if inter_gbps else None
    return cluster


# Clusters that a table describes in its notes: what to look for, and what it changes.
NOTED = (
    (r"Jean Zay", {"system": "jean-zay-a100-80gb", "inter_node_bytes_per_second": None}),
)


def as_noted(cluster, row):
    """Changes the cluster to what the notes say of it."""
    text = row.get("notes", "")
    for pattern, fields in NOTED:
        if re.search(pattern, text):
            cluster.update(fields)
