#!/usr/bin/env python3
"""Every second size of published logs, predicted by a fit on the others: calibrated_logs_test.py MESHGAUGE

The logs are those of collective_logs_test.py, where they are there. Of the median log the median error over sizes may be
4 % and the ninetieth percentile 13 %; the same of the median family (one GPU and kind of network); and no curve may be
further from what it was fitted on than the default is."""

import csv
import json
import statistics
import subprocess
import sys

import collective_logs_test as logs_test
from conversion.rows import Skip

MEDIAN, P90, FEWEST_LOGS = 0.04, 0.13, 20


def arguments_of(line):
    """What a log does not say."""
    cluster, call = line["cluster"], line["collective"]
    arguments = ["--gpu", cluster["gpu"], "--gpus-per-node", str(cluster["gpus_per_node"]), "--ranks", str(call["ranks"]),
                 "--ranks-per-node", str(call["ranks_per_node"]), "--operation", call["operation"]]
    if "network" in cluster:
        arguments += ["--network", cluster["network"], "--network-rate", str(cluster["inter_node_bytes_per_second"])]
    return arguments


def fit(meshgauge, path, arguments):
    answer = subprocess.run([meshgauge, "calibrate", str(path), "--json", *arguments], capture_output=True, text=True)
    if answer.returncode > 1:
        sys.exit(f"{path.name}: {answer.stdout[:2000]}{answer.stderr[:2000]}")
    return json.loads(answer.stdout)


def main():
    meshgauge, folder = sys.argv[1], logs_test.folder()
    if folder is None:
        print("no folder of logs: set MESHGAUGE_COLLECTIVE_LOGS")
        sys.exit(logs_test.SKIPPED)
    held_out, families, fitted = [], {}, 0
    with open(folder / "INDEX.csv", newline="", encoding="utf-8") as index:
        rows = list(csv.DictReader(index))
    for row in rows:
        path = folder / row["file"]
        try:
            line = next(logs_test.lines_of(row, path.read_text(encoding="utf-8", errors="replace")))
        except (Skip, StopIteration):
            continue
        for curve in fit(meshgauge, path, arguments_of(line))["collectives"]:
            if curve["verdict"] == "fitted":
                fitted += 1
                before, after = curve["before"], curve["after"]
                if after["median"] > before["median"] + 0.005 and after["p90"] > before["p90"] + 0.005:
                    sys.exit(f"{row['file']}: fitted, but further from its data than the default: {before} {after}")
            errors = curve["held_out"]
            print(f"{row['file'][:44]:<46}{curve['collective']:<16}{curve['ranks']:>5} ranks {curve['sizes']:>3} sizes  "
                  f"{curve['verdict']:<14}{'' if errors is None else '%5.1f %% %6.1f %%' % (100 * errors['median'], 100 * errors['p90'])}")
            if errors is not None:
                held_out.append(errors)
                families.setdefault(line["family"], []).append(errors)
    middle = {key: statistics.median(e[key] for e in held_out) for key in ("median", "p90")}
    family = {key: statistics.median(statistics.median(e[key] for e in list_) for list_ in families.values())
              for key in ("median", "p90")}
    print(f"{fitted} curves fitted; held out: median log of {len(held_out)}: {middle['median']:.1%}, p90 {middle['p90']:.1%}; "
          f"median family of {len(families)}: {family['median']:.1%}, p90 {family['p90']:.1%}")
    if len(held_out) < FEWEST_LOGS:
        sys.exit(f"at least {FEWEST_LOGS} logs have to be fitted")
    if max(middle["median"], family["median"]) > MEDIAN or max(middle["p90"], family["p90"]) > P90:
        sys.exit(f"allowed: {MEDIAN:.0%}, {P90:.0%}")


if __name__ == "__main__":
    main()
