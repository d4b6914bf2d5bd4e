"""How Megatron splits layers over pipeline stages and their virtual chunks."""

from .rows import Skip


def layout_chunks(layout):
    """Number of model chunks in a --pipeline-model-parallel-layout such as Et*3|(tt|)*6mL."""
    text = layout.replace("\\", "").replace(",", "").replace(" ", "")
    depth, bars, group_bars, i = 0, 0, 0, 0
    while i < len(text):
        c = text[i]
        if c == "(":
            depth, group_bars = depth + 1, 0
        elif c == ")":
            depth -= 1
            times, end = 1, i + 1
            if end < len(text) and text[end] == "*":
                end += 1
                start = end
                while end < len(text) and text[end].isdigit():
                    end += 1
                times = int(text[start:end] or 1)
            bars += group_bars * times
            i = end - 1
        elif c == "|":
            if depth:
                group_bars += 1
            else:
                bars += 1
        i += 1
    if depth:
        raise Skip(f"pipeline layout {layout} is not understood")
    return bars + 1


def first_and_last(layers, pipeline, virtual, first, last):
    """Layers of every chunk in model order under --decoder-first/last-pipeline-num-layers."""
    others = pipeline - (first is not None) - (last is not None)
    rest = layers - (first or 0) - (last or 0)
    if others <= 0 or rest % (others * virtual) or (first or 0) % virtual or (last or 0) % virtual:
        raise Skip(f"{layers} layers do not split over {pipeline} stages with {first} and {last} at the ends")
    per_rank = [rest // others] * pipeline
    if first is not None:
        per_rank[0] = first
    if last is not None:
        per_rank[-1] = last
    return [n // virtual for n in per_rank] * virtual


def counting_ends(layers, pipeline, virtual, embedding=True, loss=True):
    """Chunks where embedding and loss count as one layer each (--account-for-embedding/loss-in-pipeline-split)."""
    chunks = pipeline * virtual
    total = layers + embedding + loss
    if total % chunks:
        raise Skip(f"{layers} layers and the counted ends do not split over {chunks} chunks")
    each = [total // chunks] * chunks
    each[0] -= embedding
    each[-1] -= loss
    return each


def uniform_modules(layers, pipeline):
    """Layers of each stage where embedding, layers, final norm and head are dealt out as equals, the first stages
    getting the rest (Aleph-Alpha/scaling pipeline_partitioning.py pipe_partition_uniform)."""
    each, rest = divmod(layers + 3, pipeline)
    counts = [each + (stage < rest) for stage in range(pipeline)]
    counts[0] -= 1
    short = 2  # norm and head, from the last stage on backwards
    for stage in reversed(range(pipeline)):
        taken = min(short, counts[stage])
        counts[stage] -= taken
        short -= taken
    return counts
