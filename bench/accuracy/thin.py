#!/usr/bin/env python3
"""Thins a table of timings by the rule that bench/accuracy/README.md states: thin.py FULL.csv > THINNED.csv

Collectives: of series in steps of 1 MiB the sizes of one or three times a power of two remain. Kernels: products of
fewer than 256 rows and whole blocks of inference engines go, and every fourth row of each GPU, op, format and source
of more than 60 rows remains. Standard library only."""

import collections
import csv
import sys


def one_or_three_times_a_power_of_two(mebibytes):
    while mebibytes > 1 and mebibytes % 2 == 0:
        mebibytes /= 2
    return mebibytes in (1, 3)


def collective(row):
    return not row["source"].startswith("VIA-Research/vTrain") or one_or_three_times_a_power_of_two(
        int(row["bytes"]) / 2**20)


def trains(row):
    return "fused MoE block" not in row["notes"] and (row["op"] != "gemm" or int(row["m"] or 256) >= 256)


def series(row):
    return row["gpu"], row["op"], row["dtype"], row["source"], "BACKWARD PAIR" in row["notes"]


def kernels(rows):
    rows = [row for row in rows if trains(row)]
    sizes = collections.Counter(series(row) for row in rows)
    seen = collections.Counter()
    for row in rows:
        place = seen[series(row)]
        seen[series(row)] += 1
        if sizes[series(row)] <= 60 or place % 4 == 0:
            yield row


def main():
    csv.field_size_limit(1 << 24)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    kept = kernels(rows) if "op" in reader.fieldnames else filter(collective, rows)
    writer = csv.DictWriter(sys.stdout, reader.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept)


if __name__ == "__main__":
    main()
