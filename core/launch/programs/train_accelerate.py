"""Training with Hugging Face accelerate, in five parts. Started by accelerate launch; accelerate.yaml says how."""
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader

import settings as job
from model import Decoder, RandomTokens, loss_of, optimizer_of


def main():
    # 1. and 2. Join the other ranks, one GPU for each process.
    accelerator = Accelerator(gradient_accumulation_steps=job.ACCUMULATION)
    torch.backends.cuda.matmul.allow_tf32 = job.PRECISION != "fp32"

    # 3. The model and its optimizer, wrapped as accelerate.yaml says.
    set_seed(job.SEED)
    model = Decoder()
    if job.RECOMPUTE == "full" and not accelerator.state.fsdp_plugin:  # FSDP checkpoints by itself
        for block in model.blocks:
            block.forward = recomputed(block.forward)
    loader = DataLoader(RandomTokens(), job.MICRO_BATCH_SIZE, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer_of(model.parameters()), loader)

    # 4. The loop: accelerate cuts the data over the ranks and holds back the reduction until the last micro-batch.
    step = epoch = 0
    while step < job.STEPS:
        loader.set_epoch(epoch)
        for tokens in loader:
            with accelerator.accumulate(model):
                loss = loss_of(model(tokens), tokens)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                step += 1
                mean = accelerator.reduce(loss.detach(), "mean")
                accelerator.print(f"step {step} loss of the last micro-batch {mean.item():.6f}", flush=True)
            if step == job.STEPS:
                break
        epoch += 1

    # 5. Leave together.
    accelerator.end_training()


def recomputed(forward):
    return lambda x: checkpoint(forward, x, use_reentrant=False)


if __name__ == "__main__":
    main()
