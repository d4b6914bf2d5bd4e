#!/usr/bin/env python3
"""The published bus bandwidths of the catalog: bus_bandwidth_test.py [--write]

core/catalog/bus_bandwidth.json holds curves of all-reduce and its kin that were published: from
bench/accuracy/collective-timings.csv, from the logs that collective_logs_test.py compares (where its folder is there)
and what maintainers state. One curve for each source, GPU, network and group, thinned to every fourth doubling. The test
makes the entries again and compares them; entries from logs that are not there are left as they are."""

import csv
import json
import math
import pathlib
import sys

import collective_logs_test as logs_test
from conversion import clusters, timings
from conversion.rows import Skip

ROOT = pathlib.Path(__file__).resolve().parent.parent
CATALOG = ROOT / "core" / "catalog" / "bus_bandwidth.json"
TABLE = ROOT / "bench" / "accuracy" / "collective-timings.csv"
BUS = {"all_reduce": lambda n: 2 * (n - 1) / n, "broadcast": lambda n: 1, "reduce": lambda n: 1, "send_recv": lambda n: 1}
LEAST, STEP = 4096, 4  # bytes, and the ratio of sizes that are kept
FEWEST = 2

# Machines and harnesses that are not named well enough to stand for others.
UNNAMED = ("inferred", "vidur")

# An excerpt that runs at half of the whole log's speed (020) between 64 and 256 MiB.
EXCERPTS = {"021"}

# Logs of machines with a fault that is known: what such a fault looks like.
FAULTS = {"033": ("TCP over InfiniBand instead of RDMA", "a100-sxm-40gb", "IB", 25e9),
          "035": ("adapters on other rails than their GPUs", "b200-sxm-180gb", "RoCE", 50e9),
          "047": ("TCP over Slingshot, without the libfabric plugin", "gh200-96gb", "Slingshot", 25e9),
          "053": ("no GPUDirect RDMA", "h100-sxm-80gb", "RoCE", 50e9),
          "067": ("TCP over Slingshot, without the libfabric plugin", "a100-sxm-40gb", "Slingshot", 12.5e9)}

# What NCCL's maintainers call normal for large messages.
STATED = [
    {"id": "stated-h100-8-nvls", "gpu": "h100-sxm-80gb", "collective": "all_reduce", "ranks": 8, "ranks_per_node": 8,
     "algorithm": "nvls", "peak_gbs": 480, "source": "NVIDIA/nccl-tests#212, NCCL maintainer: peak with NVLS"},
    {"id": "stated-h100-8-ring", "gpu": "h100-sxm-80gb", "collective": "all_reduce", "ranks": 8, "ranks_per_node": 8,
     "algorithm": "ring", "peak_gbs": 370, "source": "NVIDIA/nccl-tests#212, NCCL maintainer: peak with NCCL_ALGO=Ring"},
    {"id": "stated-a100-8", "gpu": "a100-sxm-80gb", "collective": "all_reduce", "ranks": 8, "ranks_per_node": 8,
     "peak_gbs": 230, "source": "NVIDIA/nccl-tests#149, NCCL maintainer: normal on 8 GPUs"},
]


def thinned(times, operation, ranks):
    """[bytes, GB/s] at the sizes that are kept, and at the largest."""
    factor = BUS.get(operation, lambda n: (n - 1) / n)(ranks)
    sizes, kept = sorted(times), []
    for size in sizes:
        if size >= LEAST and (not kept or size >= STEP * kept[-1] * 0.99 or size == sizes[-1]):
            kept.append(size)
    return [[size, float(f"{size * factor / times[size] / 1e9:.4g}")] for size in kept]


def entry_of(key, lines, source, algorithm):
    cluster, call = lines[0]["cluster"], lines[0]["collective"]
    times = {}
    for line in lines:
        floor = line["measured"].get("floor_seconds") or 0
        if line["measured"]["seconds"] > 2 * floor:  # else it is the harness that was measured
            times.setdefault(line["collective"]["bytes"], []).append(line["measured"]["seconds"])
    points = thinned({size: min(seconds) for size, seconds in times.items()}, call["operation"], call["ranks"])
    if len(points) < FEWEST:
        return None
    entry = {"id": key, "gpu": cluster["gpu"], "topology": cluster.get("intra_node_topology")}
    if "network" in cluster and call["ranks"] > call["ranks_per_node"]:
        entry["network"] = cluster["network"]
        entry["network_gbs"] = float(f"{cluster['inter_node_bytes_per_second'] / 1e9:.4g}")
    entry.update({"collective": call["operation"], "ranks": call["ranks"], "ranks_per_node": call["ranks_per_node"]})
    if algorithm:
        entry["algorithm"] = algorithm
    entry.update({"points": points, "source": source})
    return {k: v for k, v in entry.items() if v is not None}


def algorithm_of(line):
    """All-reduce of six or more Hopper or Blackwell GPUs behind a switch goes through it (NVLS) unless told otherwise."""
    cluster, call = line["cluster"], line["collective"]
    new = cluster["gpu"].startswith(("h100", "h200", "h20", "h800", "gh200", "b200", "b300", "gb200", "gb300"))
    inside = call["ranks_per_node"] >= 6 and cluster.get("intra_node_topology") == "nvswitch"
    return "nvls" if call["operation"] == "all_reduce" and new and inside and call["ranks"] == call["ranks_per_node"] else None


def from_table():
    groups = {}
    with open(TABLE, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["gpu"] == "h100_sxm" or any(word in row["source"] + row["gpu"] for word in UNNAMED):
                continue
            try:
                line = timings.collective(row)
            except Skip:
                continue
            call, source = line["collective"], row["source"].split(":")[0]
            if row["notes"] and "list all_gather" in row["notes"]:
                continue
            key = (source, line["cluster"]["gpu"], call["operation"], call["ranks"], call["ranks_per_node"])
            groups.setdefault(key, []).append(line)
    for (source, gpu, operation, ranks, per_node), lines in sorted(groups.items()):
        name = f"{source.split('@')[0].split('/')[1]}-{gpu}-{operation}-{ranks}x{per_node}".lower()
        entry = entry_of(name, lines, source, algorithm_of(lines[0]))
        if entry:
            yield entry


def from_logs(folder):
    with open(folder / "INDEX.csv", newline="", encoding="utf-8") as index:
        rows = list(csv.DictReader(index))
    for row in rows:
        number = row["file"][:3]
        text = (folder / row["file"]).read_text(encoding="utf-8", errors="replace")
        try:
            if number in FAULTS:
                yield faulty(row, text, *FAULTS[number])
                continue
            if number in EXCERPTS:
                continue
            lines = list(logs_test.lines_of(row, text))
        except Skip:
            continue
        entry = entry_of(f"log-{number}", lines, row["source"], algorithm_of(lines[0]))
        if entry:
            yield entry


def faulty(row, text, fault, gpu, network, rate):
    ranks, nodes = int(row["n_ranks"]), int(row["n_nodes"])
    operation = timings.COLLECTIVES.get(row["collective"].replace("_", ""), row["collective"])
    points = thinned(logs_test.times_of(text, ranks), operation, ranks)
    return {"id": f"log-{row['file'][:3]}", "gpu": gpu, "network": network, "network_gbs": rate / 1e9, "collective": operation,
            "ranks": ranks, "ranks_per_node": ranks // nodes, "fault": fault, "points": points, "source": row["source"]}


def written(entries):
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    return '{"sources":{\n},"entries":[\n' + lines + "\n]}\n"


def main():
    folder = logs_test.folder()
    old = json.loads(CATALOG.read_text(encoding="utf-8"))["entries"] if CATALOG.exists() else []
    entries = STATED + list(from_table())
    entries += list(from_logs(folder)) if folder else [entry for entry in old if entry["id"].startswith("log-")]
    new = written(entries)
    if "--write" in sys.argv:
        CATALOG.write_text(new, encoding="utf-8")
    elif new != CATALOG.read_text(encoding="utf-8"):
        sys.exit(f"{CATALOG.name} is not what its sources give: bus_bandwidth_test.py --write")
    for entry in entries:
        last = entry["points"][-1] if "points" in entry else ["peak", entry["peak_gbs"]]
        print(f"{entry['id']:<60}{entry['collective']:<15}{entry['ranks']:>5}{entry['ranks_per_node']:>4} {entry.get('network', ''):<10}"
              f"{entry.get('algorithm', ''):<5}{last[1]:>8} {entry.get('fault', '')}")


if __name__ == "__main__":
    main()
