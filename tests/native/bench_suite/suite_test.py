#!/usr/bin/env python3
"""Runs the suite on two CPU ranks, kills a rank in the middle, goes on, and looks at what is left on the disk."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop()
COMMAND = [PROGRAM, "suite", "--backend", "mpi", "--ranks", "2", "--quick", "--timeout", "60"]


def run(folder, *more):
    return subprocess.run([*COMMAND, "--json", f"{folder}/r.json", *more], capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL)


def parts(folder):
    try:
        return {name for name in os.listdir(f"{folder}/r.json.parts") if name != "plan.json" and ".part-" not in name}
    except FileNotFoundError:
        return set()


def descendants(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        children = [int(word) for word in file.read().split()]
    return children + [below for child in children for below in descendants(child)]


def ranks_below(pid):
    found = []
    for child in descendants(pid):
        with open(f"/proc/{child}/cmdline", "rb") as file:
            if file.read().startswith(PROGRAM.encode()):
                found.append(child)
    return found


class Suite(unittest.TestCase):
    def test_killed_and_continued(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = subprocess.Popen([*COMMAND, "--json", f"{folder}/r.json"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
            end = time.monotonic() + 60
            while len(parts(folder)) < 2 and time.monotonic() < end:
                time.sleep(0.002)
            for rank in ranks_below(suite.pid):
                os.kill(rank, signal.SIGKILL)
            said = suite.communicate(timeout=60)[1]
            self.assertEqual(suite.returncode, 3, said)
            self.assertFalse(os.path.exists(f"{folder}/r.json"), "a killed suite left what looks like results")
            before = parts(folder)
            self.assertGreaterEqual(len(before), 2)
            for name in before:
                with open(f"{folder}/r.json.parts/{name}") as file:
                    self.assertTrue(json.load(file)["records"])

            other = subprocess.run([*COMMAND[:5], "1", *COMMAND[6:], "--json", f"{folder}/r.json"], capture_output=True,
                                   text=True, timeout=60)
            self.assertEqual(other.returncode, 2)
            self.assertIn("--fresh", other.stderr)

            second = run(folder)
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertEqual(second.stderr.count("measured before"), len(before), second.stderr)
            with open(f"{folder}/r.json") as file:
                results = json.load(file)
            self.assertTrue(results["suite"]["complete"])
            self.assertEqual(parts(folder), set())
            records = results["records"]
            operations = {r["operation"] for r in records if r["kind"] == "collective"}
            self.assertEqual(operations, {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"})
            self.assertLessEqual({"gemm", "copy"}, {r["kind"] for r in records})
            self.assertTrue(all(r["median_s"] > 0 for r in records))
            self.assertEqual({r["wrong"] for r in records} - {0, None}, set())
            self.assertEqual(results["environment"]["ranks"], 2)

    def test_time_limit_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            first = run(folder, "--time-limit", "0.001s")
            self.assertEqual(first.returncode, 0, first.stderr)
            with open(f"{folder}/r.json") as file:
                results = json.load(file)
            self.assertFalse(results["suite"]["complete"])
            self.assertIn("all_reduce-all", results["suite"]["missing"])
            self.assertEqual(results["records"], [])

    def test_plan_measures_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = run(folder, "--dry-run")
            self.assertEqual(plan.returncode, 0, plan.stderr)
            self.assertIn("all_reduce, all 2 ranks", plan.stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_bad_input(self):
        for more, word in ((["--model", "gpt5"], "--model"), (["--time-limit", "3x"], "--time-limit"), (["--tp", "0"], "--tp")):
            with tempfile.TemporaryDirectory() as folder:
                bad = run(folder, *more)
                self.assertEqual(bad.returncode, 2, bad.stderr)
                self.assertIn(word, bad.stderr)
        nowhere = run("/nowhere")
        self.assertEqual(nowhere.returncode, 2, nowhere.stderr)
        self.assertIn("/nowhere", nowhere.stderr)


if __name__ == "__main__":
    unittest.main()
