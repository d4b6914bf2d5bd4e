"""Training with DeepSpeed ZeRO, in five parts. Started by torchrun; ds_config.json says what is sharded."""
import os

import deepspeed
import torch
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

import settings as job
from model import Decoder, RandomTokens, loss_of


def main():
    # 1. and 2. Join the other ranks, one GPU for each process.
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.backends.cuda.matmul.allow_tf32 = job.PRECISION != "fp32"
    deepspeed.init_distributed()

    # 3. The model and its optimizer, sharded as ds_config.json says; at stage 3 from the first parameter on.
    torch.manual_seed(job.SEED)
    with deepspeed.zero.Init(config_dict_or_path="ds_config.json", enabled=job.ZERO_STAGE == 3):
        model = Decoder()
    if job.RECOMPUTE == "full":
        for block in model.blocks:
            block.forward = recomputed(block.forward)
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")

    # 4. The loop: the engine counts micro-batches and updates after train_batch_size samples.
    data = RandomTokens()
    sampler = DistributedSampler(data, seed=job.SEED)
    loader = DataLoader(data, engine.train_micro_batch_size_per_gpu(), sampler=sampler, drop_last=True)
    epoch = 0
    while engine.global_steps < job.STEPS:
        sampler.set_epoch(epoch)
        for tokens in loader:
            tokens = tokens.to(engine.device)
            loss = loss_of(engine(tokens), tokens)
            engine.backward(loss)
            engine.step()
            if engine.is_gradient_accumulation_boundary() and engine.global_rank == 0:
                print(f"step {engine.global_steps} loss of the last micro-batch {loss.item():.6f}", flush=True)
            if engine.global_steps == job.STEPS:
                break
        epoch += 1

    # 5. Leave together.
    torch.distributed.destroy_process_group()


def recomputed(forward):
    return lambda x: checkpoint(forward, x, use_reentrant=False)


if __name__ == "__main__":
    main()
