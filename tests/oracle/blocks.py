"""A GPT-2 and a LLaMA block in plain torch: as Hugging Face's modeling files write them, and on fused kernels."""

import dataclasses
import math

import torch
from torch.nn import functional

from kernels import Flash, FusedLayerNorm, FusedRmsNorm, FusedSwiGlu


@dataclasses.dataclass
class Options:
    precision: str  # fp32, pure_bf16, or bf16: autocast over fp32 parameters
    kernels: str
    attention: str
    dropout: bool
    engine: str = "ddp"

    @property
    def autocast(self):
        return self.precision == "bf16"

    @property
    def gpt2_modules(self):
        """transformers modeling_gpt2.py as it is; elsewhere GPT blocks call torch's own operators."""
        return self.engine == "hf" and self.kernels == "eager"

    @property
    def stream(self):
        """Format of parameters and of the hidden states between layers."""
        return torch.bfloat16 if self.precision == "pure_bf16" else torch.float32

    @property
    def products(self):
        return torch.float32 if self.precision == "fp32" else torch.bfloat16

    @property
    def fused(self):
        return self.kernels == "fused"


class Block(torch.nn.Module):
    """What all have in common. Casts are written out as autocast makes them on a GPU: products in 16 bits, layer
    norm, pow, rsqrt and softmax in fp32; weights are cast once, inputs anew for each product."""

    def __init__(self, hidden, options):
        super().__init__()
        self.hidden, self.options = hidden, options
        # Everything but autocast may leave the softmax in the scores' format.
        self.wide_softmax = not options.fused

    def matrix(self, rows, columns):
        return torch.nn.Parameter(torch.randn(rows, columns, dtype=self.options.stream) / columns**0.5)

    def vector(self, size):
        return torch.nn.Parameter(torch.ones(size, dtype=self.options.stream))

    def cast(self, tensor):
        return tensor.to(self.options.products)

    def linear(self, record, line, tensor, weight, bias=None):
        with record.line("autocast_copies"):
            weight = record.claim("autocast_copies", self.cast(weight))
            bias = None if bias is None else self.cast(bias)
        with record.line(line):
            return functional.linear(self.cast(tensor), weight, bias)

    def norm(self, record, line, hidden, weight, bias=None):
        """RMSNorm where there is no bias. Statistics are in fp32, as the CUDA kernel of layer norm has them."""
        record.claim(line, hidden)
        with record.line("norm_statistics"):
            if bias is not None:
                return record.claim(line, FusedLayerNorm.apply(hidden, weight, bias))
            if self.options.fused:
                return record.claim(line, FusedRmsNorm.apply(hidden, weight))
            wide = record.claim(line, hidden.float())  # transformers modeling_llama.py LlamaRMSNorm.forward
            # Not mean(): before torch 2 its backward saves the whole input, of which it needs the size.
            scale = torch.rsqrt(wide.pow(2).sum(-1, keepdim=True) / self.hidden + 1e-6)
            normalised = record.claim(line, (wide * scale).to(hidden.dtype))
            return record.claim(line, weight * normalised)

    def drop(self, record, line, tensor):
        """The CUDA kernel of dropout, which keeps a mask of one byte; the CPU's default is another."""
        if not self.options.dropout:
            return tensor
        with record.line(line):
            return torch.native_dropout(tensor, 0.1, True)[0]

    def attend(self, record, query, key, value, mask):
        """Queries, keys and values as batch x heads x sequence x width."""
        if self.options.attention == "flash":
            out, _ = Flash.apply(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), record)
            return record.claim("attention_output", out.reshape(*out.shape[:2], -1))
        groups = query.shape[1] // key.shape[1]
        key, value = repeat_kv(key, groups), repeat_kv(value, groups)
        query, key, value = self.cast(query), self.cast(key), self.cast(value)
        with record.line("attention_qkv"):
            scores = torch.matmul(query, key.transpose(2, 3)) * query.shape[-1]**-0.5 + mask
        with record.line("attention_scores"):
            wide = torch.float32 if self.wide_softmax or self.options.autocast else None
            weights = functional.softmax(scores, dim=-1, dtype=wide).to(query.dtype)
        weights = record.claim("attention_scores", self.drop(record, "attention_scores", weights))
        with record.line("attention_qkv"):
            out = torch.matmul(weights, value)
        out = out.transpose(1, 2).contiguous()
        return record.claim("attention_output", out.reshape(*out.shape[:2], -1))


def repeat_kv(tensor, groups):
    """transformers modeling_llama.py repeat_kv."""
    if groups == 1:
        return tensor
    batch, heads, sequence, width = tensor.shape
    wide = tensor[:, :, None, :, :].expand(batch, heads, groups, sequence, width)
    return wide.reshape(batch, heads * groups, sequence, width)


def rotate(tensor, cosine, sine):
    """transformers modeling_llama.py apply_rotary_pos_emb."""
    first, second = tensor.chunk(2, dim=-1)
    return tensor * cosine + torch.cat((-second, first), dim=-1) * sine


class LlamaBlock(Block):
    def __init__(self, config, options):
        super().__init__(config["hidden_size"], options)
        self.heads, self.kv = config["num_attention_heads"], config["num_key_value_heads"]
        self.width = self.hidden // self.heads
        ffn = config["intermediate_size"]
        self.norms = torch.nn.ParameterList([self.vector(self.hidden) for _ in range(2)])
        self.q, self.o = self.matrix(self.hidden, self.hidden), self.matrix(self.hidden, self.hidden)
        self.k = self.matrix(self.kv * self.width, self.hidden)
        self.v = self.matrix(self.kv * self.width, self.hidden)
        self.gate, self.up = self.matrix(ffn, self.hidden), self.matrix(ffn, self.hidden)
        self.down = self.matrix(self.hidden, ffn)

    def forward(self, hidden, shared, record):
        mask, cosine, sine = shared
        x = self.norm(record, "norms", hidden, self.norms[0])
        query, key, value = (self.linear(record, "norms", x, w).unflatten(-1, (-1, self.width)).transpose(1, 2)
                             for w in (self.q, self.k, self.v))
        with record.line("attention_qkv"):
            query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        x = self.attend(record, query, key, value, mask)
        x = self.linear(record, "attention_output", x, self.o)
        hidden = hidden + self.drop(record, "dropout_masks", x)
        x = self.norm(record, "norms", hidden, self.norms[1])
        gate, up = self.linear(record, "norms", x, self.gate), self.linear(record, "norms", x, self.up)
        with record.line("mlp"):
            x = FusedSwiGlu.apply(gate, up) if self.options.fused else functional.silu(gate) * up
        x = self.linear(record, "mlp", x, self.down)
        return hidden + self.drop(record, "dropout_masks", x)


class Gpt2Block(Block):
    def __init__(self, config, options):
        super().__init__(config["n_embd"], options)
        self.wide_softmax = not options.fused and not options.gpt2_modules
        self.heads, h = config["n_head"], self.hidden
        self.norms = torch.nn.ParameterList([self.vector(h) for _ in range(4)])
        shapes = {"qkv": (3 * h, h), "out": (h, h), "fc": (4 * h, h), "proj": (h, 4 * h)}
        self.weights = torch.nn.ParameterDict({name: self.matrix(*shape) for name, shape in shapes.items()})
        self.biases = torch.nn.ParameterDict({name: self.vector(shape[0]) for name, shape in shapes.items()})

    def product(self, record, line, tensor, name):
        return self.linear(record, line, tensor, self.weights[name], self.biases[name])

    def activation(self, x):
        if not self.options.gpt2_modules:
            return functional.gelu(x, approximate="tanh")
        # transformers activations.py NewGELUActivation; autocast computes pow in fp32
        cube = torch.pow(x.float() if self.options.autocast else x, 3.0)
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * cube)))

    def forward(self, hidden, shared, record):
        mask = shared[0]
        x = self.norm(record, "norms", hidden, self.norms[0], self.norms[1])
        x = record.claim("attention_qkv", self.product(record, "norms", x, "qkv"))
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for part in x.split(self.hidden, dim=-1))
        x = self.attend(record, query, key, value, mask)
        x = self.product(record, "attention_output", x, "out")
        hidden = hidden + self.drop(record, "dropout_masks", x)
        x = self.norm(record, "norms", hidden, self.norms[2], self.norms[3])
        x = self.product(record, "norms", x, "fc")
        with record.line("mlp"):
            x = self.activation(x)
        x = self.product(record, "mlp", x, "proj")
        return hidden + self.drop(record, "dropout_masks", x)


class Head(Block):
    """Final norm, logits and transformers loss/loss_utils.py ForCausalLMLoss; everything saved but logits."""

    def __init__(self, config, options):
        super().__init__(config.get("hidden_size", config.get("n_embd")), options)
        llama = config["model_type"] == "llama"
        self.norms = torch.nn.ParameterList([self.vector(self.hidden) for _ in range(1 if llama else 2)])
        self.weight = self.matrix(config["vocab_size"], self.hidden)

    def logits(self, record, hidden):
        hidden = self.norm(record, "final_norm", hidden, *self.norms)
        return self.linear(record, "final_norm", hidden, self.weight)

    def loss(self, record, logits, labels):
        with record.line("loss_softmax"):
            wide = logits.float().view(-1, logits.shape[-1])
            return functional.cross_entropy(wide, record.claim("token_ids", labels.flatten()))


class Model(torch.nn.Module):
    """A stack of equal blocks; embedding and head stay outside."""

    def __init__(self, config, options):
        super().__init__()
        llama = config["model_type"] == "llama"
        layers = config["num_hidden_layers"] if llama else config["n_layer"]
        block = LlamaBlock if llama else Gpt2Block
        self.blocks = torch.nn.ModuleList([block(config, options) for _ in range(layers)])
        self.width = self.blocks[0].hidden // self.blocks[0].heads
        self.options = options

    def shared(self, sequence):
        """Made once for all layers: the additive causal mask and the rotary tables."""
        rows = torch.arange(sequence)
        mask = torch.zeros(sequence, sequence).masked_fill(rows[None, :] > rows[:, None], -1e9)
        angles = torch.outer(rows.float(), 1e4**(-torch.arange(0, self.width, 2) / self.width)).repeat(1, 2)
        tables = (angles.cos(), angles.sin())
        return [mask.to(self.options.products), *(table.to(self.options.stream) for table in tables)]

    def forward(self, hidden, shared, record):
        for block in self.blocks:
            hidden = block(hidden, shared, record)
        return hidden
