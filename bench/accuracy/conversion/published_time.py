"""Step time of a published run: as printed, from tokens/s, or from a printed FLOP rate whose definition is known."""

from . import clusters
from .rows import number, prefix_of, whole

# Model FLOPs per token, forward and backward, as the source with that id prefix counts them. N: parameters, with or
# without the input embedding; attention in full (12 L h s) or halved for the causal mask (6 L h s).
DEFINITIONS = {
    "aa": ("all", 12), "fa2": ("all", 12), "llmf": ("all", 12), "nemo": ("no input embedding", 12),
    "krt": ("no input embedding", 12), "nan": ("no input embedding", 12), "ttn": ("no input embedding", 12),
    "vp": ("no input embedding", 12), "nml": ("no input embedding", 12), "mbr": ("no input embedding", 6),
    "aut": ("no input embedding", 6), "mgs": ("no input embedding", 12), "zb": ("no input embedding", 12),
}
# Sources whose printed FLOP/s count the second forward pass of full recompute: 96 B s L h^2 (1 + s/6h + V/16Lh)
# (Narayanan et al. 2021, equation 3).
HARDWARE = {"ptd", "pap", "bloom", "bsv"}


def _gated(row):
    hidden, ffn = whole(row["hidden"]), whole(row.get("ffn"))
    return bool(ffn) and ffn != 4 * hidden


def flops_per_token(row, definition):
    which, attention = definition
    layers, hidden, heads = whole(row["layers"]), whole(row["hidden"]), whole(row["heads"])
    kv = whole(row.get("kv_heads")) or heads
    ffn = whole(row.get("ffn")) or 4 * hidden
    vocab = whole(row.get("vocab")) or 50257
    layer = 2 * hidden * hidden * (1 + kv / heads) + (3 if _gated(row) else 2) * hidden * ffn
    parameters = layers * layer + vocab * hidden * (2 if which == "all" else 1)
    return 6 * parameters + attention * layers * hidden * whole(row["seq_len"])


def step_seconds(row, global_batch, gpus, gpu_id, precision):
    """Seconds and how they were had, or (None, None)."""
    seconds = number(row.get("step_time_s"))
    if seconds:
        return seconds, None
    sequence = whole(row["seq_len"])
    rate = number(row.get("tokens_per_s_per_gpu"))
    if rate:
        return round(global_batch * sequence / (rate * gpus), 6), "step time from tokens/s"
    prefix = prefix_of(row)
    if whole(row.get("moe_experts")) or row.get("kind") == "lora-bench":
        return None, None
    tokens = global_batch * sequence
    hardware = number(row.get("hw_tflops_per_gpu"))
    if hardware and prefix in HARDWARE and row.get("recompute") == "full":
        layers, hidden, vocab = whole(row["layers"]), whole(row["hidden"]), whole(row.get("vocab")) or 50257
        flops = 96 * tokens * layers * hidden**2 * (1 + sequence / (6 * hidden) + vocab / (16 * layers * hidden))
        return round(flops / (hardware * 1e12 * gpus), 6), "step time from hardware TFLOP/s, Narayanan 2021 equation 3"
    if prefix not in DEFINITIONS:
        return None, None
    flops = flops_per_token(row, DEFINITIONS[prefix]) * tokens
    model = number(row.get("tflops_per_gpu"))
    if model:
        return round(flops / (model * 1e12 * gpus), 6), "step time from model TFLOP/s as the source counts them"
    mfu, peak = number(row.get("mfu_pct")), clusters.peak_tflops(gpu_id)
    if mfu and peak and precision in ("bf16", "fp16"):
        return round(flops / (mfu / 100 * peak * 1e12 * gpus), 6), "step time from MFU as the source counts it"
    return None, None
