#!/usr/bin/env python3
"""Runs every collective over MPI between CPU ranks and reads the table with a parser for nccl-tests' output that knows
nothing of this project: the columns and the footer are those that nccl-tests' README and doc/PERFORMANCE.md describe."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()
DEVICE = re.compile(r"#\s+Rank\s+(\d+) Group\s+(\d+) Pid\s+(\d+) on\s+(\S+) device\s+(\d+) \[([0-9a-f:]+)\] (.+)")


def bench(command, *flags, ranks=2, environment=None, status=0):
    done = subprocess.run([PROGRAM, command, "--backend", "mpi", "--ranks", str(ranks), *flags], capture_output=True,
                          text=True, timeout=60, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        raise AssertionError(f"{command} {flags}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def parse(text):
    """Rows, ranks and footer of one table."""
    table = {"rows": [], "ranks": []}
    for line in text.splitlines():
        device = DEVICE.match(line)
        if device:
            table["ranks"].append(device.groups())
        elif line.startswith("# Out of bounds values"):
            table["wrong"], table["verdict"] = line.split(":")[1].split()
        elif line.startswith("# Avg bus bandwidth"):
            table["average"] = float(line.split(":")[1].split()[0])
        elif line.startswith("# Collective test starting"):
            table["test"] = line.split(":")[1].strip()
        elif line and not line.startswith("#"):
            words = line.split()
            size, count, kind, redop, root = words[:5]
            half = lambda w: {"time": float(w[0]), "algbw": float(w[1]), "busbw": float(w[2]), "wrong": w[3]}
            table["rows"].append({"size": int(size), "count": int(count), "type": kind, "redop": redop,
                                  "root": int(root), "out": half(words[5:9]), "in": half(words[9:13]),
                                  "rest": words[13:]})
    return table


def factor(command, n):
    """doc/PERFORMANCE.md: bus bandwidth over algorithm bandwidth."""
    if command == "all_reduce":
        return 2 * (n - 1) / n
    return 1 if command in ("broadcast", "reduce", "sendrecv", "hypercube") else (n - 1) / n


class Table(unittest.TestCase):
    def test_every_collective(self):
        for command, checked_in_place in [("all_reduce", True), ("all_gather", True), ("reduce_scatter", True),
                                          ("broadcast", True), ("reduce", True), ("alltoall", False),
                                          ("alltoallv", False), ("sendrecv", False), ("gather", True),
                                          ("scatter", True), ("hypercube", True)]:
            for ranks in (2, 4) if command == "hypercube" else (2, 3):
                with self.subTest(command=command, ranks=ranks):
                    table = parse(bench(command, "-b", "8", "-e", "2M", "-f", "64", "-n", "3", "-c", "2",
                                        ranks=ranks).stdout)
                    self.assertEqual(table["test"], command + "_perf")
                    self.assertEqual([int(r[0]) for r in table["ranks"]], list(range(ranks)))
                    self.assertEqual((table["wrong"], table["verdict"]), ("0", "OK"))
                    self.assertEqual(len(table["rows"]), 4)
                    halves = []
                    for row in table["rows"]:
                        self.assertEqual(row["out"]["wrong"], "0")
                        self.assertEqual(row["in"]["wrong"], "0" if checked_in_place else "N/A")
                        self.assertEqual(row["rest"], [])
                        halves += [row["out"], row["in"]]
                    for half in halves:
                        self.assertAlmostEqual(half["busbw"], half["algbw"] * factor(command, ranks), delta=0.011)
                    if command not in ("hypercube",):
                        for row in table["rows"][-1:]:
                            for half in (row["out"], row["in"]):
                                self.assertAlmostEqual(half["algbw"], row["size"] / half["time"] / 1e3,
                                                       delta=0.006 + 0.006 * half["algbw"])
                    mean = sum(h["busbw"] for h in halves) / len(halves)
                    self.assertAlmostEqual(table["average"], mean, delta=0.006)

    def test_types_and_reductions(self):
        for command in ("all_reduce", "reduce_scatter"):
            table = parse(bench(command, "-b", "70000", "-e", "70000", "-d", "all", "-o", "all", "-n", "1",
                                ranks=3).stdout)
            self.assertEqual(len(table["rows"]), 10 * 5)  # MPI has no fp8 reductions
            self.assertEqual(table["verdict"], "OK")
        table = parse(bench("all_gather", "-b", "70000", "-e", "70000", "-d", "all", "-n", "1").stdout)
        self.assertEqual(len({row["type"] for row in table["rows"]}), 12)
        refused = bench("all_reduce", "-d", "f8e4m3", status=2)
        self.assertIn("-d f8e4m3", refused.stderr)

    def test_every_root(self):
        for command in ("broadcast", "reduce", "gather", "scatter"):
            table = parse(bench(command, "-b", "1000", "-e", "1000", "-r", "-1", "-n", "1", ranks=3).stdout)
            self.assertEqual([row["root"] for row in table["rows"]], [0, 1, 2])

    def test_flags_change_what_nccl_tests_changes(self):
        flags = ["-b", "64K", "-e", "64K"]
        self.assertEqual(parse(bench("all_reduce", *flags, "-c", "0").stdout)["rows"][0]["out"]["wrong"], "N/A")
        self.assertEqual(len(parse(bench("all_reduce", *flags, "-N", "3").stdout)["rows"]), 3)
        self.assertEqual(len(parse(bench("all_reduce", *flags, "-S", "1").stdout)["rows"][0]["rest"]), 2)
        for more in (["-z", "1"], ["-z", "2"], ["-z", "3"], ["-m", "4"], ["-u", "3"], ["-C", "1"], ["-a", "0"],
                     ["-a", "3"], ["-y", "1"], ["-p", "1"], ["-R", "1"], ["-x", "0"], ["-w", "0"], ["-M", "1"],
                     ["-T", "30"], ["-V", "4"]):
            with self.subTest(flags=more):
                self.assertEqual(parse(bench("all_reduce", *flags, *more).stdout)["verdict"], "OK")
        timed = bench("all_reduce", *flags, "-I", "1", "-K", "2", "-n", "9").stdout
        row = [line.split() for line in timed.splitlines() if line and line[0] != "#"][0]
        self.assertEqual(len(row), 5 + 2 * 8)
        least, most, p99 = map(float, row[9:12])
        self.assertLessEqual(least, p99)
        self.assertLessEqual(p99, most)
        self.assertEqual(bench("all_reduce", *flags, environment={"NCCL_TESTS_MIN_BW": "1e9"}, status=1).returncode, 1)

    def test_groups_are_measured_at_once(self):
        for split, nodes in (("tp=2", "0 0 1 1"), ("dp=2", "0 1 0 1")):
            table = parse(bench("all_reduce", "-b", "64K", "-e", "64K", "--split", split, ranks=4).stdout)
            self.assertEqual(" ".join(r[1] for r in table["ranks"]), nodes)
            self.assertAlmostEqual(table["rows"][0]["out"]["busbw"], table["rows"][0]["out"]["algbw"], delta=0.011)
        table = parse(bench("all_reduce", "-b", "64K", "-e", "64K", ranks=4,
                            environment={"NCCL_TESTS_SPLIT": "MOD 2"}).stdout)
        self.assertEqual(" ".join(r[1] for r in table["ranks"]), "0 1 0 1")
        self.assertEqual(parse(bench("alltoall", "-b", "64K", "-e", "64K", "--split", "tp=2", "--one-group",
                                     ranks=4).stdout)["verdict"], "OK")

    def test_files_say_what_the_table_says(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "ours.json"), os.path.join(folder, "theirs.json")
            table = parse(bench("all_gather", "-b", "1K", "-e", "1M", "-f", "32", "--json", ours, "-J", theirs,
                                "--gpu", "h100-sxm-80gb").stdout)
            self.assertEqual(sorted(os.listdir(folder)), ["ours.json", "theirs.json"])
            with open(ours) as file:
                results = json.load(file)
            with open(theirs) as file:
                nccl_tests = json.load(file)
            self.assertEqual(results["schema_version"], 1)
            self.assertEqual(results["environment"]["ranks"], 2)
            self.assertNotIn("hosts", results["environment"])
            self.assertNotIn(os.uname().nodename, json.dumps(results).split('"machine"')[0].replace("Linux", ""))
            self.assertEqual(len(results["records"]), 2 * len(table["rows"]))
            for i, record in enumerate(results["records"]):
                half = table["rows"][i // 2]["in" if record["in_place"] else "out"]
                self.assertEqual(record["kind"], "collective")
                self.assertEqual(record["operation"], "all_gather")
                self.assertAlmostEqual(record["median_s"] * 1e6, half["time"], delta=0.06 + 0.001 * half["time"])
                self.assertEqual(record["wrong"], 0)
                self.assertGreater(record["predicted_s"], 0)
            for row, there in zip(table["rows"], nccl_tests["results"]):
                self.assertEqual(row["size"], there["size"])
                self.assertAlmostEqual(row["in"]["busbw"], there["in_place"]["bus_bw"], delta=0.006)

    def test_samples_until_the_median_is_certain(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            bench("all_reduce", "-b", "64K", "-e", "64K", "--samples", "auto", "--json", path)
            with open(path) as file:
                for record in json.load(file)["records"]:
                    self.assertGreaterEqual(record["samples"], 10)
                    self.assertLessEqual(record["p5_s"], record["median_s"])
                    self.assertLessEqual(record["median_s"], record["p95_s"])

    def test_sizes_that_do_not_divide_and_none_at_all(self):
        for flags in (["-b", "0", "-e", "0"], ["-b", "1", "-e", "90", "-i", "13"], ["-b", "999999", "-e", "999999"]):
            for command in ("all_reduce", "all_gather", "alltoallv"):
                self.assertEqual(parse(bench(command, *flags, "-n", "2", "-d", "double", ranks=3).stdout)["verdict"], "OK")


if __name__ == "__main__":
    unittest.main()
