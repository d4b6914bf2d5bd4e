#!/usr/bin/env python3
"""Predictions beside the published measurements do not get worse than the tables in both READMEs.

Usage: accuracy_regression_test.py MESHGAUGE [--write]. A file's median error may rise by 0.2 points and its share of
right verdicts fall by 0.5 before the test fails. Predicted probabilities must stay calibrated: their Brier score may
rise by 0.002, and the ranges, made to hold 90 % of the measurements, must hold 80 to 97 %. --write puts
today's figures into bench/accuracy/baseline.json and the tables, which belongs into the commit that changes them."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
sys.dont_write_bytecode = True

from marked_tables import with_table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACCURACY = ROOT / "bench" / "accuracy"
BASELINE = ACCURACY / "baseline.json"
README, FRONT = ACCURACY / "README.md", ROOT / "README.md"
CALIBRATION, SUMMARY = "calibration", "summary"  # entries of the baseline that are of several files together
FEWEST = 5  # rows of a kind, below which a median says little
ALLOWED_RISE = 0.002
ALLOWED_FALL = 0.005
TIMES = (("step_time", "step time"), ("collective_time", "collective time"), ("kernel_time", "kernel time"))
ALLOWED_BRIER_RISE = 0.002
COVERAGE = (0.80, 0.97)
BINS = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)  # of the predicted probability to fit
KINDS = (*TIMES, ("allocated", "allocated memory"), ("reserved", "reserved memory"),
         ("device", "device memory"))
# Rows of the table in README.md: what, kind, and which rows of which files. A comma in the family of a published run is
# followed by what its source leaves out.
STEPS = ("published-runs", "simumax-runs", "vtrain-runs")
SUMMARIES = (
    ("step time, complete descriptions", "step_time", lambda file, family: file == STEPS[0] and "," not in family),
    ("step time, all", "step_time", lambda file, family: file in STEPS),
    ("allocated memory, Megatron-LM from 1B", "allocated", lambda file, family: family == "Megatron dense >= 1B"),
    ("allocated memory, mixtures of experts", "allocated",
     lambda file, family: (file, family) == ("megatron-goldens", "Megatron MoE")),
    ("allocated memory, fine-tuning", "allocated", lambda file, family: file == "fms-accel"),
    ("device memory as nvidia-smi shows it", "device", lambda file, family: True),
)


def predictions(meshgauge):
    figures, rows, timings = {}, [], []
    for table in sorted(ACCURACY.glob("*.csv")):
        lines = subprocess.run([sys.executable, "-B", str(ACCURACY / "convert.py"), str(table)], capture_output=True,
                               text=True, check=True).stdout
        answer = subprocess.run([meshgauge, "validate", "--json", "-"], input=lines, capture_output=True, text=True)
        if answer.returncode != 0:
            sys.exit(f"{table.name}: meshgauge validate ends with {answer.returncode}\n{answer.stderr}{answer.stdout[:2000]}")
        for group in json.loads(answer.stdout)["files"][0]["families"]:
            name = table.stem if table.stem.startswith(("published", "field")) else f"{table.stem}: {group['family']}"
            figures.setdefault(name, []).append(group)
        file = json.loads(answer.stdout)["files"][0]
        rows += [row | {"file": table.stem} for row in file["rows"]]
        timings += timing_summaries(file)
        if table.stem in figures:
            figures[table.stem] = [file]
    return ({name: figures_of(groups[0]) for name, groups in figures.items()}
            | {CALIBRATION: calibration_of(rows), SUMMARY: summary_of(rows) + timings})


def quantile(values, share):
    values, position = sorted(values), share * (len(values) - 1)
    below = int(position)
    return values[below] + (position - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def summary_of(rows):
    summary = []
    for what, kind, chosen in SUMMARIES:
        errors = [abs(compared["error"]) for row in rows if chosen(row["file"], row["family"])
                  if (compared := comparison(row, kind))]
        summary.append({"what": what, "n": len(errors), "median": round(quantile(errors, 0.5), 6),
                        "p90": round(quantile(errors, 0.9), 6)})
    return summary


def timing_summaries(file):
    """Of collectives and kernels the median family, as families count alike however many rows they have."""
    return [{"what": what.format(file["median_family"][kind]["families"]), "n": file[kind]["n"],
             "median": file["median_family"][kind]["median"], "p90": file["median_family"][kind]["p90"]}
            for kind, what in (("collective_time", "collectives, median of {} sources and GPUs"),
                               ("kernel_time", "single kernels, median of {} sources and GPUs")) if file[kind]["n"]]


def comparison(row, kind):
    return row.get(kind) or row.get("memory", {}).get(kind)


def calibration_of(rows):
    """How the probabilities to fit and the ranges of memory compare with what happened, over all files."""
    fits = [(row["fits"]["probability"], row["fits"]["measured"]) for row in rows if "fits" in row]
    bins = []
    for low, high in zip(BINS, BINS[1:]):
        inside = [(p, ran) for p, ran in fits if low <= p < high or p == high == 1]
        if inside:
            bins.append({"low": low, "high": high, "n": len(inside),
                         "predicted": round(sum(p for p, _ in inside) / len(inside), 4),
                         "observed": round(sum(ran for _, ran in inside) / len(inside), 4)})
    coverage = {}
    for kind, words in (TIMES[0], *KINDS[len(TIMES):]):
        within = [compared["within"] for row in rows if (compared := comparison(row, kind))]
        coverage[words] = {"n": len(within), "share": round(sum(within) / len(within), 4)}
    brier = round(sum((p - ran) ** 2 for p, ran in fits) / len(fits), 5)
    return {"brier": brier, "n": len(fits), "bins": bins, "coverage": coverage}


def figures_of(group):
    figures = {}
    for kind, _ in KINDS:
        errors = group[kind] if kind in dict(TIMES) else group["memory"][kind]
        if errors["n"] >= FEWEST:
            figures[kind] = {key: errors[key] for key in ("n", "median", "p90", "bias")}
    fits = group["fits"]
    if fits["n"] >= FEWEST:
        figures["fits"] = {"n": fits["n"], "right": round(fits["right"] / fits["n"], 6)}
    return figures


def percent(share, signed=False):
    text = f"{100 * share:+.2f}" if signed else f"{100 * share:.2f}" if share < 0.1 else f"{100 * share:.1f}"
    return text + " %"


def table_of(figures):
    rows = ["| runs | what | n | median | p90 | bias |", "|---|---|---:|---:|---:|---:|"]
    for name, kinds in figures.items():
        if name in (CALIBRATION, SUMMARY):
            continue
        for kind, words in KINDS:
            if kind in kinds:
                e = kinds[kind]
                rows.append(f"| {name} | {words} | {e['n']} | {percent(e['median'])} | {percent(e['p90'])} | {percent(e['bias'], True)} |")
        if "fits" in kinds:
            rows.append(f"| {name} | fits or out of memory | {kinds['fits']['n']} | {percent(kinds['fits']['right'])} right | | |")
    return "\n".join(rows) + "\n"


def reliability_table_of(calibration):
    rows = ["| probability to fit | runs | predicted | ran |", "|---|---:|---:|---:|"]
    for bin_ in calibration["bins"]:
        rows.append(f"| {100 * bin_['low']:.0f} to {100 * bin_['high']:.0f} % | {bin_['n']} | {percent(bin_['predicted'])} | "
                    f"{percent(bin_['observed'])} |")
    rows += ["", f"Brier score {calibration['brier']:.4f} over {calibration['n']} runs. Ranges hold "
             + ", ".join(f"{percent(c['share'])} of {c['n']} measurements of {kind}"
                         for kind, c in calibration["coverage"].items()) + "."]
    return "\n".join(rows) + "\n"


def summary_table_of(summary):
    rows = ["| | runs | error, median | 9 of 10 within |", "|---|---:|---:|---:|"]
    rows += [f"| {row['what']} | {row['n']} | {100 * row['median']:.1f} % | {100 * row['p90']:.1f} % |" for row in summary]
    return "\n".join(rows) + "\n"


def documents_with(figures):
    """Both READMEs as they show the figures."""
    text = with_table(README.read_text(encoding="utf-8"), "accuracy table", table_of(figures))
    text = with_table(text, "reliability table", reliability_table_of(figures[CALIBRATION]))
    front = with_table(FRONT.read_text(encoding="utf-8"), "accuracy table", summary_table_of(figures[SUMMARY]))
    return {README: text, FRONT: front}


def worse(now, before):
    problems = []
    brier = now[CALIBRATION]["brier"]
    if brier > before[CALIBRATION]["brier"] + ALLOWED_BRIER_RISE:
        problems.append(f"Brier score of the probabilities to fit {brier}, {before[CALIBRATION]['brier']} before")
    for kind, covered in now[CALIBRATION]["coverage"].items():
        if not COVERAGE[0] <= covered["share"] <= COVERAGE[1]:
            problems.append(f"ranges of {kind} hold {percent(covered['share'])} of the measurements")
    for found, was in zip(now[SUMMARY], before[SUMMARY]):
        if found["median"] > was["median"] + ALLOWED_RISE:
            problems.append(f"{was['what']}: median error {percent(found['median'])}, {percent(was['median'])} before")
    for name, kinds in before.items():
        if name in (CALIBRATION, SUMMARY):
            continue
        for kind, was in kinds.items():
            found = now.get(name, {}).get(kind)
            if found is None:
                problems.append(f"{name}: no {kind} any more")
            elif kind == "fits" and found["right"] < was["right"] - ALLOWED_FALL:
                problems.append(f"{name}: {percent(found['right'])} of the verdicts right, {percent(was['right'])} before")
            elif kind != "fits" and found["median"] > was["median"] + ALLOWED_RISE:
                problems.append(f"{name}: median error of {kind} {percent(found['median'])}, {percent(was['median'])} before")
    return problems


def main():
    meshgauge, write = sys.argv[1], "--write" in sys.argv[2:]
    now = predictions(meshgauge)
    if write:
        BASELINE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        for path, text in documents_with(now).items():
            path.write_text(text, encoding="utf-8")
        return
    before = json.loads(BASELINE.read_text(encoding="utf-8"))
    problems = worse(now, before)
    problems += [f"{path.relative_to(ROOT)} does not show bench/accuracy/baseline.json"
                 for path, text in documents_with(before).items() if path.read_text(encoding="utf-8") != text]
    if problems:
        sys.exit("\n".join(problems) + "\nIf this is meant, run with --write and say why in the commit.")
    print(table_of(now))


if __name__ == "__main__":
    main()
