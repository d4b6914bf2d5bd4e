// Models, clusters and scenarios written out by hand: tests of counting and pricing need no catalog and no reader.
#pragma once

#include "core/engine/engine.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge::hand_built {

/// A GPT as in the GPT-3 and Megatron papers: LayerNorm, GELU, learned positions, biases, f = 4 h.
inline ModelShape gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab) {
  ModelShape m;
  m.id = "gpt";
  m.layers = layers;
  m.hidden = hidden;
  m.ffn = 4 * hidden;
  m.heads = m.kv_heads = heads;
  m.head_dim = hidden / heads;
  m.vocab = vocab;
  m.tie_embeddings = true;
  m.position_rows = 2048;
  m.bias_qkv = m.bias_attn_out = m.bias_mlp = true;
  m.norm_bias = true;
  return m;
}

/// LLaMA: RMSNorm, SwiGLU, rotary positions, no biases.
inline ModelShape llama(std::int64_t layers, std::int64_t hidden, std::int64_t ffn, std::int64_t heads,
                        std::int64_t kv_heads, std::int64_t vocab) {
  ModelShape m;
  m.id = "llama";
  m.layers = layers;
  m.hidden = hidden;
  m.ffn = ffn;
  m.heads = heads;
  m.kv_heads = kv_heads;
  m.head_dim = hidden / heads;
  m.vocab = vocab;
  m.activation = Activation::swiglu;
  m.norm = Norm::rmsnorm;
  m.position = Position::rope;
  return m;
}

inline ModelShape gpt3_175b() { return gpt(96, 12288, 96, 50257); }
inline ModelShape llama2_7b() { return llama(32, 4096, 11008, 32, 32, 32000); }
inline ModelShape llama2_70b() { return llama(80, 8192, 28672, 64, 8, 32000); }
inline ModelShape llama3_8b() { return llama(32, 4096, 14336, 32, 8, 128256); }
inline ModelShape llama31_405b() { return llama(126, 16384, 53248, 128, 8, 128256); }

inline ModelShape mixtral_8x7b() {
  ModelShape m = llama(32, 4096, 14336, 32, 8, 32000);
  m.id = "mixtral";
  m.moe = {.experts = 8, .top_k = 2, .expert_ffn = 14336};
  return m;
}

/// arXiv:2412.19437 section 4.2.
inline ModelShape deepseek_v3() {
  ModelShape m = llama(61, 7168, 18432, 128, 128, 129280);
  m.id = "deepseek-v3";
  m.head_dim = 192;
  m.mla = {
      .q_lora_rank = 1536, .kv_lora_rank = 512, .qk_nope_head_dim = 128, .qk_rope_head_dim = 64, .v_head_dim = 128};
  m.moe = {.experts = 256, .top_k = 8, .expert_ffn = 2048, .shared_ffn = 2048, .first_dense_layers = 3};
  return m;
}

inline ModelShape bert_large() {
  ModelShape m = gpt(24, 1024, 16, 30522);
  m.kind = ModelKind::encoder;
  m.type_rows = 2;
  m.position_rows = 512;
  m.embedding_norm = true;
  m.final_norm = false;
  return m;
}

/// Raffel et al. 2020: T5-large.
inline ModelShape t5_large() {
  ModelShape m = gpt(24, 1024, 16, 32128);
  m.kind = ModelKind::encoder_decoder;
  m.encoder_layers = 24;
  m.norm = Norm::rmsnorm;
  m.norm_bias = false;
  m.activation = Activation::relu;
  m.position = Position::relative;
  m.relative_buckets = 32;
  m.position_rows = 0;
  m.bias_qkv = m.bias_attn_out = m.bias_mlp = false;
  return m;
}

/// NVIDIA A100-SXM-80GB data sheet.
inline Gpu a100() {
  Gpu g;
  g.id = "a100-sxm-80gb";
  g.name = "A100 SXM 80GB";
  g.vendor = "NVIDIA";
  g.architecture = "Ampere";
  g.memory = {79.26 * 1073741824.0};
  g.hbm = {2039e9};
  g.fp32 = {19.5e12};
  g.tf32 = {156e12};
  g.fp16 = g.bf16 = {312e12};
  g.measured_bf16 = {271.2e12};
  g.multiprocessors = 108;
  g.nvlink = {300e9};
  g.pcie = {31.5e9};
  g.power_watts = 400;
  return g;
}

/// NVIDIA H100-SXM-80GB data sheet.
inline Gpu h100() {
  Gpu g;
  g.id = "h100-sxm-80gb";
  g.name = "H100 SXM 80GB";
  g.vendor = "NVIDIA";
  g.architecture = "Hopper";
  g.memory = {79.11 * 1073741824.0};
  g.hbm = {3350e9};
  g.fp32 = {67e12};
  g.tf32 = {494.7e12};
  g.fp16 = g.bf16 = {989.4e12};
  g.fp8 = {1978.9e12};
  g.measured_bf16 = {794.5e12};
  g.measured_fp8 = {1402.6e12};
  g.multiprocessors = 132;
  g.nvlink = {450e9};
  g.pcie = {63e9};
  g.power_watts = 700;
  return g;
}

/// Eight GPUs behind NVSwitch, one NIC each: `nic` bytes per second.
inline Cluster nodes_of_eight(const Gpu& gpu, std::int64_t gpus, double nic) {
  Cluster c;
  c.name = "nodes of eight";
  c.gpu = gpu;
  c.gpus = gpus;
  c.gpus_per_node = 8;
  c.intra_topology = "nvswitch";
  c.inter_type = "IB";
  c.intra.bandwidth = gpu.nvlink;
  c.inter.bandwidth = {nic};
  return c;
}

inline Cluster dgx_a100(std::int64_t gpus) { return nodes_of_eight(a100(), gpus, 25e9); }
inline Cluster dgx_h100(std::int64_t gpus) { return nodes_of_eight(h100(), gpus, 50e9); }

/// Megatron-LM with its own defaults; data parallelism fills the cluster.
inline Scenario megatron(ModelShape model, Cluster cluster, std::int64_t t, std::int64_t p, std::int64_t sequence,
                         std::int64_t micro_batch, std::int64_t global_batch) {
  Scenario s;
  s.model = std::move(model);
  s.cluster = std::move(cluster);
  s.parallelism.tensor = t;
  s.parallelism.sequence_parallel = t > 1;
  s.parallelism.pipeline = p;
  s.parallelism.expert_tensor = t;
  s.parallelism.data = s.cluster.gpus / (t * p);
  s.parallelism.zero_stage = 1;
  s.training.engine = Engine::megatron;
  s.training.precision = Precision::bf16;
  s.training.gradient_dtype = DataType::fp32;
  s.training.kernels = Kernels::fused;
  s.training.sequence_length = sequence;
  s.training.micro_batch_size = micro_batch;
  s.training.global_batch_size = global_batch;
  return s;
}

/// Pure data parallelism of any engine.
inline Scenario data_parallel(ModelShape model, Cluster cluster, Engine engine, std::int64_t zero_stage,
                              std::int64_t sequence, std::int64_t micro_batch, std::int64_t global_batch) {
  Scenario s = megatron(std::move(model), std::move(cluster), 1, 1, sequence, micro_batch, global_batch);
  s.parallelism.zero_stage = zero_stage;
  const DataParallelRules& rules = data_parallel_rules(engine, zero_stage);
  s.training.overlap_gradient_reduction = rules.reduce_overlaps;
  s.training.overlap_parameter_gather = rules.gather_overlaps;
  s.training.engine = engine;
  s.training.kernels = Kernels::eager;
  s.training.fused_norm = false;
  s.training.reduce_dtype = describe_engine(engine, zero_stage).mixed_reduction;
  return s;
}

}  // namespace meshgauge::hand_built
