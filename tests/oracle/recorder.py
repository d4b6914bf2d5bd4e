"""Records every tensor that autograd saves, by storage, under the name of the ledger line it belongs to."""

import contextlib
import itertools

import torch
from torch.profiler import ProfilerActivity, profile


class Recorder:
    def __init__(self, uncounted):
        self.uncounted = {storage_of(tensor) for tensor in uncounted}
        self.alive = list(uncounted)  # an address must not be given out twice while it is a key
        self.claims = {}  # storage -> line
        self.saved = {}  # storage -> (line, bytes)
        self.current = "unnamed"

    def pack(self, tensor):
        key = storage_of(tensor)
        # Numbers of no dimension (a scale) live on the host.
        if tensor.dim() > 0 and key not in self.uncounted and key not in self.saved:
            self.saved[key] = (self.claims.get(key, self.current), storage(tensor).nbytes())
        self.alive.append(tensor)
        return tensor

    @contextlib.contextmanager
    def line(self, name):
        """What is saved inside, and was not claimed, belongs to this line."""
        before, self.current = self.current, name
        yield
        self.current = before

    def claim(self, name, tensor):
        """This tensor, if anything saves it, belongs to this line."""
        self.claims.setdefault(storage_of(tensor), name)
        self.alive.append(tensor)
        return tensor

    def hooks(self):
        return torch.autograd.graph.saved_tensors_hooks(self.pack, lambda tensor: tensor)

    def sums(self):
        sums = {}
        for name, count in self.saved.values():
            sums[name] = sums.get(name, 0) + count
        return sums


def storage(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()  # torch 2, torch 1


def storage_of(tensor):
    return storage(tensor).data_ptr()


def recorded(model, hidden, sequence):
    """Runs the model forward and returns bytes by line. The backward pass shows that nothing was forgotten."""
    shared = model.shared(sequence)
    recorder = Recorder([hidden, *model.parameters(), *shared])
    with recorder.hooks():
        out = model(hidden, shared, recorder)
    out.float().sum().backward()
    assert hidden.grad is not None and all(p.grad is not None for p in model.parameters())
    return recorder.sums()


def peak_bytes(work):
    """The most memory that `work` has allocated at once, of what it allocates itself."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work()
    changes = [e.nbytes() for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
    assert changes
    return max(itertools.accumulate(changes))
