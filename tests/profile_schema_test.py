#!/usr/bin/env python3
"""docs/schemas/profile.schema.json against the profiles that are written and the fields that are read:
profile_schema_test.py MESHGAUGE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("no jsonschema")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "profile.schema.json").read_text())
SCENARIO = {"model": "llama-2-7b", "cluster": {"gpu": "a100-sxm-80gb", "gpus": 8}}


def log():
    lines = [f"#  Rank  {r} Group  0 Pid  {r + 1} on node-0 device  {r} [0x07] NVIDIA A100-SXM4-80GB" for r in range(8)]
    lines += ["#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"]
    for power in range(10, 30):
        size = 2**power
        us = 1.2 * (20 + size / 130e3)
        lines.append(f"{size:12} {size // 4:12}     float     sum      -1 {us:8.2f} {size / us / 1e3:7.2f} {size / us / 571.4:7.2f}      0 "
                     f"{us:8.2f} {size / us / 1e3:7.2f} {size / us / 571.4:7.2f}      0")
    return "\n".join(lines) + "\n"


def main():
    meshgauge = sys.argv[1]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)

    fields = set(re.findall(r'(?:rate|share|ceiling|seconds|bytes|amount|speed|spread)\("([a-z0-9_]+)"',
                            (ROOT / "core" / "io" / "profile_fields.hpp").read_text()))
    fields |= {"time_low", "time_high"}
    missing, unknown = fields - set(SCHEMA["properties"]), set(SCHEMA["properties"]) - fields
    unknown -= {"schema_version", "name", "collectives", "products", "runs", "fitted_from"}
    if missing or unknown or len(fields) < 40:
        sys.exit(f"not in the schema: {sorted(missing)}; in it, but read by nobody: {sorted(unknown)}")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "a.log").write_text(log())
        (folder / "run.json").write_text(json.dumps(SCENARIO))
        subprocess.run([meshgauge, "calibrate", folder / "a.log", "--run", folder / "run.json", "--step-seconds", "3",
                        "--reserved", "60GiB", "--out", folder / "profile.json"], check=True, capture_output=True)
        profile = json.loads((folder / "profile.json").read_text())
    validator.validate(profile)
    for table in ("collectives", "runs"):
        if not profile.get(table):
            sys.exit(f"the profile holds no {table}")
    profile["hbm_bytes_per_second"] = -1
    if validator.is_valid(profile):
        sys.exit("a negative bandwidth is taken")


if __name__ == "__main__":
    main()
