#!/usr/bin/env python3
"""The tables of docs/scenario.md and docs/models.md are what the program says of itself.

Usage: document_tables.py MESHGAUGE [--write]. --write brings the documents up to date. The lines of memory and the
transfers are collected from answers to SCENARIOS; an id in the sources that none of them shows is an error: add one."""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
sys.dont_write_bytecode = True

from document_scenarios import SCENARIOS  # noqa: E402
from marked_tables import with_table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT = ROOT / "core" / "count"
SECTIONS = (("model", ("/schema_version", "/model")), ("cluster", ("/cluster/",)), ("parallelism", ("/parallelism/",)),
            ("training", ("/training/",)), ("run", ("/run/",)))


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(cell, line)) + " |\n" for line in lines)


def code(text):
    return f"`{text}`"


def number(value):
    return f"{value:,.0f}" if 10 <= value < 1e9 else f"{value:g}"


def allowed(field):
    if field["options"]:
        return ", ".join(map(code, field["options"]))
    unit = f" {field['unit']}" if field["unit"] else ""
    if field["min"] is not None:
        return f"{number(field['min'])} to {number(field['max'])}{unit}"
    return unit.strip()


def fields_of(description, prefixes):
    chosen = [f for f in description["fields"] if f["path"].startswith(prefixes)]
    return table(("field", "type", "allowed", "default", "what it says"),
                 [(code(f["path"]), f["type"], allowed(f), f["default"], f["help"]) for f in chosen])


def degrees(engine):
    names = {"tensor_parallel": "TP", "pipeline_parallel": "PP", "context_parallel": "CP", "expert_parallel": "EP"}
    return ", ".join(short for key, short in names.items() if engine[key])


def engines(description):
    return table(("engine", "software", "cuts by", "ZeRO stages (default)", "source"),
                 [(code(e["id"]), f"{e['name']}, {e['version']}", degrees(e),
                   f"{', '.join(map(str, e['zero_stages']))} ({e['default_zero_stage']})", e["source"])
                  for e in description["engines"]])


def meanings():
    """What letters stand for: the page's list is the only one."""
    text = (ROOT / "web/src/text/symbols.ts").read_text(encoding="utf-8").split("};")[0]
    return dict(re.findall(r"^  '?([\w.]+)'?: '(.*)',$", text, re.M))


def memory(answers, words, categories):
    """Rows by category. A line that several categories have (the tensors of a rebuilt layer) stands in the first."""
    rows = {category: {} for category in categories}
    lines = [line for answer in answers for stage in answer["memory"]["stages"] for line in stage["lines"] + stage["other_lines"]]
    for line in sorted(lines, key=lambda line: categories.index(line["category"])):
        own = [f"{s}: {words[key]}" for s in line["values"] if (key := f"{line['id']}.{s}") in words]
        missing = [s for s in line["values"] if f"{line['id']}.{s}" not in words and s not in words]
        if missing:
            sys.exit(f"{line['id']}: no meaning of {missing} in web/src/text/symbols.ts")
        key = line["id"], line["formula"]
        home = next((known for known in rows.values() if key in known), rows[line["category"]])
        row = home.setdefault(key, ([line["name"]], code(line["formula"]), "; ".join(own), []))
        for text, texts in ((line["name"], row[0]), (line["source"], row[3])):
            if text not in texts:
                texts.append(text)
    compare("lines of memory", {id for known in rows.values() for id, _ in known},
            re.findall(r'sink\.add\(\s*\{"([a-z0-9_]+)"', sources("*.hpp")))
    head = ("line", "what", "bytes", "letters of its own", "source")
    return {category: table(head, [(code(id), " or ".join(names), formula, own, "; ".join(where))
                                   for (id, _), (names, formula, own, where) in known.items()])
            for category, known in rows.items()}


def transfers(answers):
    """By group and source, since most of them come in families."""
    seen = {}
    for answer in answers:
        for t in answer["traffic"]:
            for values, key in zip(seen.setdefault(t["id"], ([], [], [], [])), ("group", "collective", "when", "source")):
                if t[key] not in values:
                    values.append(t[key])
    compare("transfers", seen, re.findall(r'"([a-z0-9]+(?:_[a-z0-9]+)+)"', sources("traffic_*.cpp")))
    rows = {}
    for id, (groups, collectives, when, where) in seen.items():
        text = f"{code(id)} ({' or '.join(collectives)}, {' or '.join(when)})"
        rows.setdefault((", ".join(groups), "; ".join(where)), []).append(text)
    return table(("group", "transfers (collective, when)", "source"),
                 [(group, ", ".join(row), where) for (group, where), row in sorted(rows.items())])


def compare_constants(text):
    """Constants that a document quotes as `name = value` are those of the default profile."""
    profile = "".join((ROOT / "core" / "price" / name).read_text(encoding="utf-8") for name in ("profile.cpp", "profile.hpp"))
    wrong = [quoted for quoted in re.findall(r"`(\w+ = [\d.]+)`", text) if not re.search(rf"\b{re.escape(quoted)}(?![.\d])", profile)]
    if wrong:
        sys.exit(f"docs/models.md quotes what core/price/profile.cpp does not say: {', '.join(wrong)}")


def sources(pattern):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(COUNT.glob(pattern)))


def compare(what, shown, written):
    missing = sorted(set(written) - set(shown))
    if missing:
        sys.exit(f"{what} that no scenario of tests/support/document_scenarios.py shows: {', '.join(missing)}")


def figures(list_of_figures, name):
    return table(("", "formula", "source"), [(f[name], code(f["formula"]), f["source"]) for f in list_of_figures])


def ask(meshgauge, *arguments, request=None):
    answer = subprocess.run([meshgauge, *arguments, "--json"], input=request, capture_output=True, text=True)
    if answer.returncode > 1:
        sys.exit(f"meshgauge {' '.join(arguments)}: {answer.stderr or answer.stdout}\n{request}")
    return json.loads(answer.stdout)


def main():
    meshgauge, write = sys.argv[1], "--write" in sys.argv[2:]
    description, words = ask(meshgauge, "describe"), meanings()
    answers = [ask(meshgauge, "estimate", "-", "--explain", request=json.dumps(s)) for s in SCENARIOS]
    run = next(answer["run"] for answer in answers if answer["run"])

    documents = {"docs/scenario.md": {f"fields of {name}": fields_of(description, prefixes) for name, prefixes in SECTIONS}}
    documents["docs/models.md"] = {
        "engines": engines(description),
        "letters": table(("letter", "stands for"), [(code(s), m) for s, m in words.items() if "." not in s]),
        "transfers": transfers(answers),
        "conventions": figures(answers[0]["step"]["mfu_by_convention"], "name"),
        "run": figures(run["figures"], "name"),
    } | {f"memory: {category}": rows for category, rows in memory(answers, words, description["categories"]).items()}
    compare_constants((ROOT / "docs/models.md").read_text(encoding="utf-8"))
    stale = []
    for name, tables in documents.items():
        path = ROOT / name
        before = text = path.read_text(encoding="utf-8")
        for marked, rows in tables.items():
            text = with_table(text, marked, rows)
        if write:
            path.write_text(text, encoding="utf-8")
        elif text != before:
            stale.append(name)
    if stale:
        sys.exit(f"not up to date: {', '.join(stale)}. Run tests/document_tables.py MESHGAUGE --write.")


if __name__ == "__main__":
    main()
