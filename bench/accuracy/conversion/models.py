"""Shapes and names of models in published tables -> the model of a scenario."""

import re

from .rows import Skip, clean

# What inline models are read as: (norm, gated MLP, positions) -> model_type.
KINDS = {
    ("LayerNorm", False, "learned"): "gpt2",
    ("LayerNorm", False, "rope"): "gpt_neox",
    ("LayerNorm", False, "alibi"): "bloom",
    ("LayerNorm", True, "rope"): "stablelm",
    ("RMSNorm", True, "rope"): "llama",
}


def decoder(norm, gated, position, *, layers, hidden, ffn, heads, kv_heads=None, head_dim=None, vocab, positions,
            tied, bias, activation=None, qk_norm=False, **further):
    """An inline decoder and remarks on what the nearest model_type says differently."""
    remarks = []
    if norm == "RMSNorm" and not gated:  # no model_type has both
        norm = "LayerNorm"
        remarks.append("RMSNorm counted as LayerNorm")
    latent = "kv_lora_rank" in further
    kind = "deepseek_v3" if latent and norm == "RMSNorm" and gated else KINDS.get((norm, gated, position))
    if kind is None:
        raise Skip(f"no model_type has {norm}, {'a gated' if gated else 'a plain'} MLP and {position} positions")
    if qk_norm and not latent:
        if kind != "llama":
            raise Skip(f"query and key norms with model_type {kind} cannot be said")
        kind = "qwen3"
    config = {
        "model_type": kind, "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": None if latent else head_dim, "intermediate_size": ffn,
        "vocab_size": vocab, "max_position_embeddings": positions, "tie_word_embeddings": tied,
        "attention_bias": bias, "attention_out_bias": bias, "mlp_bias": bias, "hidden_act": activation,
    }
    return clean(config | further), remarks


def placement(text):
    """Megatron's --moe-layer-freq: a number, or a Python list such as ([0]*3+[1]*5)."""
    text = (text or "").strip()
    if text in ("", "1"):
        return None
    if text.isdigit():
        return int(text)
    layers = []
    for part in re.sub(r"[()\s]", "", text).split("+"):
        match = re.fullmatch(r"\[([01](?:,[01])*)\](?:\*(\d+))?", part)
        if not match:
            raise Skip(f"moe_layer_freq {text} is not understood")
        layers += [int(v) for v in match.group(1).split(",")] * int(match.group(2) or 1)
    return layers


def _llama(layers, hidden, ffn, heads, kv_heads, vocab, tied=False, **further):
    return {"model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": ffn,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads, "vocab_size": vocab,
            "tie_word_embeddings": tied} | further


def _moe(layers, hidden, heads, kv_heads, vocab, experts, top_k, ffn, **further):
    return _llama(layers, hidden, ffn, heads, kv_heads, vocab, num_local_experts=experts, num_experts_per_tok=top_k,
                  moe_intermediate_size=ffn, **further)


def _bigcode(layers, hidden, heads, vocab, positions):
    return {"model_type": "gpt_bigcode", "n_embd": hidden, "n_layer": layers, "n_head": heads, "n_inner": 4 * hidden,
            "vocab_size": vocab, "n_positions": positions, "multi_query": True, "tie_word_embeddings": True}


# Public names -> catalog id, or the shape of the model's config.json on the Hugging Face hub. First match wins; names
# are compared in lower case, without the owner and with single hyphens.
NAMES = (
    (r"powerlm-3b", _llama(40, 2304, 9216, 36, 36, 49152, True)),
    (r"powermoe-3b", _moe(32, 1536, 24, 8, 49152, 40, 8, 512, tie_word_embeddings=True)),
    (r"granite-3\.\d-3b-a800m", _moe(32, 1536, 24, 8, 49155, 40, 8, 512, tie_word_embeddings=True)),
    (r"granite-3\.\d-1b-a400m", _moe(24, 1024, 16, 8, 49155, 32, 8, 512, tie_word_embeddings=True)),
    (r"granite-3\.\d-8b", _llama(40, 4096, 12800, 32, 8, 49155, True)),
    (r"granite-3\.\d-2b", _llama(40, 2048, 8192, 32, 8, 49155, True)),
    (r"granite-3b-code", _llama(32, 2560, 10240, 32, 32, 49152, True, attention_bias=True, mlp_bias=True)),
    (r"granite-8b-code", _llama(36, 4096, 14336, 32, 8, 49152, True, attention_bias=True, mlp_bias=True)),
    (r"granite-20b-code", _bigcode(52, 6144, 48, 49152, 8192)),
    (r"granite-34b-code", _bigcode(88, 6144, 48, 49152, 8192)),
    (r"granite-7b|merlinite-7b|lab-7b", _llama(32, 4096, 11008, 32, 32, 32008)),
    (r"santacoder", _bigcode(24, 2048, 16, 49280, 2048)),
    (r"starcoderbase-?1b", _bigcode(24, 2048, 16, 49152, 8192)),
    (r"starcoder2-(3|7|15)b", r"starcoder2-\1b"),
    (r"starcoder(?!2)", _bigcode(40, 6144, 48, 49152, 8192)),
    (r"tiny-?llama", _llama(22, 2048, 5632, 32, 4, 32000)),
    (r"smollm2-135m", _llama(30, 576, 1536, 9, 3, 49152, True)),
    (r"smollm2-360m", _llama(32, 960, 2560, 15, 5, 49152, True)),
    (r"smollm2-1\.7b", _llama(24, 2048, 8192, 32, 32, 49152, True)),
    (r"open-?llama-3b", _llama(26, 3200, 8640, 32, 32, 32000)),
    (r"vicuna-(7|13)b|open-?llama-(7|13)b", lambda m: f"llama-{m.group(1) or m.group(2)}b"),
    (r"code-?llama-34b", _llama(48, 8192, 22016, 64, 8, 32000)),
    (r"code-?llama-(7|13|70)b", r"llama-2-\1b"),
    (r"llama-?2-(7|13|70)b", r"llama-2-\1b"),
    (r"llama-?3\.1-(8|70|405)b", r"llama-3.1-\1b"),
    (r"llama-?3\.2-(1|3)b", r"llama-3.2-\1b"),
    (r"llama-?3\.3-70b", "llama-3.3-70b"),
    (r"llama-?3-(8|70)b", r"llama-3-\1b"),
    (r"llama-?4-(scout|maverick)", r"llama-4-\1"),
    (r"llama-(7|13|33|65)b", r"llama-\1b"),
    (r"llama-30b", "llama-33b"),
    (r"mixtral-8x(7|22)b", r"mixtral-8x\1b"),
    (r"mistral-7b-v0\.[23]", "mistral-7b-v0.3"),
    (r"mistral-7b", "mistral-7b"),
    (r"mistral-nemo", "mistral-nemo-12b"),
    (r"mistral-large", "mistral-large-123b"),
    (r"stablelm(?:-base)?-alpha-3b",
     {"model_type": "gpt_neox", "hidden_size": 4096, "num_hidden_layers": 16, "num_attention_heads": 32,
      "intermediate_size": 16384, "vocab_size": 50688, "max_position_embeddings": 4096}),
    (r"stablelm(?:-base)?-alpha-7b",
     {"model_type": "gpt_neox", "hidden_size": 6144, "num_hidden_layers": 16, "num_attention_heads": 48,
      "intermediate_size": 24576, "vocab_size": 50432, "max_position_embeddings": 4096}),
    (r"phi-1\.5",
     {"model_type": "phi", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32,
      "intermediate_size": 8192, "vocab_size": 51200}),
    (r"phi-(2|4)(?![\d.])", r"phi-\1"),
    (r"phi-3-(mini|small|medium)", r"phi-3-\1"),
    (r"falcon-(7|40|180)b", r"falcon-\1b"),
    (r"gemma-?2-(2|9|27)b", r"gemma-2-\1b"),
    (r"gemma-?3-(1|4|12|27)b", r"gemma-3-\1b"),
    (r"gemma-(2|7)b", r"gemma-\1b"),
    (r"codegemma-7b", "gemma-7b"),
    (r"yi-(6|9|34)b", r"yi-\1b"),
    (r"pythia-(70m|160m|410m|1b|1\.4b|2\.8b|6\.9b|12b)", r"pythia-\1"),
    (r"gpt-neox-20b", "gpt-neox-20b"),
    (r"mpt-(7|30)b", r"mpt-\1b"),
    (r"opt-(1\.3|2\.7|6\.7|13|30|66|175)b", r"opt-\1b"),
    (r"bloomz?-(560m|1b1|1b7|3b|7b1|176b)", r"bloom-\1"),
    (r"qwen1\.5-moe-a2\.7b", "qwen1.5-moe-a2.7b"),
    (r"qwen2-57b-a14b", "qwen2-57b-a14b"),
    (r"qwen3-(30b-a3b|235b-a22b)", r"qwen3-\1"),
    (r"qwen(1\.5|2\.5|2|3)-([\d.]+)b", r"qwen\1-\2b"),
    (r"baichuan-?2-(7|13)b", r"baichuan2-\1b"),
    (r"chatglm-?3-6b", "chatglm3-6b"),
    (r"glm-4-9b", "glm-4-9b"),
    (r"internlm-?2-(7|20)b", r"internlm2-\1b"),
    (r"olmo-?2-(1|7|13|32)b", r"olmo2-\1b"),
    (r"olmo-(1|7)b", r"olmo-\1b"),
    (r"deepseek-(v2-lite|v2|v3|r1)", r"deepseek-\1"),
    (r"deepseek-moe-16b", "deepseek-moe-16b"),
    (r"deepseek-llm-(7|67)b", r"deepseek-llm-\1b"),
    (r"gpt-oss-(20|120)b", r"gpt-oss-\1b"),
    (r"kimi-k2", "kimi-k2"),
    (r"grok-1", "grok-1"),
    (r"dbrx", "dbrx"),
    (r"nemotron-4-(15|340)b", r"nemotron-4-\1b"),
    (r"gpt-?2-xl|gpt-?2-1\.5b", "gpt2-1.5b"),
    (r"gpt-?2-(124m|355m|774m)", r"gpt2-\1"),
    (r"gpt-?2-medium", "gpt2-355m"),
    (r"gpt-?2-large", "gpt2-774m"),
    (r"gpt-?2$|gpt-?2-small", "gpt2-124m"),
    (r"bert-(base|large)", r"bert-\1"),
    (r"t5-(small|base|large|3b|11b)", r"t5-\1"),
)


def plain_name(name):
    name = name.lower().split("/")[-1]
    name = re.sub(r"(\d) b\b", r"\1b", name)  # "Llama 2 7 B"
    name = re.sub(r"[\s_()]+", "-", name)
    return re.sub(r"-+", "-", name.replace("meta-", "")).strip("-")


def named(name):
    """Catalog id or inline config of a public model."""
    plain = plain_name(name)
    for pattern, target in NAMES:
        match = re.search(pattern, plain)
        if match:
            if callable(target):
                return target(match)
            return match.expand(target) if isinstance(target, str) else dict(target)
    raise Skip(f"no public shape known for {name}")
