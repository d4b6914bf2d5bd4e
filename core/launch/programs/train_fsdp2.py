"""Sharded training with PyTorch FSDP2 (torch 2.6 or later), in five parts. Started by torchrun."""
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

import settings as job
from model import Decoder, RandomTokens, initialise, loss_of, optimizer_of

DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


def main():
    # 1. Join the other ranks: torchrun has set RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
    cuda = torch.cuda.is_available()
    dist.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    # 2. One GPU for each process.
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = job.PRECISION != "fp32"

    # 3. The model, sharded block by block before it takes memory. With replicas the mesh has two dimensions (HSDP).
    shards = world // job.REPLICAS
    names = ("replicate", "shard") if job.REPLICAS > 1 else ("shard",)
    mesh = init_device_mesh(device.type, (job.REPLICAS, shards) if job.REPLICAS > 1 else (shards,), mesh_dim_names=names)
    policy = {
        "mesh": mesh,
        "reshard_after_forward": job.RESHARD_AFTER_FORWARD,
        "mp_policy": MixedPrecisionPolicy(param_dtype=DTYPES.get(job.PRECISION), reduce_dtype=DTYPES[job.REDUCE_DTYPE]),
        "offload_policy": CPUOffloadPolicy() if job.CPU_OFFLOAD else OffloadPolicy(),
    }
    start = torch.device("cpu") if job.CPU_OFFLOAD else device
    torch.manual_seed(job.SEED)
    with torch.device(start if job.TIED else "meta"):  # tied weights would come apart on the meta device
        model = Decoder()
    if job.PRECISION == "pure_bf16":
        model.to(torch.bfloat16)
    for index, block in enumerate(model.blocks):
        if job.RECOMPUTE == "full":
            block = model.blocks[index] = checkpoint_wrapper(block)
        if job.COMPILE:
            block.compile()
        fully_shard(block, **policy)
    del policy["reshard_after_forward"]  # the root is needed again at once: it keeps its own default
    fully_shard(model, **policy)
    if not job.TIED:
        model.to_empty(device=start)
        model.apply(initialise)
    optimizer = optimizer_of(model.parameters())

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
            loss = loss_of(model(tokens), tokens) / accumulation
            loss.backward()  # each micro-batch reduces: holding back would keep whole gradients on each rank
            total += loss.detach()
            if not last:
                continue
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            dist.all_reduce(total)
            step += 1
            if rank == 0:
                print(f"step {step} loss {total.item() / world:.6f}", flush=True)
            total = torch.zeros((), device=device)
            if step == job.STEPS:
                break
        epoch += 1

    # 5. Leave together.
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
