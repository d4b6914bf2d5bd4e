#!/usr/bin/env python3
"""What `meshgauge import` reads out of a folder of real logs, beside a second reader: import_logs_test.py MESHGAUGE

The folder is MESHGAUGE_COLLECTIVE_LOGS, else ../shared/nccl-logs beside the checkout; without one the test is skipped.
Its INDEX.csv says of each file: tool, collective, n_ranks, n_nodes, min_bytes, max_bytes, peak_busbw_gbs. The second
reader is slow and knows no structure: it takes tags out of a line and matches what is left."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
TOOLS = {"nccl-tests": {"nccl-tests"}, "rccl-tests": {"rccl-tests", "nccl-tests"}, "ib_write_bw": {"perftest"},
         "nvbandwidth": {"nvbandwidth"}, "p2pBandwidthLatencyTest": {"p2p-bandwidth-latency"},
         "all_reduce_bench.py": {"all-reduce-bench"}}
NAMES = {"alltoall": "all_to_all", "sendrecv": "send_recv"}
BUS = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n, "reduce_scatter": lambda n: (n - 1) / n,
       "all_to_all": lambda n: (n - 1) / n, "broadcast": lambda n: 1, "reduce": lambda n: 1, "send_recv": lambda n: 1}
# Where the index knows more, or other, than the log says.
NOT_NAMED = {"007": "all-gather and all-to-all print the same, unchecked"}
OTHER_RANKS = {"011": (64, 96, "busbw / algbw of every row is that of 96 ranks")}
ANSWERS = {"107": ["--gpus-per-node", "8"]}  # its columns are 1 and 4 nodes of bus bandwidths alone
SINGLE_RANK = {"078", "079", "082", "110", "124"}

TYPES = {"float", "half", "double", "bfloat16", "int8", "uint8", "int32", "uint32", "int64", "uint64"}
TAG = re.compile(r"\[\d+\](?:<stdout>:)?|[A-Za-z]+\(\), common\.cu:\d+,")


def folder():
    named = os.environ.get("MESHGAUGE_COLLECTIVE_LOGS")
    path = pathlib.Path(named) if named else ROOT.parent / "shared" / "nccl-logs"
    return path if (path / "INDEX.csv").is_file() else None


def nccl_rows(text):
    """(bytes, microseconds, in place) of every time, a row whose size is 0 left out."""
    rows, header = [], ""
    for line in text.splitlines():
        words = TAG.sub(" ", line).split()
        if "count" in words and "type" in words:
            header = words
        at = next((i for i, word in enumerate(words) if word in TYPES and i > 1 and words[i - 1].isdigit()), None)
        if at is None or "NCCL" in words:  # other output tore the row apart
            continue
        size, figures = int(re.sub(r".*\D", "", words[at - 2])), [w for w in words[at + 1:] if w[0] in "-.0123456789N"]
        if "root" in header or (not header and len(figures) % 4 == 1):
            figures = figures[1:]
        if size > 0 and len(figures) >= 3:
            rows.append((size, float(figures[0]), False))
        if size > 0 and len(figures) >= 7:
            rows.append((size, float(figures[4]), True))
    return rows


def bench_payloads(text):
    units = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    return [int(n) * units[unit] for n, unit in re.findall(r"^\|\s*(\d+)(KiB|MiB|GiB)\s*\|", text, re.MULTILINE)]


def matrix_figures(text, enabled_only):
    """Figures above 0 of the matrices that are kept."""
    count, keep = 0, not enabled_only
    for line in text.splitlines():
        if "Matrix" in line:
            keep = "P2P=Enabled" in line
        if re.match(r"\s*CPU\s+0", line):
            keep = False
        row = re.match(r"\s*\d+((?:\s+\d+\.\d+)+)$", line)
        if row and keep:
            count += sum(float(x) > 0 for x in row.group(1).split())
    return count


class Check:
    def __init__(self):
        self.failures = []

    def equal(self, file, what, got, wanted):
        if got != wanted:
            self.failures.append(f"{file}: {what} is {got}, wanted {wanted}")


def imported(meshgauge, path, flags=()):
    answer = subprocess.run([meshgauge, "import", str(path), "--json", *flags], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)["files"][0]


def check_nccl(check, row, file, text, answer):
    number = file[:3]
    rows = [(r, m) for r in answer["runs"] for m in r["measurements"]]
    wanted = [] if number in SINGLE_RANK else nccl_rows(text)
    if number == "084":  # its fifth run is a single rank: a copy inside one memory
        single = next(r for r in answer["runs"] if any("Single rank" in note for note in r["notes"]))
        after = min(r["first_line"] for r in answer["runs"] if r["first_line"] > single["first_line"])
        lines = text.splitlines()
        wanted = nccl_rows("\n".join(lines[:single["first_line"] - 1] + lines[after - 1:]))
    got = [(m["bytes"], round(m["seconds"] * 1e6, 3), m["in_place"]) for _, m in rows]
    check.equal(file, "rows", got, [(b, round(t, 3), i) for b, t, i in wanted])
    if number in SINGLE_RANK:
        check.equal(file, "ranks", {r["place"].get("ranks") for r in answer["runs"]}, {1})
        return
    if not rows:
        return
    named = {NAMES.get(name, name) for name in row["collective"].split("+")}
    asked = any("operation" in r["questions"] for r in answer["runs"])
    if number in NOT_NAMED:
        check.equal(file, "question for the collective", asked, True)
    else:
        check.equal(file, "collectives", {m["operation"] for _, m in rows}, named)
    check.equal(file, "least bytes", min(m["bytes"] for _, m in rows), int(row["min_bytes"]))
    check.equal(file, "most bytes", max(m["bytes"] for _, m in rows), int(row["max_bytes"]))
    stated = re.search(r"Rank\s+\d+ .*on\s+\S+ device", text)
    for run in answer["runs"]:
        if not run["measurements"]:
            continue
        ranks = run["place"].get("ranks", 0)
        if row["n_ranks"] and (ranks or stated):
            check.equal(file, "ranks", ranks, OTHER_RANKS[number][1] if number in OTHER_RANKS else int(row["n_ranks"]))
        per_node = run["place"].get("ranks_per_node", 0)
        if row["n_nodes"] and per_node:
            check.equal(file, "nodes", ranks // per_node, int(row["n_nodes"]))
    busses = [(m["in_place"], m["bytes"] / m["seconds"] / 1e9 * BUS[m["operation"]](r["place"]["ranks"]))
              for r, m in rows if m.get("operation") in BUS and "ranks" in r["place"]]
    if busses and row["peak_busbw_gbs"] and number != "109":  # ranks of its faster run are not stated
        wanted_peak = float(row["peak_busbw_gbs"])
        peaks = max(b for _, b in busses), max(b for in_place, b in busses if not in_place)  # the index takes either
        check.equal(file, "peak busbw", any(abs(p / wanted_peak - 1) < 0.005 + 0.005 / wanted_peak for p in peaks), True)


def check_osu(check, row, file, text, answer):
    bandwidth = "MB/s" in text
    wanted = [(int(a), float(b)) for a, b in re.findall(r"^(\d+)\s+([\d.]+)\b", text, re.MULTILINE)]
    rows = answer["runs"][0]["measurements"]
    got = [(m["bytes"], round(m["bytes_per_second"] / 1e6 if bandwidth else m["seconds"] * 1e6, 4)) for m in rows]
    check.equal(file, "rows", got, wanted)
    check.equal(file, "most bytes", max(m["bytes"] for m in rows), int(row["max_bytes"]))


def check_file(check, row, text, answer):
    file, tool = row["file"], row["tool"].split(" ")[0]
    tools = {"osu"} if tool.startswith("osu") else TOOLS[tool]
    check.equal(file, "tool", answer["tool"] in tools, True)
    for unread in answer["unread"]:
        print(f"{file}:{unread['line']}: {unread['reason']}")
    if tools & {"nccl-tests", "rccl-tests"}:
        check_nccl(check, row, file, text, answer)
    elif tools == {"osu"}:
        check_osu(check, row, file, text, answer)
    elif tools == {"perftest"}:
        wanted = [(int(a), float(b) * 1e9 / 8) for a, b in re.findall(r"^\s*(\d+)\s+\d+\s+[\d.]+\s+([\d.]+)\s", text, re.MULTILINE)]
        check.equal(file, "rows", [(m["bytes"], m["bytes_per_second"]) for m in answer["runs"][0]["measurements"]], wanted)
    elif tools == {"all-reduce-bench"}:
        for run in answer["runs"]:
            check.equal(file, "payloads", [m["bytes"] for m in run["measurements"]], bench_payloads(text))
        busses = [m["bytes"] / m["seconds"] / 1e9 * BUS["all_reduce"](r["place"]["ranks"]) for r in answer["runs"] for m in r["measurements"]]
        check.equal(file, "peak busbw", round(max(busses), 2), float(row["peak_busbw_gbs"]))
        check.equal(file, "ranks", max(r["place"]["ranks"] for r in answer["runs"]), int(row["n_ranks"]))
    else:
        figures = sum(len(r["measurements"]) for r in answer["runs"])
        check.equal(file, "figures", figures, matrix_figures(text, tools == {"p2p-bandwidth-latency"}))
        check.equal(file, "GPUs", answer["runs"][0]["place"]["gpus_per_node"], int(row["n_ranks"]))


def main():
    meshgauge, logs = sys.argv[1], folder()
    if logs is None:
        print("no folder of logs: set MESHGAUGE_COLLECTIVE_LOGS")
        sys.exit(SKIPPED)
    check, files = Check(), 0
    with open(logs / "INDEX.csv", newline="", encoding="utf-8") as index:
        for row in csv.DictReader(index):
            path = logs / row["file"]
            text = path.read_text(encoding="utf-8", errors="replace")
            check_file(check, row, text, imported(meshgauge, path, ANSWERS.get(row["file"][:3], ())))
            files += 1
    print(f"{files} files")
    for failure in check.failures:
        print(failure[:600])
    if check.failures or files == 0:
        sys.exit(f"{len(check.failures)} differences")


if __name__ == "__main__":
    main()
