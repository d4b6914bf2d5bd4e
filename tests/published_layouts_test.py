#!/usr/bin/env python3
"""Where published layouts rank among all that the planner finds: the table in docs/planner.md is true.

Usage: published_layouts_test.py MESHGAUGE [--write | --all]. Each run's model, cluster, engine, batch and number format
stay; its layout is opened and compared with the best. Without an option the short searches alone are compared with the
table; --write makes the whole table anew."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
sys.dont_write_bytecode = True

from marked_tables import with_table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "planner.md"
RUNS = ROOT / "bench" / "accuracy" / "published-runs.csv"
TABLE = "published layouts"

# Name, where its layout stands: a row of the published runs, a case of the handbook, or the scenario itself; and whether
# its search is short enough for every test run.
LAYOUTS = (
    ("GPT-3 175B, Narayanan et al. 2021", "ptd-019", True),
    ("1T, Korthikanti et al. 2022", "krt-008", True),
    ("MT-NLG 530B, Smith et al. 2022", "handbook:mt-nlg-layout", False),
    ("Llama 3.1 405B, Llama team 2024", "handbook:405b-layout", False),
    ("Llama 3.1 405B, MLPerf 5.0", "mlp-024", False),
    ("GPT-3 175B, MLPerf 4.0", "mlp-012", False),
    ("Llama 3.1 70B, NVIDIA DGX Cloud", "dgxc-002", False),
    ("Grok-1 314B, NVIDIA DGX Cloud", "dgxc-079", False),
    ("MPT-70B, llm-foundry", "llmf-002", True),
    ("Llama 3 70B, torchtitan", "ttn-039", True),
)


def published_scenarios():
    lines = subprocess.run([sys.executable, "-B", str(ROOT / "bench" / "accuracy" / "convert.py"), str(RUNS)],
                           capture_output=True, text=True, check=True).stdout
    return {run["id"]: run["scenario"] for run in map(json.loads, lines.splitlines()) if "scenario" in run}


def plan(meshgauge, scenario):
    schedules = ["--all-schedules"] if isinstance(scenario, dict) and "dualpipe" in json.dumps(scenario) else []
    given = [scenario] if isinstance(scenario, str) else ["-"]
    run = subprocess.run([meshgauge, "plan", *given, "--open", "--top", "1", "--json", *schedules],
                         input=None if isinstance(scenario, str) else json.dumps(scenario), capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"meshgauge plan ends with {run.returncode}\n{run.stderr}{run.stdout[:2000]}")
    return json.loads(run.stdout)


def seconds(value):
    return f"{value:.3g} s"


def reason(answer):
    terms = sorted(answer["against"]["by_term"].items(), key=lambda term: -abs(term[1]))
    least = 0.005 * answer["plans"][0]["step_seconds"]
    said = [f"{name.replace('_', ' ')} {'+' if value > 0 else '-'}{seconds(abs(value))}"
            for name, value in terms[:3] if abs(value) >= least]
    return ", ".join(said) or "the same"


def row(name, answer):
    given, grids = answer["against"], answer["search"]["grids"]
    fits = "" if given["fits"] else ", would not fit"
    if not answer["fits"]:
        return f"| {name} | {given['layout']} | {seconds(given['step_seconds'])}{fits} | nothing fits | | | |\n"
    best = answer["plans"][0]
    less = 100 * given["slower_seconds"] / given["step_seconds"]
    share = 100 * given["grids_with_faster"] / grids
    return (f"| {name} | {given['layout']} | {seconds(given['step_seconds'])}{fits} | {best['layout']} | "
            f"{seconds(best['step_seconds'])} ({less:.1f} % less) | {given['grids_with_faster']:,} of {grids:,} "
            f"({share:.2g} %) | {reason(answer)} |\n")


def main():
    meshgauge, everything = sys.argv[1], len(sys.argv) > 2
    scenarios = published_scenarios()
    text = DOCUMENT.read_text()
    rows = []
    for name, source, short in LAYOUTS:
        if not short and not everything:
            continue
        scenario = scenarios[source] if isinstance(source, str) and source in scenarios else source
        rows.append(row(name, plan(meshgauge, scenario)))
        if "--write" not in sys.argv and rows[-1] not in text:
            sys.exit(f"docs/planner.md has another row than\n{rows[-1]}Run this test with --write, and judge the change.")
        print(rows[-1], end="", flush=True)
    if "--write" in sys.argv:
        head = ("| run | published layout | its step | best found | its step | grids with a faster layout | "
                "more in the published one |\n|---|---|---|---|---|---|---|\n")
        DOCUMENT.write_text(with_table(text, TABLE, head + "".join(rows)))


main()
