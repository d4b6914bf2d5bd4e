#!/usr/bin/env python3
"""Ranks find each other without MPI: under torchrun, and by the variables of torchrun and Slurm alone."""
import os
import shutil
import socket
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "OMPI_", "PMI", "TORCHELASTIC"))}
    return subprocess.Popen([PROGRAM], env={**clean, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Meet(unittest.TestCase):
    def met(self, ranks, sentence):
        outputs = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * len(ranks), outputs)
        self.assertIn(sentence, "".join(out for out, _ in outputs))

    def test_variables_of_torchrun_with_the_port_taken(self):
        with socket.socket() as store:  # as torchrun's agent, which listens there itself
            store.bind(("", 0))
            store.listen()
            port = store.getsockname()[1]
            self.met([start({"RANK": str(r), "WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                             "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RUN_ID": "a"}) for r in (2, 1, 0)],
                     "3 ranks met, started by torchrun")

    def test_variables_of_slurm(self):
        port = str(free_port())
        self.met([start({"SLURM_PROCID": str(r), "SLURM_NTASKS": "2", "SLURM_LOCALID": str(r), "SLURM_STEP_ID": "0",
                         "SLURM_JOB_ID": "7", "SLURM_STEP_NODELIST": "localhost", "MESHGAUGE_PORT": port})
                  for r in range(2)], "2 ranks met, started by srun")

    def test_two_runs_at_one_port_do_not_mix(self):
        port = str(free_port())
        runs = [[start({"RANK": str(r), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                        "TORCHELASTIC_RUN_ID": run}) for r in range(2)] for run in ("a", "b")]
        for ranks in runs:
            self.met(ranks, "2 ranks met")

    @unittest.skipUnless(shutil.which("torchrun"), "no torchrun")
    def test_torchrun(self):
        # PyTorch 1.13 with Python 3.11, as in Debian 12, starts nothing without --redirects and --tee.
        done = subprocess.run(["torchrun", "--nproc_per_node", "3", "--master_port", str(free_port()), "--no_python",
                               "--redirects", "1", "--tee", "1",
                               PROGRAM], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 ranks met, started by torchrun", done.stdout)


if __name__ == "__main__":
    unittest.main()
