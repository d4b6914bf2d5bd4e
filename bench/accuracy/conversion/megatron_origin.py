"""Where a golden value of Megatron-LM comes from: GPU, core version, copies, and rows that cannot be used."""

import re

from .rows import Skip, flag, whole

# Clusters by name, for rows whose file name has no GPU. Goldens from before the platform was part of the name (no GPU
# at all) were made on the A100 nodes that the tests then ran on.
CLUSTER_GPUS = {"dracooci": "a100", "dracooci-ord": "a100", "eos": "h100", "coreweave": "h100", "dgxc": "h100"}

# The main branch at a date is what the next core release became: first date that no longer belongs to it, version.
CORE_VERSIONS = (("2025-03-14", "0.11"), ("2025-05-20", "0.12"), ("2025-07-24", "0.13"), ("2025-10-08", "0.14"),
                 ("2025-12-18", "0.15"), ("2026-02-27", "0.16"))
RESTRUCTURED = "2025-10-21"  # files moved that day: the numbers are older, of the release before


def choose_copies(rows):
    """Of rows with the same numbers the earliest is kept. Id of a left-out row -> id of the kept one."""
    by_path = {row["source_path"].split("test_cases/")[-1]: row for row in rows if row.get("source_path")}
    order = {row["id"]: position for position, row in enumerate(rows)}
    kept = {}
    for row in rows:
        copies = [by_path[p] for p in (row.get("same_values_as") or "").split() if p in by_path]
        group = [other for other in copies if not other.get("stale")] + [row]
        first = min(group, key=lambda r: (r.get("golden_date", ""), order[r["id"]]))
        if first is not row:
            kept[row["id"]] = first["id"]
    return kept


def refuse(row, kept):
    if row.get("stale"):
        raise Skip("stale: committed beside a configuration that did not produce the numbers")
    if row["id"] in kept:
        raise Skip("same values as another row, counted once")
    if row.get("hybrid_pattern"):
        raise Skip("state-space layers (hybrid pattern) are not in the scenario format")
    if row.get("family", "").startswith(("multimodal", "mimo")):
        raise Skip("multimodal: the vision encoder and frozen parts are not in the scenario format")
    if row.get("mode") == "rl":
        raise Skip("reinforcement learning: reference weights and inference buffers are not in the scenario format")
    if "freeze" in row.get("test_case", ""):  # a "frozen resume" starts from a stored checkpoint and freezes nothing
        raise Skip("frozen parameters are not in the scenario format")
    if "distill" in row.get("test_case", ""):
        raise Skip("distillation: the teacher is not in the scenario format")
    if row.get("moe_latent"):
        raise Skip("latent mixture of experts is not in the scenario format")
    if row.get("decoder_seq_len") and row["decoder_seq_len"] != row.get("seq_len"):
        raise Skip("encoder and decoder have different sequence lengths, the scenario has one")
    if flag(row.get("quick_geglu")):
        raise Skip("quick GEGLU is not in the scenario format")
    if not whole(row.get("n_gpus")):
        raise Skip("the number of GPUs is not public")


def version_of(row):
    said = re.match(r"\d+\.\d+(\.\d+)?", row.get("version") or "")
    if said:
        return said.group(0)
    date = row.get("golden_date") or ""
    if date == RESTRUCTURED:
        return "0.14"
    return next((version for end, version in CORE_VERSIONS if date < end), None) if date else None


def gpu_name(row):
    """GPU of the row and a remark where it is not written in it."""
    if row.get("gpu"):
        return row["gpu"], None
    named = re.search(r"dgx_?(a100|h100|b200|gb200|gb300)", row["id"])
    if named:
        return named.group(1), None
    if row.get("cluster") in CLUSTER_GPUS:
        return CLUSTER_GPUS[row["cluster"]], f"GPU taken from the cluster {row['cluster']}"
    return "a100", "GPU not named, A100 assumed"
