#!/usr/bin/env python3
"""Whatever meshgauge-bench writes with --json is what docs/schemas/results.schema.json says."""
import copy
import json
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("needs jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

SCHEMA_FILE = sys.argv.pop()
PROGRAM = sys.argv.pop()
with open(SCHEMA_FILE) as file:
    SCHEMA = json.load(file)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

STEP = ["step", "--layers", "2", "--hidden", "128", "--vocab", "128", "--seq", "16", "--steps", "2"]
RUNS = [
    ["all_reduce", "--ranks", "2", "-b", "0", "-e", "1K", "-f", "4", "-o", "all", "-n", "3"],
    ["all_gather", "--ranks", "2", "-b", "8", "-e", "64", "-f", "2", "-n", "3", "--samples", "auto"],
    ["broadcast", "--ranks", "2", "-b", "64", "-e", "64", "-r", "-1", "-n", "3", "-I", "1", "-c", "0"],
    ["alltoallv", "--ranks", "2", "-b", "1K", "-e", "1K", "-n", "3", "--split", "tp=2", "--show-hosts"],
    ["hypercube", "--ranks", "2", "-b", "1K", "-e", "1K", "-n", "3", "--gpu", "h100-sxm-80gb"],
    ["gemm", "--shapes", "16x16x16,2*8x8x8", "--budget", "0.01"],
    ["gemm", "--shapes", "64x64x64", "--budget", "0.01", "--gpu", "a100-sxm-80gb"],
    ["copy", "--sizes", "1M", "--budget", "0.01"],
    ["attention", "--shapes", "1x16x4/2x8,2x8x2x4", "--formats", "fp32,bf16", "--budget", "0.01"],
    STEP,
    [*STEP, "--ranks", "2", "--tp", "2", "--recompute", "--gpu", "a100-sxm-80gb"],
    [*STEP, "--ranks", "2", "--strategy", "zero3", "--precision", "bf16"],
    ["suite", "--ranks", "2", "--quick"],
]


def results_of(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/r.json"
        done = subprocess.run([PROGRAM, *arguments, "--backend", "mpi", "--json", path], capture_output=True, text=True,
                              timeout=100, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        with open(path) as written:
            return json.load(written)


class Conforms(unittest.TestCase):
    def test_the_schema_is_one(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_every_command_conforms(self):
        kinds = set()
        for arguments in RUNS:
            with self.subTest(command=" ".join(arguments)):
                results = results_of(arguments)
                errors = [f"{list(e.absolute_path)}: {e.message}" for e in VALIDATOR.iter_errors(results)]
                self.assertEqual(errors, [])
                self.assertGreater(len(results["records"]), 0)
                kinds |= {record["kind"] for record in results["records"]}
        self.assertEqual(kinds, {"collective", "gemm", "copy", "attention", "step"})

    def test_what_is_broken_does_not_conform(self):
        whole = results_of(["gemm", "--shapes", "8x8x8", "--budget", "0.01"])
        self.assertTrue(VALIDATOR.is_valid(whole))
        for break_it in (lambda r: r.pop("median_s"), lambda r: r.update(kind="gem"), lambda r: r.update(surprise=1),
                         lambda r: r.update(m="8"), lambda r: r.update(median_s=-1)):
            broken = copy.deepcopy(whole)
            break_it(broken["records"][0])
            self.assertFalse(VALIDATOR.is_valid(broken))


if __name__ == "__main__":
    unittest.main()
