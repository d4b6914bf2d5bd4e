#!/usr/bin/env python3
"""Turns a CSV of measured runs into JSON Lines for `meshgauge validate`: convert.py FILE.csv > FILE.jsonl

The kind of table is recognised from its header. Every row becomes one line: a run, a timing of a collective or kernel,
or {"id", "source", "skipped": reason} where the scenario format cannot say what was run; those are also summed up on
stderr. Standard library only.
"""

import argparse
import collections
import csv
import json
import sys

sys.dont_write_bytecode = True  # a run leaves nothing behind in the source tree

from conversion import KINDS  # noqa: E402
from conversion.rows import Skip  # noqa: E402


def skipped(row, reason):
    source = row.get("source") or row.get("source_path") or ""
    return {"id": row["id"], "source": source, "skipped": reason}


def convert(path):
    """The lines of a table, in the order of its rows, and the name of its kind."""
    csv.field_size_limit(1 << 24)
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns = set(reader.fieldnames or ())
        rows = list(reader)
    for name, marks, prepare in KINDS:
        if marks <= columns:
            break
    else:
        raise SystemExit(f"{path}: the header is that of no known table; columns: {', '.join(sorted(columns))}")
    one = prepare(rows)
    lines = []
    for row in rows:
        try:
            lines.append(one(row))
        except Skip as reason:
            lines.append(skipped(row, str(reason)))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
            # A cell that no rule foresaw must not cost the other rows.
            lines.append(skipped(row, f"not understood: {type(problem).__name__} {problem}"))
    return name, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE.csv")
    path = parser.parse_args().file
    kind, lines = convert(path)
    for line in lines:
        print(json.dumps(line, ensure_ascii=False))
    reasons = collections.Counter(line["skipped"] for line in lines if "skipped" in line)
    for line in lines:
        if "skipped" in line:
            print(f"{path}: {line['id']}: {line['skipped']}", file=sys.stderr)
    print(f"{path}: {kind}: {len(lines)} rows, {len(lines) - sum(reasons.values())} converted, "
          f"{sum(reasons.values())} skipped", file=sys.stderr)
    for reason, count in reasons.most_common():
        print(f"{path}:   {count:5} {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
