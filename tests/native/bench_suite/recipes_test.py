#!/usr/bin/env python3
"""Recipes: shells read them, their flags are there, the numbers of a job fit each other; torchrun's is run where there
is torchrun."""
import os
import re
import shutil
import subprocess
import sys
import unittest

NATIVE = sys.argv.pop()
PROGRAM = sys.argv.pop()
SCRIPTS = ["gpu_check.sh", "shared_gpu.sh", "recipes/slurm.sbatch", "recipes/torchrun.sh"]


def text_of(name):
    with open(f"{NATIVE}/{name}") as file:
        return file.read()


class Recipes(unittest.TestCase):
    def test_shells_read_the_scripts(self):
        for name in SCRIPTS:
            done = subprocess.run(["bash", "-n", f"{NATIVE}/{name}"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.access(f"{NATIVE}/{name}", os.X_OK), name)

    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck")
    def test_shellcheck_has_nothing_to_say(self):
        done = subprocess.run(["shellcheck", *[f"{NATIVE}/{name}" for name in SCRIPTS]], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_flags_of_the_suite_are_there(self):
        known = set(re.findall(r"--[a-z-]+", subprocess.run([PROGRAM, "suite", "--help"], capture_output=True,
                                                            text=True).stdout))
        for name in ("recipes/slurm.sbatch", "recipes/mpijob.yaml", "recipes/torchrun.sh"):
            text = text_of(name)
            used = {flag for flag in ("--backend", "--expect-ranks", "--time-limit", "--json") if flag in text}
            self.assertIn("--expect-ranks", used, name)
            self.assertLessEqual(used, known)

    def test_ranks_of_the_kubernetes_job(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        spec = yaml.safe_load(text_of("recipes/mpijob.yaml"))["spec"]
        replicas = spec["mpiReplicaSpecs"]
        worker = replicas["Worker"]["template"]["spec"]["containers"][0]
        arguments = replicas["Launcher"]["template"]["spec"]["containers"][0]["args"]
        ranks = spec["slotsPerWorker"] * replicas["Worker"]["replicas"]
        self.assertEqual(worker["resources"]["limits"]["nvidia.com/gpu"], spec["slotsPerWorker"])
        for flag in ("-np", "--expect-ranks"):
            self.assertEqual(arguments[arguments.index(flag) + 1], str(ranks))
        volumes = {v["name"] for v in replicas["Worker"]["template"]["spec"]["volumes"]}
        self.assertEqual({m["name"] for m in worker["volumeMounts"]}, volumes)

    @unittest.skipUnless(shutil.which("torchrun"), "no torchrun")
    def test_torchrun(self):
        # PyTorch 1.13 with Python 3.11, as in Debian 12, starts nothing without --redirects and --tee.
        done = subprocess.run([f"{NATIVE}/recipes/torchrun.sh", "--backend", "mpi"], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "MESHGAUGE_BENCH": PROGRAM, "MESHGAUGE_COMMAND": "preflight",
                                               "GPUS_PER_NODE": "1", "MASTER_PORT": "29731", "TORCHRUN_ARGS": "--redirects 1 --tee 1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("started by torchrun", done.stdout)


if __name__ == "__main__":
    unittest.main()
