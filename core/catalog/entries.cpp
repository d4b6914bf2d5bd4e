// From a catalog entry's JSON to the values that counting and pricing use.
#include <utility>

#include "core/catalog/catalog.hpp"
#include "core/catalog/json_text.hpp"

namespace meshgauge {
namespace {

template <class Enum>
Enum choice(JsonText value, Enum otherwise) {
  return from_name<Enum>(value.string()).value_or(otherwise);
}

/// `source` is a text or a list of texts.
std::string sources(JsonText entry) {
  const JsonText value = entry.at("source");
  if (!value.text.starts_with('[')) return value.string();
  std::string joined;
  value.for_each([&](JsonText part) { joined += (joined.empty() ? "" : "; ") + part.string(); });
  return joined;
}

void read_attention(JsonText entry, ModelShape& m) {
  const JsonText attention = entry.at("attention");
  m.linear_per_full = attention.at("linear_per_full").whole();
  m.mla = {.q_lora_rank = attention.at("q_lora_rank").whole(),
           .kv_lora_rank = attention.at("kv_lora_rank").whole(),
           .qk_nope_head_dim = attention.at("qk_nope_head_dim").whole(),
           .qk_rope_head_dim = attention.at("qk_rope_head_dim").whole(),
           .v_head_dim = attention.at("v_head_dim").whole()};
  const JsonText window = entry.at("sliding_window");
  m.window = window.at("size").whole();
  m.local_layers = window.at("local_layers").whole();
}

void read_experts(JsonText entry, ModelShape& m) {
  const JsonText moe = entry.at("moe");
  if (moe.absent()) return;
  m.moe = {.experts = moe.at("experts").whole(),
           .top_k = moe.at("top_k").whole(),
           .expert_ffn = moe.at("expert_ffn").whole(),
           .first_dense_layers = moe.at("first_dense_layers").whole(),
           .layer_freq = moe.at("moe_layer_freq").whole(1),
           .groups = moe.at("groups").whole(1),
           .group_limit = moe.at("group_limit").whole(),
           .router_bias = moe.at("router_bias").flag(),
           .shared_gate = moe.at("shared_gate").flag()};
  m.moe.shared_ffn = moe.at("shared_expert_ffn").whole(moe.at("shared_experts").whole() * m.moe.expert_ffn);
  m.ffn = entry.at("dense_ffn").whole(m.ffn);
}

void read_details(JsonText entry, ModelShape& m) {
  const JsonText detail = entry.at("shape_detail");
  m.embedding_width = detail.at("embedding_width").whole();
  m.position_rows = detail.at("position_rows").whole();
  m.type_rows = detail.at("type_rows").whole();
  m.bias_qkv = detail.at("bias_qkv").flag();
  m.bias_attn_out = detail.at("bias_attn_out").flag();
  m.bias_mlp = detail.at("bias_mlp").flag();
  m.bias_lm_head = detail.at("bias_lm_head").flag();
  m.norms_per_layer = detail.at("norms_per_layer").whole(2);
  m.norm_weight = detail.at("norm_weight").flag(true);
  m.norm_bias = m.norm_weight && detail.at("norm_bias").flag(m.norm == Norm::layernorm);
  m.embedding_norm = detail.at("embedding_norm").flag();
  m.final_norm = detail.at("final_norm").flag(true);
  m.qk_norm = choice(detail.at("qk_norm"), QkNorm::none);
  m.attention_sinks = detail.at("attention_sinks").flag();
  detail.at("extra").for_each([&](JsonText extra) { m.extra_parameters += extra.at("params").whole(); });
}

ModelShape model_of(JsonText entry) {
  ModelShape m;
  m.id = entry.at("id").string();
  m.name = entry.at("name").string();
  m.source = sources(entry);
  m.kind = choice(entry.at("kind"), ModelKind::decoder);
  m.layers = entry.at("layers").whole();
  m.encoder_layers = entry.at("encoder_layers").whole();
  m.hidden = entry.at("hidden").whole();
  m.ffn = entry.at("ffn").whole();
  m.heads = entry.at("heads").whole();
  m.kv_heads = entry.at("kv_heads").whole();
  m.head_dim = entry.at("head_dim").whole();
  m.vocab = entry.at("vocab").whole();
  m.max_sequence = entry.at("max_seq").whole();
  m.tie_embeddings = entry.at("tie_embeddings").flag();
  m.activation = choice(entry.at("activation"), Activation::gelu);
  m.norm = choice(entry.at("norm"), Norm::layernorm);
  m.position = choice(entry.at("position"), Position::learned);
  m.relative_buckets = entry.at("relative_buckets").whole();
  m.patch = entry.at("patch").whole();
  m.mtp_depth = entry.at("mtp_depth").whole();
  read_attention(entry, m);
  read_experts(entry, m);
  read_details(entry, m);
  return m;
}

Gpu gpu_of(JsonText entry) {
  const JsonText peak = entry.at("peak_tflops");
  const JsonText measured = entry.at("measured");
  const JsonText nvlink = entry.at("nvlink");
  const JsonText fabric = nvlink.absent() ? entry.at("fabric") : nvlink;
  const auto rate = [](JsonText rates, const char* key) { return FlopsPerSecond{rates.at(key).number() * tera}; };
  Gpu gpu;
  gpu.id = entry.at("id").string();
  gpu.name = entry.at("name").string();
  gpu.vendor = entry.at("vendor").string();
  gpu.architecture = entry.at("arch").string();
  gpu.source = sources(entry);
  gpu.memory = entry.at("memory_gib").number() * gibibyte;
  if (gpu.memory.value == 0) gpu.memory = {entry.at("memory_gb").number() * giga};  // no driver's figure was found
  gpu.hbm = {entry.at("hbm_bandwidth_gbs").number() * giga};
  gpu.fp32 = rate(peak, "fp32");
  gpu.tf32 = rate(peak, "tf32");
  gpu.fp16 = rate(peak, "fp16");
  gpu.bf16 = rate(peak, "bf16");
  gpu.fp8 = rate(peak, "fp8");
  gpu.fp4 = rate(peak, "fp4");
  gpu.measured_bf16 = rate(measured, "bf16_matmul_tflops");
  gpu.measured_fp8 = rate(measured, "fp8_matmul_tflops");
  gpu.multiprocessors = entry.at("sms").whole();
  gpu.nvlink = {fabric.at("per_direction_gbs").number() * giga};
  gpu.pcie = {entry.at("pcie").at("per_direction_gbs").number() * giga};
  gpu.power_watts = entry.at("tdp_w").number();
  return gpu;
}

Cluster cluster_of(JsonText entry, Gpu gpu) {
  const JsonText intra = entry.at("intra");
  const JsonText inter = entry.at("inter");
  const JsonText price = entry.at("price");
  Cluster cluster;
  cluster.system = entry.at("id").string();
  cluster.name = entry.at("name").string();
  cluster.gpu = std::move(gpu);
  cluster.gpus_per_node = entry.at("gpus_per_node").whole(1);
  cluster.gpus = cluster.gpus_per_node;
  cluster.intra_topology = intra.at("topology").string();
  cluster.inter_type = inter.at("type").string();
  cluster.intra.bandwidth = {intra.at("per_gpu_per_direction_gbs").number() * giga};
  cluster.inter.bandwidth = {inter.at("per_gpu_per_direction_gbs").number() * giga};
  cluster.source = sources(entry);
  if (!price.absent()) {
    cluster.usd_per_gpu_hour = price.at("usd_per_gpu_hour").number();
    cluster.source +=
        "; price: " + price.at("kind").string() + ", " + price.at("source").string() + ", " + price.at("date").string();
  }
  return cluster;
}

}  // namespace

Result<ModelShape> find_model(std::string_view name, std::string_view path) {
  const Result<CatalogEntry> entry = find_entry(CatalogKind::models, name, path);
  if (!entry.ok()) return entry.issues;
  return model_of({entry.value->json});
}

Result<Gpu> find_gpu(std::string_view name, std::string_view path) {
  const Result<CatalogEntry> entry = find_entry(CatalogKind::gpus, name, path);
  if (!entry.ok()) return entry.issues;
  return gpu_of({entry.value->json});
}

Result<Cluster> find_system(std::string_view name, std::string_view path) {
  const Result<CatalogEntry> entry = find_entry(CatalogKind::systems, name, path);
  if (!entry.ok()) return entry.issues;
  const JsonText object{entry.value->json};
  Result<Gpu> gpu = find_gpu(object.at("gpu").string(), path);
  if (!gpu.ok()) return gpu.issues;
  return cluster_of(object, std::move(*gpu.value));
}

}  // namespace meshgauge
