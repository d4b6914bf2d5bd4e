"""Data-parallel training with torch DistributedDataParallel, in five parts. Started by torchrun."""
import contextlib
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

import settings as job
from model import Decoder, RandomTokens, loss_of, optimizer_of


def main():
    # 1. Join the other ranks: torchrun has set RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    # 2. One GPU for each process.
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = job.PRECISION != "fp32"

    # 3. The model, wrapped: all ranks start from the weights of rank 0, gradients are averaged.
    torch.manual_seed(job.SEED)
    model = Decoder().to(device, torch.bfloat16 if job.PRECISION == "pure_bf16" else None)
    if job.RECOMPUTE == "full":
        for block in model.blocks:
            block.forward = recomputed(block.forward)
    if job.COMPILE:
        model = torch.compile(model)
    model = DistributedDataParallel(model, device_ids=[device.index] if cuda else None)
    if job.REDUCE_DTYPE == "bf16" and job.PRECISION != "pure_bf16":
        from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
        model.register_comm_hook(None, bf16_compress_hook)
    optimizer = optimizer_of(model.parameters())
    scaler = torch.cuda.amp.GradScaler(enabled=cuda and job.PRECISION == "fp16")
    half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(job.PRECISION)

    # 4. The loop: a sampler that gives each rank its own samples, and an update after each global batch.
    accumulation, rest = divmod(job.GLOBAL_BATCH_SIZE, job.MICRO_BATCH_SIZE * world)
    if rest:
        raise SystemExit(f"{world} ranks of {job.MICRO_BATCH_SIZE} do not divide {job.GLOBAL_BATCH_SIZE}")
    data = RandomTokens()
    sampler = DistributedSampler(data, seed=job.SEED)
    loader = DataLoader(data, job.MICRO_BATCH_SIZE, sampler=sampler, drop_last=True)
    step = epoch = 0
    while step < job.STEPS:
        sampler.set_epoch(epoch)  # another order in each epoch, the same on all ranks
        total = torch.zeros((), device=device)
        for index, tokens in enumerate(loader):
            tokens = tokens.to(device)
            last = (index + 1) % accumulation == 0
            with contextlib.nullcontext() if last else model.no_sync():  # gradients travel once a step
                with torch.autocast(device.type, dtype=half, enabled=half is not None):
                    loss = loss_of(model(tokens), tokens) / accumulation
                scaler.scale(loss).backward()
            total += loss.detach()
            if not last:
                continue
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
            dist.all_reduce(total)
            step += 1
            if rank == 0:
                print(f"step {step} loss {total.item() / world:.6f}", flush=True)
            total = torch.zeros((), device=device)
            if step == job.STEPS:
                break
        epoch += 1

    # 5. Leave together. The barrier lets gloo's threads drop the last sums first: they need the interpreter for that,
    # which a group that is being destroyed does not give them.
    dist.barrier()
    dist.destroy_process_group()


def recomputed(forward):
    return lambda x: checkpoint(forward, x, use_reentrant=False)


if __name__ == "__main__":
    main()
