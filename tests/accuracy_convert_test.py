#!/usr/bin/env python3
"""The converter of published measurements: no row is lost, and the parts that read codes read them right."""

import csv
import json
import pathlib
import re
import subprocess
import sys
import unittest

ACCURACY = pathlib.Path(__file__).resolve().parent.parent / "bench" / "accuracy"
sys.path.insert(0, str(ACCURACY))
sys.dont_write_bytecode = True

from conversion import clusters, models, stages  # noqa: E402
from conversion.rows import Skip  # noqa: E402

TABLES = sorted(ACCURACY.glob("*.csv"))
MEASURED = {"step_seconds", "allocated_bytes", "reserved_bytes", "device_bytes", "out_of_memory"}


def converted(table):
    command = [sys.executable, str(ACCURACY / "convert.py"), str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


class Rows(unittest.TestCase):
    def test_every_row_becomes_a_run_or_says_why_not(self):
        self.assertGreaterEqual(len(TABLES), 11)
        for table in TABLES:
            with self.subTest(table.name), open(table, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
                lines, errors = converted(table)
                self.assertEqual([row["id"] for row in rows], [line["id"] for line in lines])
                runs = [line for line in lines if "measured" in line]
                skipped = [line for line in lines if "skipped" in line]
                self.assertEqual(len(rows), len(runs) + len(skipped))
                self.assertGreater(len(runs), 0)
                counts = re.search(r": (\d+) rows, (\d+) converted, (\d+) skipped", errors)
                self.assertEqual([len(rows), len(runs), len(skipped)], [int(n) for n in counts.groups()])
                for line in skipped:
                    self.assertIn(f"{line['id']}: {line['skipped']}", errors)
                    self.assertNotIn("not understood", line["skipped"])

    def test_every_run_measures_something_and_has_a_whole_scenario(self):
        for table in TABLES:
            for line in converted(table)[0]:
                if "skipped" in line or "kind" in line:
                    continue
                with self.subTest(line["id"]):
                    self.assertTrue(MEASURED & line["measured"].keys())
                    self.assertLessEqual(line["measured"].keys(), MEASURED | {"rank"})
                    numbers = {k: v for k, v in line["measured"].items() if k not in ("rank", "out_of_memory")}
                    self.assertTrue(all(value > 0 for value in numbers.values()))
                    self.assertTrue(line["source"] and line["family"] and line["scenario"]["model"])
                    self.assertGreater(line["scenario"]["training"]["sequence_length"], 0)
                    self.assertGreater(line["scenario"]["cluster"]["gpus"], 0)


    def test_every_timing_has_a_place_a_call_and_a_time(self):
        for name, kind in (("collective-timings", "collective"), ("kernel-timings", "kernel")):
            lines = [line for line in converted(ACCURACY / f"{name}.csv")[0] if "skipped" not in line]
            self.assertGreater(len(lines), 2000)
            for line in lines:
                with self.subTest(line["id"]):
                    self.assertEqual(kind, line["kind"])
                    self.assertGreater(line["measured"]["seconds"], 0)
                    self.assertTrue(line["cluster"]["gpu"] and line["source"] and line["family"])
                    self.assertTrue(line[kind].get("operation") or line[kind].get("op"))

    def test_tables_of_timings_are_thin(self):
        thin = [sys.executable, "-B", str(ACCURACY / "thin.py")]
        for name in ("collective-timings", "kernel-timings"):
            table = ACCURACY / f"{name}.csv"
            self.assertLess(table.stat().st_size, 2_000_000)
            again = subprocess.run([*thin, str(table)], capture_output=True, text=True, check=True).stdout
            kept = list(csv.DictReader(again.splitlines()))
            with open(table, newline="", encoding="utf-8") as file:
                gpus = {row["gpu"] for row in csv.DictReader(file)}
            self.assertEqual(gpus, {row["gpu"] for row in kept})  # no GPU is thinned away


class Codes(unittest.TestCase):
    def test_chunks_of_a_pipeline_layout(self):
        # Megatron-LM, --pipeline-model-parallel-layout: "|" ends a chunk, (...)*n and x*n repeat
        self.assertEqual(8, stages.layout_chunks("Et*3|(tt|)*6mL"))
        self.assertEqual(8, stages.layout_chunks(r"Et*3\|(tt\|)*6tmL"))
        self.assertEqual(4, stages.layout_chunks("Ett|tt|tt|tL"))

    def test_layers_of_uneven_stages(self):
        self.assertEqual([2, 4, 4, 2], stages.first_and_last(12, 4, 1, 2, 2))
        self.assertEqual([0, 1, 1, 1, 1, 1, 1, 0], stages.counting_ends(6, 4, 2))
        with self.assertRaises(Skip):
            stages.counting_ends(7, 4, 2)

    def test_placement_of_experts(self):
        self.assertEqual([0, 0, 0, 1, 1], models.placement("([0]*3+[1]*2)"))
        self.assertEqual(2, models.placement("2"))
        self.assertIsNone(models.placement("1"))

    def test_names_of_gpus(self):
        for name, memory, expected in (("A100-SXM", 40, "a100-sxm-40gb"), ("A100 40GB SMX", None, "a100-sxm-40gb"),
                                       ("A6000 Ada 48GB", None, "rtx-6000-ada"), ("A6000", None, "rtx-a6000"),
                                       ("h100_sxm", None, "h100-sxm-80gb"), ("GB300", 288, "gb300-288gb"),
                                       ("V100-SXM2", 16, "v100-sxm2-16gb"),
                                       ("A100-PCIe (inferred)", 80, "a100-pcie-80gb")):
            with self.subTest(name):
                self.assertEqual(expected, clusters.gpu_of(name, memory)[0])
        self.assertEqual(clusters.gpu_of("H100-SXM(96GB HBM2e,500W)", 96)[0], "h100-sxm-96gb")
        with self.assertRaises(Skip):
            clusters.gpu_of("abacus")

    def test_names_of_models(self):
        for name, expected in (("meta-llama/Meta-Llama-3-8B", "llama-3-8b"), ("Llama 2 7 B", "llama-2-7b"),
                               ("TheBloke/Mistral-7B-v0.1-GPTQ", "mistral-7b"),
                               ("NousResearch/Llama-2-70b-hf", "llama-2-70b"),
                               ("Phi-3-mini-4k-instruct", "phi-3-mini"),
                               ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b")):
            with self.subTest(name):
                self.assertEqual(expected, models.named(name))


if __name__ == "__main__":
    unittest.main()
