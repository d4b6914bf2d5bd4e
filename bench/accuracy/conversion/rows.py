"""Cells of a CSV row as values, and the lines that a row becomes."""

import re

GIB = 2**30
MIB = 2**20


class Skip(Exception):
    """The row cannot be expressed; the text says why."""


def whole(text):
    """A cell as a whole number, or None where the source says nothing."""
    value = number(text)
    if value is None or value != int(value):
        return None
    return int(value)


def number(text):
    text = (text or "").strip().replace(",", "")
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def flag(text):
    """"1"/"0" (also true/false, yes/no) as a boolean, None where nothing is said."""
    text = (text or "").strip().lower()
    if text in ("1", "1.0", "true", "yes"):
        return True
    if text in ("0", "0.0", "false", "no"):
        return False
    return None


def need(row, *columns):
    """The named whole numbers; skips the row if one is blank."""
    missing = [c for c in columns if whole(row.get(c)) is None]
    if missing:
        raise Skip("the source does not state " + ", ".join(missing))
    values = tuple(whole(row[c]) for c in columns)
    return values[0] if len(values) == 1 else values


def found(pattern, text, group=1):
    match = re.search(pattern, text or "", re.IGNORECASE)
    return match.group(group) if match else None


def prefix_of(row):
    """The table or the paper that a published run comes from, as its id begins."""
    return row["id"].split("-")[0]


def run_family(row):
    """The repository or the paper that a row of a table comes from."""
    return row["source"].split("@")[0].split(":")[0].split("/")[-1].strip() or prefix_of(row)


def clean(section):
    """Without the entries that are not known."""
    return {key: value for key, value in section.items() if value is not None}


def run(row, family, model, cluster, parallelism, training, measured, notes, source=None):
    if not measured:
        raise Skip("no memory, no time and no out-of-memory verdict")
    return {
        "id": row["id"],
        "source": source or row.get("source") or row.get("source_path", ""),
        "family": family,
        "scenario": {
            "schema_version": 1,
            "model": model,
            "cluster": clean(cluster),
            "parallelism": clean(parallelism),
            "training": clean(training),
        },
        "measured": measured,
        "notes": "; ".join(n for n in notes if n),
    }
