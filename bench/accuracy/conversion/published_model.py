"""The model of a published run: shape from the columns, what they do not say from the model's name."""

import re

from . import models
from .rows import Skip, clean, found, need, prefix_of, whole

# Name of the model -> what its shape columns mean. First match wins.
TEMPLATES = (
    (r"nemotron-(h|3)|nemotron.*(nano|super|lightning)|qwen3-next|jamba|mamba|hybrid", None),
    (r"minimax|deepseek-v4|kimi-linear", None),
    (r"t5|vit|clip|bert|unet|diffusion|llava|vl\b", None),
    (r"deepseek-v3|deepseek-r1|kimi-k2|kimi k2", "deepseek_v3"),
    (r"deepseek-v2-lite|moonlight", "latent_lite"),
    (r"deepseek-v2", "deepseek_v2"),
    (r"qwen-?3.*a\d+b|qwen3-moe|qwen3-coder", "qwen3_moe"),
    (r"qwen-?(2|1\.5).*(a\d|moe)", "qwen2_moe"),
    (r"qwen-?3", "qwen3"),
    (r"qwen", "qwen2"),
    (r"mixtral", "mixtral"),
    (r"gpt-oss", "gpt_oss"),
    (r"grok", "grok_1"),
    (r"dbrx", "dbrx"),
    (r"llama-?4", "llama4_text"),
    (r"glm-?4\.5", "glm4_moe"),
    (r"chatglm-?[23]", "chatglm"),
    (r"nemotron", "nemotron"),
    (r"gemma-?3", "gemma3_text"),
    (r"gemma-?2", "gemma2"),
    (r"gemma", "gemma"),
    (r"falcon", "falcon"),
    (r"phi-?[34]", "phi3"),
    (r"phi", "phi"),
    (r"starcoder-?2", "starcoder2"),
    (r"santacoder|starcoder|gpt.?bigcode", "gpt_bigcode"),
    (r"internlm-?2", "internlm2"),
    (r"internlm", "internlm"),
    (r"baichuan", "baichuan"),
    (r"mpt", "mpt"),
    (r"pythia|neox", "gpt_neox"),
    (r"\bopt\b|opt-", "opt"),
    (r"bloom-176b$|bloom-\d+b\d?$", "bloom"),
    (r"glm-130b", "stablelm"),
    (r"olmo-?2", "olmo2"),
    (r"olmo", "olmo"),
    (r"mistral|ministral", "mistral"),
    (r"8x\d|moe", "mixtral"),
    (r"llama|yi-|aquila|smollm|vicuna|skywork|minicpm|open_?llama|codellama", "llama"),
    (r"gpt|megatron|bloom|mt-nlg|bigscience|turing|bloomberg|cerebras|transformer", "gpt2"),
)

OTHER_ARCHITECTURE = "state-space, linear-attention, multimodal or encoder-decoder model not in the scenario format"

# Latent attention: DeepSeek-V2 Lite's form (no query rank), which Moonlight shares; V2 and V3 as in SimuMax's table.
LATENT_LITE = {"q_lora_rank": 0, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
               "v_head_dim": 128}
LATENT = LATENT_LITE | {"q_lora_rank": 1536}

HEAD_DIMS = {"qwen3": 128, "qwen3_moe": 128, "gpt_oss": 64, "gemma": 256, "gemma2": 256, "gemma3_text": 256,
             "llama4_text": 128}

# Vocabulary where a table names none: the tokenizer that such models are trained with (GPT-2's, LLaMA's, Qwen's).
VOCABULARIES = {"gpt2": 50257, "llama": 32000, "mixtral": 32000, "qwen2_moe": 151936, "qwen2": 151936}

# The zero-bubble fork's examples/pretrain_zero_bubble.sh trains on a SentencePiece tokenizer, LLaMA's size assumed, with
# --untie-embeddings-and-output-weights.
SENTENCE_PIECE_SOURCES = ("zb",)

TIED = {"gpt2", "mpt", "gpt_bigcode", "bloom", "opt", "gemma", "gemma2", "gemma3_text", "falcon", "starcoder2"}


def template_of(name):
    plain = name.lower()
    for pattern, kind in TEMPLATES:
        if re.search(pattern, plain):
            if kind is None:
                raise Skip(OTHER_ARCHITECTURE)
            return kind
    raise Skip(f"what {name} is built like is not known")


def is_tied(row, kind):
    notes = row.get("notes", "")
    if prefix_of(row) in SENTENCE_PIECE_SOURCES or "VocabularyParallelism" in row.get("framework", ""):
        return False
    if re.search(r"untied|WITHOUT tied", notes):
        return False
    below = found(r"tied embeddings below (\d+)B", notes)
    if below:
        return (float(row.get("params_b") or 1e9)) < float(below)
    if re.search(r"tied embeddings", notes):
        return True
    return kind in TIED or bool(re.search(r"smollm|llama-3\.2-(1|3)b|qwen3-(0\.6|1\.7|4)b|qwen2(\.5)?-(0\.5|1\.5|3)b",
                                          row["model_name"].lower()))


def experts_of(row, kind, notes):
    experts = whole(row.get("moe_experts"))
    if not experts:
        return {}
    width = whole(row.get("moe_ffn")) or need(row, "ffn")
    shared = whole(row.get("shared_experts")) or 0
    shared_width = whole(found(r"shared expert intermediate(?: size)? (\d+)", notes)) or shared * width
    first = whole(found(r"first (\d+) layers? (?:are )?dense", notes))
    if first is None and re.search(r"first layer dense|1 dense \+", notes):
        first = 1
    return clean({"num_local_experts": experts, "num_experts_per_tok": need(row, "moe_topk"),
                  "moe_intermediate_size": width, "shared_expert_intermediate_size": shared_width or None,
                  "first_k_dense_replace": first})


def model_of(row):
    """Inline model and remarks."""
    kind = template_of(row["model_name"])
    notes = row.get("notes", "")
    if "(hybrid)" in notes or "hybrid Mamba" in notes:
        raise Skip(OTHER_ARCHITECTURE)
    remarks = []
    if not whole(row.get("hidden")) and not whole(row.get("layers")):
        return models.named(row["model_name"]), ["shape from the public model of that name"]
    layers, hidden, heads = need(row, "layers", "hidden", "heads")
    sequence = whole(row.get("seq_len")) or 2048
    vocab = whole(row.get("vocab"))
    if vocab is None:
        vocab = 32000 if prefix_of(row) in SENTENCE_PIECE_SOURCES else VOCABULARIES.get(kind)
        if vocab is None:
            raise Skip("the source does not state vocab")
        remarks.append(f"vocabulary not stated, {vocab} assumed")
    latent = {"deepseek_v3": LATENT, "deepseek_v2": LATENT, "latent_lite": LATENT_LITE}.get(kind, {})
    said_dim = whole(found(r"head_dim (\d+)", notes))
    head_dim = None if latent else said_dim or HEAD_DIMS.get(kind)
    if head_dim is None and not latent and hidden % heads:
        head_dim = round(hidden / heads)
        remarks.append("hidden size is no multiple of the heads")
    ffn = whole(row.get("ffn")) or (4 * hidden if kind in ("gpt2", "mpt", "bloom") else need(row, "ffn"))
    config = {
        "model_type": {"latent_lite": "deepseek_v3"}.get(kind, kind),
        "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": whole(row.get("kv_heads")) or heads, "head_dim": head_dim,
        "intermediate_size": ffn,
        "vocab_size": vocab, "max_position_embeddings": sequence, "tie_word_embeddings": is_tied(row, kind),
    }
    config |= latent | experts_of(row, kind, notes)
    if kind == "deepseek_v3" and "Bridge" in row.get("framework", "") and not re.search(r"w/?o MTP|without MTP", notes):
        config["num_nextn_predict_layers"] = 1  # Megatron-Bridge's recipe trains it
    return clean(config), remarks
