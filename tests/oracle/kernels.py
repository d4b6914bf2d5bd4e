"""Fused kernels as autograd functions: they save what the kernels they stand for save, and nothing else."""

import torch
from torch.nn import functional


class FusedRmsNorm(torch.autograd.Function):
    """Transformer Engine, Apex, Liger: the input and 1/rms in fp32."""

    @staticmethod
    def forward(ctx, x, weight):
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        ctx.save_for_backward(x, weight, scale)
        return (wide * scale).to(x.dtype) * weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight, scale = ctx.saved_tensors
        normalised = x.float() * scale
        inner = gradient.float() * weight.float()
        along = (inner * normalised).mean(-1, keepdim=True)
        d_weight = (gradient.float() * normalised).flatten(0, -2).sum(0)
        return ((inner - normalised * along) * scale).to(x.dtype), d_weight.to(weight.dtype)


class FusedLayerNorm(torch.autograd.Function):
    """torch native_layer_norm on CUDA, Transformer Engine: the input, mean and 1/std in fp32."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        wide = x.float()
        mean = wide.mean(-1, keepdim=True)
        scale = torch.rsqrt(wide.var(-1, unbiased=False, keepdim=True) + 1e-5)
        ctx.save_for_backward(x, weight, mean, scale)
        return ((wide - mean) * scale).to(x.dtype) * weight + bias

    @staticmethod
    def backward(ctx, gradient):
        x, weight, mean, scale = ctx.saved_tensors
        normalised = (x.float() - mean) * scale
        inner = gradient.float() * weight.float()
        along = (inner * normalised).mean(-1, keepdim=True)
        d_x = (inner - inner.mean(-1, keepdim=True) - normalised * along) * scale
        rows = gradient.float().flatten(0, -2)
        d_weight = (rows * normalised.flatten(0, -2)).sum(0)
        return d_x.to(x.dtype), d_weight.to(weight.dtype), rows.sum(0).to(weight.dtype)


class FusedSwiGlu(torch.autograd.Function):
    """Megatron-LM core/fusions/fused_bias_swiglu.py: the two inputs."""

    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return functional.silu(gate) * up

    @staticmethod
    def backward(ctx, gradient):
        gate, up = ctx.saved_tensors
        sigmoid = torch.sigmoid(gate.float())
        slope = (sigmoid * (1 + gate.float() * (1 - sigmoid))).to(gate.dtype)
        return gradient * up * slope, gradient * functional.silu(gate)


class Flash(torch.autograd.Function):
    """FlashAttention-2, arXiv:2307.08691: queries, keys, values, output, log-sum-exp.
    Tensors are batch x sequence x heads x width, as the kernel wants them."""

    @staticmethod
    def attention(query, key, value):
        groups = query.shape[2] // key.shape[2]
        query, key, value = (t.transpose(1, 2).float() for t in (query, key, value))
        key, value = (t.repeat_interleave(groups, dim=1) for t in (key, value))
        future = torch.ones(query.shape[2], query.shape[2], dtype=torch.bool).triu(1)
        scores = (query @ key.transpose(-1, -2) * query.shape[-1]**-0.5).masked_fill(future, float("-inf"))
        return (scores.softmax(-1) @ value).transpose(1, 2), scores.logsumexp(-1)

    @staticmethod
    def forward(ctx, query, key, value, record):
        out, sums = Flash.attention(query, key, value)
        out, sums = out.contiguous().to(query.dtype), sums.contiguous()
        query, key, value = (record.claim("attention_qkv", t) for t in (query, key, value))
        record.claim("attention_output", out)
        record.claim("attention_statistics", sums)
        ctx.save_for_backward(query, key, value, out, sums)
        ctx.mark_non_differentiable(sums)
        return out, sums

    @staticmethod
    def backward(ctx, gradient, _):
        inputs = [t.detach().requires_grad_() for t in ctx.saved_tensors[:3]]
        with torch.enable_grad():
            out = Flash.attention(*inputs)[0].to(gradient.dtype)
        return (*torch.autograd.grad(out, inputs, gradient), None)
