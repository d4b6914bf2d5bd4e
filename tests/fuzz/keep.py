#!/usr/bin/env python3
"""Adds to a fuzzer's corpus what reaches most of what it does not: keep.py FUZZER CORPUS LEARNT"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LARGEST, MOST = 4096, 40  # bytes of a file, files of a corpus


def reached(fuzzer, corpus, learnt):
    """File -> how much it reaches that none before it does, those of the corpus first: by the control file of a merge,
    which has the names, then "FT index feature..." of each."""
    with tempfile.TemporaryDirectory() as scratch:
        control, merged = pathlib.Path(scratch) / "control", pathlib.Path(scratch) / "merged"
        shutil.copytree(corpus, merged)
        subprocess.run([fuzzer, "-merge=1", f"-merge_control_file={control}", merged, learnt], stderr=subprocess.DEVNULL,
                       check=True)
        lines = control.read_text().splitlines()
    files = lines[2:2 + int(lines[0])]
    news = dict.fromkeys(files, 0)
    for line in lines[2 + len(files):]:
        kind, index, *features = line.split()
        if kind == "FT":
            news[files[int(index)]] += len(features)
    return {file: news[file] for file in files if pathlib.Path(file).parent != merged}


def main(fuzzer, corpus, learnt):
    corpus = pathlib.Path(corpus)
    found = reached(fuzzer, corpus, learnt)
    small = [pathlib.Path(file) for file, new in found.items() if new > 0 and pathlib.Path(file).stat().st_size <= LARGEST]
    best = sorted(small, key=lambda file: -found[str(file)])[:max(0, MOST - len(list(corpus.iterdir())))]
    for file in best:
        shutil.copy(file, corpus / file.name[:12])
    print(f"{corpus.name}: {len(best)} files added, {sum(found[str(file)] for file in best)} of {sum(found.values())} features")


if __name__ == "__main__":
    main(*sys.argv[1:])
