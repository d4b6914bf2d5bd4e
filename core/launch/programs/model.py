"""A decoder with the sizes of the scenario. Put your own model here: what trains it takes any module."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

import settings as job


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)
        return (x.float() * scale).to(x.dtype) * self.weight


def norm():
    return RMSNorm(job.HIDDEN) if job.NORM == "rmsnorm" else nn.LayerNorm(job.HIDDEN)


def rotate(x):
    """Rotary position embedding of [batch, heads, sequence, width]."""
    half = x.shape[-1] // 2
    rates = 1.0 / (10000.0 ** (torch.arange(half, device=x.device) / half))
    angles = torch.outer(torch.arange(x.shape[-2], device=x.device), rates)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def attend(q, k, v):
    if job.ATTENTION != "unfused" and hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    future = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(future, float("-inf")).softmax(-1).to(v.dtype) @ v


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(job.HIDDEN, job.HEADS * job.HEAD_DIM, bias=job.BIAS_QKV)
        self.k = nn.Linear(job.HIDDEN, job.KV_HEADS * job.HEAD_DIM, bias=job.BIAS_QKV)
        self.v = nn.Linear(job.HIDDEN, job.KV_HEADS * job.HEAD_DIM, bias=job.BIAS_QKV)
        self.out = nn.Linear(job.HEADS * job.HEAD_DIM, job.HIDDEN, bias=job.BIAS_ATTENTION_OUT)

    def forward(self, x):
        batch, sequence, _ = x.shape
        q, k, v = (m(x).view(batch, sequence, -1, job.HEAD_DIM).transpose(1, 2) for m in (self.q, self.k, self.v))
        if job.POSITION == "rope":
            q, k = rotate(q), rotate(k)
        k, v = (t.repeat_interleave(job.HEADS // job.KV_HEADS, 1) for t in (k, v))
        return self.out(attend(q, k, v).transpose(1, 2).reshape(batch, sequence, -1))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(job.HIDDEN, job.FFN, bias=job.BIAS_MLP)
        self.gate = nn.Linear(job.HIDDEN, job.FFN, bias=job.BIAS_MLP) if job.GATED else None
        self.down = nn.Linear(job.FFN, job.HIDDEN, bias=job.BIAS_MLP)

    def forward(self, x):
        activation = getattr(F, job.ACTIVATION)
        return self.down(activation(self.gate(x)) * self.up(x) if self.gate else activation(self.up(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.attention, self.norm_2, self.mlp = norm(), Attention(), norm(), MLP()

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(job.VOCABULARY, job.HIDDEN)
        self.positions = nn.Embedding(job.POSITION_ROWS, job.HIDDEN) if job.POSITION == "learned" else None
        self.blocks = nn.ModuleList(Block() for _ in range(job.LAYERS))
        self.norm = norm()
        self.head = nn.Linear(job.HIDDEN, job.VOCABULARY, bias=False)
        if job.TIED:
            self.head.weight = self.tokens.weight
        self.apply(initialise)

    def forward(self, tokens):
        x = self.tokens(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def initialise(module):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
    if isinstance(module, (RMSNorm, nn.LayerNorm)):
        nn.init.ones_(module.weight)
        if isinstance(module, nn.LayerNorm):
            nn.init.zeros_(module.bias)


def loss_of(logits, tokens):
    """Next-token cross entropy, a mean over the tokens of the micro-batch."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())


class RandomTokens(torch.utils.data.Dataset):
    """The same tokens wherever they are read. Put your own data here."""

    def __len__(self):
        return job.STEPS_PER_EPOCH * job.GLOBAL_BATCH_SIZE

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randint(job.VOCABULARY, (job.SEQUENCE_LENGTH,), generator=generator)


def optimizer_of(parameters):
    if job.OPTIMIZER == "adamw":
        return torch.optim.AdamW(parameters, lr=job.LEARNING_RATE, weight_decay=0.1, betas=(0.9, 0.95))
    return torch.optim.SGD(parameters, lr=job.LEARNING_RATE, momentum=0.9 if job.OPTIMIZER == "momentum" else 0.0)
