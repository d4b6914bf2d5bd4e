#!/usr/bin/env python3
"""Kills, stops and starves ranks and disks: the program has to say what happened, end in time with the right status and
leave no partial file."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop()
RUN_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          **more)


def own_words(text):
    return [line for line in text.splitlines() if line.startswith("meshgauge-bench")]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


class Faults(unittest.TestCase):
    def endless(self, folder, timeout):
        """Three ranks that measure for ever: the starter and the ranks, by rank."""
        starter = subprocess.Popen([PROGRAM, "all_reduce", "--backend", "mpi", "--ranks", "3", "-b", "256K", "-e", "256K",
                                    "-n", "2", "-N", "0", "--timeout", str(timeout), "--json", f"{folder}/r.json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in starter.stdout:
            if line.strip() and line[0] != "#":
                break
        (mpirun,) = children(starter.pid)
        return starter, sorted(children(mpirun))

    def test_a_killed_rank(self):
        for victim in (0, 2):
            with self.subTest(rank=victim), tempfile.TemporaryDirectory() as folder:
                starter, ranks = self.endless(folder, 30)
                begin = time.monotonic()
                os.kill(ranks[victim], signal.SIGKILL)
                _, errors = starter.communicate(timeout=30)
                self.assertEqual(starter.returncode, 3)
                self.assertLess(time.monotonic() - begin, 10)
                (words,) = own_words(errors)
                self.assertIn(f"Lost rank {victim} (process {ranks[victim]}", words)
                self.assertEqual(os.listdir(folder), [])

    def test_a_stopped_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            starter, ranks = self.endless(folder, 2)
            begin = time.monotonic()
            os.kill(ranks[1], signal.SIGSTOP)
            _, errors = starter.communicate(timeout=30)
            self.assertEqual(starter.returncode, 3)
            self.assertLess(time.monotonic() - begin, 15)
            (words,) = own_words(errors)
            self.assertIn(f"No answer from rank 1 (process {ranks[1]}", words)
            self.assertEqual(os.listdir(folder), [])

    def test_no_memory(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        done = run("all_reduce", "--backend", "mpi", "-b", "700M", "-e", "700M", preexec_fn=limit)
        self.assertEqual(done.returncode, 3)
        self.assertIn("No memory for", done.stderr)

    def test_a_full_disk(self):
        for flags in (["--json", "/dev/full"], ["-J", "/dev/full"]):
            done = run("all_reduce", "--backend", "mpi", "--ranks", "2", "-b", "8", "-e", "8", *flags)
            self.assertEqual(done.returncode, 3)
            (words,) = own_words(done.stderr)
            self.assertIn("No space left on device", words)
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "all_reduce", "--backend", "mpi", "-b", "8", "-e", "8"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn("Standard output takes no more", done.stderr)

    def test_bad_input_is_said_once(self):
        for arguments, part in ((["all_reduce", "--frobnicate"], 'There is no flag "--frobnicate"'),
                                (["all_reduse"], 'Did you mean "all_reduce"?'),
                                (["all_reduce", "--minbites", "8"], 'Did you mean "--minbytes"?'),
                                (["all_reduce", "-b", "2M", "-e", "1M"], "-b 2M is more than -e 1M"),
                                (["all_reduce", "--ranks", "3", "--split", "tp=2"], "Allowed: 1, 3."),
                                (["hypercube", "--ranks", "3"], "power of two"),
                                (["gather", "--ranks", "2", "-r", "2"], "Allowed: 0 to 1"),
                                (["alltoallv", "--ranks", "2", "--imbalance", "3"], "--imbalance 3"),
                                (["alltoallv", "--ranks", "2", "--matrix", "/no/such/file"], "cannot be read"),
                                (["alltoallv", "--ranks", "2", "--matrix", "/dev/null"], "there is nothing in it"),
                                (["all_reduce", "-G", "4"], "no graphs"),
                                (["all_reduce", "--gpu", "h1000"], "--gpu"),
                                (["all_reduce", "--gpu", "h100-sxm-80gb", "--profile", "/no/such/file"], "--profile"),
                                (["all_reduce", "--json", "/no/such/folder/r.json"], "No such file or directory"),
                                (["all_reduce", "--ranks", "2", "--expect-ranks", "4"], "there are 2")):
            with self.subTest(arguments=arguments):
                backend = ["--backend", "mpi"] if arguments[0] != "all_reduse" else []
                done = run(*arguments, *backend)
                self.assertEqual(done.returncode, 2, done.stderr)
                words = own_words(done.stderr) or done.stderr.splitlines()
                self.assertEqual(len(words), 1, done.stderr)
                self.assertIn(part, words[0])

    def test_a_matrix_says_what_alltoallv_sends(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix, results = f"{folder}/traffic.txt", f"{folder}/r.json"
            with open(matrix, "w", encoding="ascii") as file:
                file.write("0 4096\n1000 16\n")
            base = ["alltoallv", "--backend", "mpi", "-n", "2", "--matrix", matrix]
            two = ["--ranks", "2"]
            done = run(*base, *two, "--json", results)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(results, encoding="utf-8") as file:
                record = json.load(file)["records"][0]
            self.assertEqual((record["bytes"], record["wrong"]), (4112, 0))  # rank 1 receives 4096 and 16
            self.assertEqual(run(*base, *two, "-b", "32M", "-e", "32M").returncode, 0)  # as nccl-tests wants it
            for more, part in (([*two, "-b", "1K", "-e", "2K"], "Leave out -b and -e"),
                               ([*two, "-b", "1K", "-e", "1K"], "4112 bytes"),
                               (["--ranks", "3"], "too few for 3 ranks")):
                done = run(*base, *more)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(part, done.stderr)

    def test_torchrun_without_mpi_is_explained(self):
        done = run("all_reduce", "--backend", "mpi", env={**os.environ, "RANK": "0", "WORLD_SIZE": "2",
                                                        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("torchrun starts no MPI", done.stderr)

    def test_mpirun_starts_it_too(self):
        done = subprocess.run(["mpirun", "-np", "2", PROGRAM, "all_reduce", "--backend", "mpi", "-b", "8", "-e", "8"],
                              capture_output=True, text=True, timeout=60, env={**os.environ, **RUN_AS_ROOT})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# Out of bounds values : 0 OK", done.stdout)


if __name__ == "__main__":
    unittest.main()
