#!/usr/bin/env python3
"""Benchmark commands that documents show but no test can run have flags that exist: documents_test.py MESHGAUGE_BENCH"""

import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "native" / "README.md"]
STARTED_BY_A_RECIPE = {"slurm.sbatch": "suite", "torchrun.sh": "suite"}
FLAG = r"(?<=\s)--?[a-zA-Z][\w-]*"


@functools.cache
def flags_of(program, command):
    done = subprocess.run([program, command, "--help"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"there is no meshgauge-bench {command}")
    return set(re.findall(r"(?<=[\s,])--?[a-zA-Z][\w-]*", done.stdout))


def commands_of(text):
    """What follows the program's name in the sh blocks of a document, without comments."""
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            line = line.split("  #")[0]
            if found := re.search(r"meshgauge-bench (\w+)(.*)", line):
                yield found.group(1), found.group(2)
            for recipe, command in STARTED_BY_A_RECIPE.items():
                if recipe in line:
                    yield command, line.split(recipe)[1]


def main():
    problems, seen = [], 0
    for document in DOCUMENTS:
        for command, rest in commands_of(document.read_text(encoding="utf-8")):
            seen += 1
            for flag in re.findall(FLAG, f" {rest}"):
                if flag not in flags_of(sys.argv[1], command):
                    problems.append(f"{document.name}: meshgauge-bench {command} has no {flag}")
    if problems or not seen:
        sys.exit("\n".join(problems) or "no document shows a benchmark")
    print(f"{seen} commands")


if __name__ == "__main__":
    main()
