#!/usr/bin/env python3
"""Predictions beside the times that logs of collectives print: collective_logs_test.py MESHGAUGE

The folder of logs is MESHGAUGE_COLLECTIVE_LOGS, else ../shared/nccl-logs beside the checkout; without one the test is
skipped. Its INDEX.csv says of each file: collective, gpu, n_ranks, n_nodes, intra_link, inter_link. Logs of one
GPU and kind of network are a family; the median family may be 10 % off (median over sizes) and 25 % (p90)."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "accuracy"))
sys.dont_write_bytecode = True

from conversion import clusters  # noqa: E402
from conversion.rows import Skip  # noqa: E402
from conversion.timings import COLLECTIVES  # noqa: E402

SKIPPED = 77
MEDIAN, P90 = 0.10, 0.25  # of the median family
TYPES = "float|half|double|bfloat16|u?int(?:8|32|64)"
ROW = re.compile(rf"(?:^|[\s>\]:])(\d+)\s+(\d+)\s+(?:{TYPES})\s+(?:(?:sum|prod|none|max|min)\s+)?(?:-?\d+\s+)?"
                 r"([\d.]+(?:e\+?\d+)?)\s+([\d.]+)\s+([\d.]+)\s+(\S+)")
PAYLOAD = re.compile(r"^\|\s*(\d+)(KiB|MiB|GiB)\s*\|\s*([\d.]+)GBps\s*\|\s*([\d.]+)GBps")
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

# What a model of healthy machines with a current NCCL cannot know.
NOT_COMPARED = {
    "024": "NCCL 2.9.9", "025": "sockets on a machine that is not named", "026": "GPU not stated", "027": "EFA without GPUDirect",
    "030": "times of small sizes scatter from 80 to 2200 us", "033": "fell back to sockets", "035": "misaligned rails",
    "047": "fell back to sockets", "053": "a third of the NIC rate", "067": "fell back to sockets",
    "075": "one row", "076": "one row at half the rate of its neighbours", "071": "one row",
    "078": "ranks that do not communicate", "079": "ranks that do not communicate", "080": "traced run",
    "081": "place of the GPUs not stated", "082": "one rank", "083": "two ranks on one GPU", "087": "NCCL 2.8.4",
    "088": "NCCL 2.8.4", "092": "NCCL 2.8.4", "093": "NCCL 2.8.4", "097": "NCCL 2.4.6", "108": "GPU not stated",
    "109": "NCCL of 2021", "110": "one rank", "111": "NCCL 2.6.4", "112": "collapses at 64 MiB", "113": "one row",
    "114": "RCCL with a 70 ms outlier", "121": "three rows", "122": "number of bridges not stated", "084": "five tests in one file",
}


def folder():
    named = os.environ.get("MESHGAUGE_COLLECTIVE_LOGS")
    path = pathlib.Path(named) if named else ROOT.parent / "shared" / "nccl-logs"
    return path if (path / "INDEX.csv").is_file() else None


def times_of(text, ranks):
    """Size in bytes -> seconds of the out-of-place column."""
    times = {}
    for line in text.splitlines():
        row = ROW.search(line)
        if row:
            size, microseconds = int(row.group(1)), float(row.group(3))
            if size > 0 and microseconds > 0:
                times.setdefault(size, microseconds * 1e-6)
            continue
        payload = PAYLOAD.match(line)
        if payload:  # all_reduce_bench.py prints bus and algorithm bandwidth, or bus bandwidths of two machines
            size = int(payload.group(1)) * UNITS[payload.group(2)]
            bus = float(payload.group(3))
            if bus > 0:
                times[size] = size * 2 * (ranks - 1) / ranks / (bus * 1e9)
    return times


def network_of(link, per_node):
    """Type, and bytes per second of each GPU."""
    kinds = (("tcpxo", "TCPXO"), ("tcpx", "TCPX"), ("efa", "EFA"), ("roce", "RoCE"), ("slingshot", "Slingshot"), ("ib", "IB"))
    name = next((kind for word, kind in kinds if word in link.lower()), None)
    if name is None:
        raise Skip(f"network {link!r} is not known")
    nics = re.search(r"(\d+)x(\d+)G", link)
    if nics:
        return name, int(nics.group(1)) * int(nics.group(2)) * 1e9 / 8 / per_node
    if "aws-ofi" in link:  # Polaris and Sirius: two NICs of 200 Gb/s in a node
        return name, 2 * 200e9 / 8 / per_node
    alone = re.search(r"(\d+)G\b", link)
    rate = int(alone.group(1)) if alone else 400 if "NDR" in link else 200 if "HDR" in link else None
    if rate is None:
        raise Skip(f"rate of {link!r} is not stated")
    return name, rate * 1e9 / 8


def topology_of(link, gpu, per_node):
    text = link.lower()
    if "no p2p" in text:
        return "pcie-host-bridge"
    if "pcie" in text:
        return "pcie-switch"
    if "xgmi" in text or gpu.startswith("mi"):
        return "xgmi-mesh"
    return "nvlink-mesh" if per_node == 4 and ("a100" in gpu or "gh200" in gpu) else "nvswitch"


def lines_of(row, text):
    number = row["file"][:3]
    if number in NOT_COMPARED:
        raise Skip(NOT_COMPARED[number])
    if not row["tool"].endswith(("nccl-tests", "rccl-tests", "all_reduce_bench.py")):
        raise Skip(f"a log of {row['tool']}")
    ranks, nodes = int(row["n_ranks"] or 0), int(row["n_nodes"] or 1)
    if ranks < 2:
        raise Skip("fewer than two ranks")
    if "NVL72" in row["intra_link"]:
        nodes = 1
    if number == "107":  # its first column is one node of eight
        ranks, nodes = 8, 1
    gpu = clusters.gpu_of(row["gpu"].replace("H20-3e", "H20").replace("GH200 120GB", "GH200"))[0]
    per_node = ranks // nodes
    cluster = {"gpu": gpu, "gpus": ranks, "gpus_per_node": per_node,
               "intra_node_topology": topology_of(row["intra_link"], gpu, per_node)}
    if nodes > 1:
        link = row["inter_link"] if row["inter_link"] != "default env" else "IB HDR"
        cluster["network"], cluster["inter_node_bytes_per_second"] = network_of(link, per_node)
    operation = COLLECTIVES.get(row["collective"].replace("_", ""), row["collective"])
    # One process that drives eight GPUs needs 35 us a call, an all-to-all of eight sends each more.
    floor = 0
    if "-n 1 " in text or re.search(r"nGpus [2-9]", text) or number in ("002", "003", "004", "005", "118"):
        floor = 75e-6 if operation == "all_to_all" else 35e-6
    if row["tool"] == "all_reduce_bench.py":
        floor = 40e-6
    times = times_of(text, ranks)
    if len(times) < 2:
        raise Skip("fewer than two rows")
    for size, seconds in times.items():
        yield {"id": f"{row['file']} {size}", "source": row["source"], "family": f"{gpu} {cluster.get('network', 'one node')}", "kind": "collective",
               "cluster": cluster,
               "collective": {"operation": operation, "bytes": size, "ranks": ranks, "ranks_per_node": per_node},
               "measured": {"seconds": seconds, "floor_seconds": floor}}


def main():
    meshgauge, logs = sys.argv[1], folder()
    if logs is None:
        print("no folder of logs: set MESHGAUGE_COLLECTIVE_LOGS")
        sys.exit(SKIPPED)
    lines = []
    with open(logs / "INDEX.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            text = (logs / row["file"]).read_text(encoding="utf-8", errors="replace")
            try:
                lines += lines_of(row, text)
            except Skip as reason:
                print(f"{row['file']}: not compared: {reason}")
    jsonl = "\n".join(json.dumps(line) for line in lines)
    print(subprocess.run([meshgauge, "validate", "-"], input=jsonl, capture_output=True, text=True, check=True).stdout)
    answer = subprocess.run([meshgauge, "validate", "--json", "-"], input=jsonl, capture_output=True, text=True, check=True)
    file = json.loads(answer.stdout)["files"][0]
    if file["skipped"]:
        sys.exit(f"not understood: {file['skipped'][:3]}")
    typical = file["median_family"]["collective_time"]
    print(f"median family of {typical['families']}: median {typical['median']:.1%}, p90 {typical['p90']:.1%}")
    if typical["families"] < 10 or typical["median"] > MEDIAN or typical["p90"] > P90:
        sys.exit(f"allowed: median {MEDIAN:.0%}, p90 {P90:.0%}, of at least ten families")


if __name__ == "__main__":
    main()
