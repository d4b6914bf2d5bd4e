"""Converters from published tables of measured runs to the JSON Lines that `meshgauge validate` reads.

KINDS: name of a kind of table, columns that give it away, and a function that takes all rows of a table and returns the
function that turns one row into a line.
"""

from . import field_cases, fms_acceleration, megatron_goldens, published, resource_tables, simumax, timings

KINDS = (
    ("Megatron-LM goldens", {"mem_max_second_logged", "vocab_padded", "dist_opt"}, megatron_goldens.prepare),
    ("fms-acceleration", {"framework_config", "foak", "nvidia_smi_mib"}, fms_acceleration.prepare),
    ("resource tables", {"peak_gb", "peak_unit", "trainable_params"}, resource_tables.prepare),
    ("SimuMax runs", {"alloc_mib_by_rank", "peak_mem_own_run", "step_time_s"}, simumax.prepare),
    ("field cases", {"observed_kind", "observed_value", "what_was_run"}, field_cases.prepare),
    ("collective timings", {"collective", "n_ranks", "busbw_gbs"}, timings.prepare_collectives),
    ("kernel timings", {"op", "m", "n", "k", "seconds"}, timings.prepare_kernels),
    ("published runs", {"model_name", "gpus_total", "micro_batch", "tier", "peak_mem_kind"}, published.prepare),
)
