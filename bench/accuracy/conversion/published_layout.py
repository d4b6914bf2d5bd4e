"""Layout of a published run: degrees from the columns, schedule and uneven stages from the notes."""

import re

from . import stages
from .rows import Skip, flag, found, need, number, whole


def schedule_of(row):
    """(schedule, chunks on a rank or None, method) as the notes of pipeline studies say it."""
    notes = row.get("notes", "")
    said = found(r"schedule[= ]([^,;]+)", notes) or ""
    said = said.strip()
    method = (found(r"method=([\w-]+)", notes) or "").lower()
    if method and method not in ("baseline", "redis"):
        raise Skip("vocabulary-parallel schedules are not in the scenario format")
    plain = said.lower()
    names = ((r"^1f1b-i|interleaved", "interleaved"), (r"^1f1b", "1f1b"), (r"^zb-?1p|zb-?h1|zbb", "zb-h1"),
             (r"^zb-?2p|zb-?h2", "zb-h2"), (r"^zb-?v|zbv", "zb-v"), (r"^gpipe", "gpipe"), (r"dualpipe", "dualpipe"))
    algorithm = (found(r"PP algorithm ([\w-]+)", notes) or "").lower()
    for pattern, name in names:
        if re.search(pattern, plain) or (algorithm and re.search(pattern, algorithm)):
            return name, method
    if re.search(r"v-half|v-min", plain + algorithm):
        raise Skip("memory-balanced V schedules are not in the scenario format")
    if "DualPipe" in row.get("framework", ""):
        return "dualpipe", method
    return None, method


def sequence_parallel_of(row):
    """Where nothing is said: Megatron-Core's recipes use it with TP; what came before it did not have it."""
    said = flag(row.get("sp"))
    modern = re.search(r"megatron.?(core|bridge|fsdp)|nemo|mcore|primus|swift|megatron-lm$|torchtitan|nanotron",
                       row.get("framework", "").lower())
    return said if said is not None or modern else False


def split_of(row, layers, pipeline, virtual, schedule, method):
    """stage_layers where the split is uneven, and a remark."""
    notes = row.get("notes", "")
    if pipeline == 1:
        return None, None
    if re.search("aa-scaling|aleph", row.get("framework", "").lower()):
        return stages.uniform_modules(layers, pipeline), None
    chunks = pipeline * virtual
    if method == "redis":
        raise Skip("the source does not say how the layers are redistributed")
    if re.search(r"first and last stage have one fewer layer|embedding and loss counted as layers", notes):
        return stages.counting_ends(layers, pipeline, virtual), None
    if re.search(r"type:transformer\|embed", notes) and (layers + 2) % chunks == 0:
        return stages.counting_ends(layers, pipeline, virtual), None
    return None, None


def layout_of(row, engine, gpus):
    """Parallelism section and remarks."""
    tensor, pipeline = need(row, "tp", "pp")
    context, notes = whole(row.get("cp")) or 1, row.get("notes", "")
    model_parallel = tensor * pipeline * context
    if gpus % model_parallel:
        raise Skip("printed TP x PP x CP does not divide the number of GPUs")
    data, said = gpus // model_parallel, whole(row.get("dp"))
    remarks = []
    replicate = None
    zero = whole(row.get("zero_stage"))
    if re.search(r"Megatron-FSDP sharding|\bFSDP=1\b|FSDP on\b", notes) and engine == "megatron":
        zero = 3
    elif re.search(r"FSDP=0 \(DDP", notes) and zero is None:
        zero = 1
    if said is not None and said != data:
        if zero and data % said == 0:  # for sharded engines the column is the size of the shard group
            replicate = data // said
        else:
            raise Skip("printed degrees do not multiply to the number of GPUs")
    groups = whole(found(r"zero1=(\d+)", notes))
    if groups and data % groups == 0 and groups < data:
        replicate = data // groups
    schedule, method = schedule_of(row)
    layers = whole(row.get("layers"))
    virtual = whole(row.get("vpp"))
    if virtual is None:
        virtual = 1
        if schedule == "interleaved" and layers:
            most = (layers + 2) // pipeline if "max chunks" in notes else None  # one layer in each chunk
            if most is None:
                raise Skip("interleaved schedule without the number of chunks")
            virtual = most
        elif schedule in ("zb-v", "dualpipe"):
            virtual = 2
        elif pipeline > 1:
            remarks.append("vpp not stated")
    if schedule == "interleaved" and virtual == 1:
        schedule = None
    split, remark = split_of(row, layers, pipeline, virtual, schedule, method) if layers else (None, None)
    experts = whole(row.get("moe_experts"))
    chunks = pipeline * virtual
    if split is None and layers and layers % chunks and pipeline > 1:
        remarks.append("how the layers were split is not stated")
        if (layers + 2) % chunks == 0:  # Megatron's way to use such a number: the ends count as layers
            split = stages.counting_ends(layers, pipeline, virtual)
    expert = whole(row.get("ep")) or 1
    folded = whole(found(r"ETP=(\d+)", notes))
    if experts and folded is None and tensor > 1:
        # Megatron-Bridge's recipes set 1; Megatron's default is TP, where it fits.
        if "Bridge" in row.get("framework", "") or (gpus // pipeline) % (expert * tensor):
            folded = 1
            remarks.append("expert tensor parallelism not stated, 1 assumed")
    if experts and (gpus // pipeline) % (expert * (folded or tensor)):
        raise Skip("printed EP does not divide the ranks of a pipeline stage")
    parallelism = {
        "tensor_parallel_size": tensor,
        "sequence_parallel": sequence_parallel_of(row) if tensor > 1 else None,
        "pipeline_parallel_size": pipeline,
        "virtual_pipeline_size": virtual if virtual > 1 else None,
        "pipeline_schedule": schedule if pipeline > 1 else None,
        "stage_layers": split,
        "context_parallel_size": context,
        "expert_parallel_size": expert if experts else None,
        "expert_tensor_parallel_size": folded if experts else None,
        "data_parallel_replicate_size": replicate,
        "zero_stage": zero,
    }
    return parallelism, [*remarks, remark]
