#include "core/diagnose/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "core/count/memory_context.hpp"

namespace meshgauge {
namespace {

/// Collects the tensors of one stage. Every size is listed once.
class Collector {
 public:
  Collector(const MemoryContext& context, std::vector<Tensor>& tensors) : context_(context), tensors_(tensors) {}

  /// `elements` of 2 and of 4 bytes; nothing is kept in 16 bit where the model itself is not.
  void add(const LineText& text, AllocationPlace place, int rarity, double elements,
           std::initializer_list<Value> values, int rarity_of_fp32 = 0) {
    for (const double w : {2.0, 4.0}) {
      if (w < context_.w) continue;
      std::vector<Value> all(values);
      all.push_back({"w", w});
      const int extra = w == 4 && context_.w == 2 ? rarity_of_fp32 : 0;
      add_sized(text, w == 2 ? ", 16 bit" : ", fp32", place, rarity + extra, w * elements, std::move(all));
    }
  }
  void add_bytes(const LineText& text, AllocationPlace place, int rarity, double bytes,
                 std::initializer_list<Value> values) {
    add_sized(text, "", place, rarity, bytes, values);
  }

 private:
  void add_sized(const LineText& text, const char* width, AllocationPlace place, int rarity, double bytes,
                 std::vector<Value> values) {
    if (!(bytes > 0)) return;
    const bool known = std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& other) {
      return other.id == std::string_view(text.id) && other.bytes == bytes;
    });
    if (known) return;
    tensors_.push_back(
        {text.id, std::string(text.name) + width, text.formula, text.source, place, rarity, bytes, std::move(values)});
  }

  const MemoryContext& context_;
  std::vector<Tensor>& tensors_;
};

constexpr const char* loss_source = "torch.nn.functional.cross_entropy: fp32 copy, log-softmax, gradient";
constexpr const char* eager_source = "transformers eager_attention_forward; Korthikanti et al. 2022, arXiv:2205.05198";
constexpr const char* layer_source = "Korthikanti et al. 2022, arXiv:2205.05198 section 4.1";
constexpr const char* shape_source = "shape of the model";
constexpr const char* state_source = "ZeRO, arXiv:1910.02054 section 3";

void add_loss(const MemoryContext& c, Collector& out) {
  if (c.model().vocab == 0) return;
  const Training& training = c.training();
  const int rarity = training.loss == Loss::chunked || training.objective == Objective::reward ? unlikely_rarity : 0;
  const auto b = static_cast<double>(training.micro_batch_size);
  out.add({"logits", "Logits, or a copy or gradient of them", "T * V * w", loss_source}, AllocationPlace::loss, rarity,
          c.T * c.V, {{"T", c.T}, {"V", c.V}});
  if (c.parallelism().context == 1 && c.T > b) {
    out.add({"shifted_logits", "Logits without the last token, made contiguous", "(T - b) * V * w",
             "transformers models: logits[..., :-1, :].contiguous()"},
            AllocationPlace::loss, rarity + 1, (c.T - b) * c.V, {{"T", c.T}, {"b", b}, {"V", c.V}});
  }
  if (c.t > 1) {
    out.add({"gathered_logits", "Logits of the whole vocabulary", "T * t * V * w",
             "Megatron-LM core/tensor_parallel/mappings.py gather_from_tensor_model_parallel_region"},
            AllocationPlace::loss, rarity + 4, c.T * c.t * c.V, {{"T", c.T}, {"t", c.t}, {"V", c.V}});
  }
  if (b != 8) {
    out.add({"evaluation_logits", "Logits of an evaluation batch of 8", "8 * s * V * w",
             "transformers training_args.py per_device_eval_batch_size"},
            AllocationPlace::loss, rarity + 8, 8 * c.s * c.V, {{"s", c.s}, {"V", c.V}});
  }
}

void add_attention(const MemoryContext& c, Collector& out) {
  const bool unfused = c.training().attention == Attention::unfused;
  const double heads = c.a / c.t;
  out.add({"scores", "Attention scores, or a copy or gradient of them", "T * a / t * s * w", eager_source},
          AllocationPlace::attention, unfused ? 0 : unlikely_rarity, c.T * heads * c.s,
          {{"T", c.T}, {"a", c.a}, {"t", c.t}, {"s", c.s}});
  out.add({"attention_mask", "Attention mask", "T * s * w", eager_source}, AllocationPlace::attention,
          unfused ? 3 : unlikely_rarity, c.T * c.s, {{"T", c.T}, {"s", c.s}});
  out.add({"query", "Query, attention output, or keys expanded to all heads", "T * a * q / t * w", layer_source},
          AllocationPlace::attention, 2, c.T * heads * c.q, {{"T", c.T}, {"a", c.a}, {"q", c.q}, {"t", c.t}}, 2);
  if (!c.model().mla.used()) {
    out.add({"query_key_value", "Query, key and value in one", "T * (a + 2 * k) * q / t * w", layer_source},
            AllocationPlace::attention, 2, c.T * (c.a + 2 * c.k) * c.q / c.t,
            {{"T", c.T}, {"a", c.a}, {"k", c.k}, {"q", c.q}, {"t", c.t}}, 2);
  }
  const auto n = static_cast<double>(c.parallelism().context), L = static_cast<double>(c.stage.blocks());
  if (n > 1) {
    out.add({"sequence_keys_values", "Keys and values of the whole sequence", "2 * n * T * k * q / t * w",
             "TransformerEngine attention/dot_product_attention/context_parallel.py"},
            AllocationPlace::attention, 2, 2 * n * c.T * c.k * c.q / c.t,
            {{"n", n}, {"T", c.T}, {"k", c.k}, {"q", c.q}, {"t", c.t}});
  }
  out.add({"cache", "Keys and values of all layers, a generation's cache", "2 * L * T * k * q / t * w",
           "transformers cache_utils.py StaticCache"},
          AllocationPlace::attention, 9, 2 * L * c.T * c.k * c.q / c.t,
          {{"L", L}, {"T", c.T}, {"k", c.k}, {"q", c.q}, {"t", c.t}});
}

void add_layer(const MemoryContext& c, Collector& out) {
  out.add({"hidden", "Hidden states, or a gradient of them", "T * h * w", layer_source}, AllocationPlace::mlp, 1,
          c.T * c.h, {{"T", c.T}, {"h", c.h}}, 1);
  out.add({"mlp", "MLP: one of its wide tensors", "T * f / t * w", layer_source}, AllocationPlace::mlp, 1,
          c.T * c.f / c.t, {{"T", c.T}, {"f", c.f}, {"t", c.t}}, 2);
  if (c.model().gated()) {
    out.add({"mlp_gate_up", "MLP: gate and up projection in one", "2 * T * f / t * w",
             "Megatron-LM core/transformer/mlp.py: linear_fc1 of gated_linear_unit"},
            AllocationPlace::mlp, 2, 2 * c.T * c.f / c.t, {{"T", c.T}, {"f", c.f}, {"t", c.t}}, 2);
  }
  if (c.stage.moe_layers == 0) return;
  const auto K = static_cast<double>(c.model().moe.top_k), F = static_cast<double>(c.model().moe.expert_ffn);
  const auto x = static_cast<double>(c.parallelism().expert_tensor);
  constexpr const char* source = "Megatron-LM core/transformer/moe/{token_dispatcher,experts}.py";
  out.add({"routed_tokens", "Tokens sent to experts, evenly routed", "T / u * K * x * h * w", source},
          AllocationPlace::mlp, 2, c.T / c.u * K * x * c.h, {{"T", c.T}, {"u", c.u}, {"K", K}, {"x", x}, {"h", c.h}},
          2);
  out.add({"expert_mlp", "Experts: one of their wide tensors, evenly routed", "T / u * K * F * w", source},
          AllocationPlace::mlp, 2, c.T / c.u * K * F, {{"T", c.T}, {"u", c.u}, {"K", K}, {"F", F}}, 2);
  out.add({"expert_gate_up", "Experts: gate and up projection in one, evenly routed", "2 * T / u * K * F * w", source},
          AllocationPlace::mlp, 3, 2 * c.T / c.u * K * F, {{"T", c.T}, {"u", c.u}, {"K", K}, {"F", F}}, 2);
}

void add_weights(const MemoryContext& c, Collector& out) {
  const ModelShape& model = c.model();
  const auto e = static_cast<double>(model.token_width());
  if (c.stage.embedding || c.stage.head) {
    out.add({"embedding", "Embedding or head, its gathered copy or gradient", "V * e * w", shape_source},
            AllocationPlace::gather, 2, c.V * e, {{"V", c.V}, {"e", e}});
  }
  if (c.t > 1) {
    out.add({"whole_embedding", "Embedding or head before it is cut", "t * V * e * w", shape_source},
            AllocationPlace::load, 6, c.t * c.V * e, {{"t", c.t}, {"V", c.V}, {"e", e}});
  }
  const double U = c.rank.largest_layer, R = c.rank.outside_layers;
  out.add({"layer_parameters", "All parameters of the largest layer: a gathered unit or its gradient", "U * w",
           "torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py"},
          AllocationPlace::gather, 3, U, {{"U", U}});
  out.add({"root_parameters", "All parameters outside the layers: the root unit or its gradient", "R * w",
           "torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py"},
          AllocationPlace::gather, 3, R, {{"R", R}});
  out.add({"mlp_matrix", "One matrix of the MLP, or its gradient", "h * f / t * w", shape_source},
          AllocationPlace::gather, 4, c.h * c.f / c.t, {{"h", c.h}, {"f", c.f}, {"t", c.t}});
  if (model.gated()) {
    out.add({"mlp_gate_up_matrix", "Gate and up matrices of the MLP in one", "2 * h * f / t * w", shape_source},
            AllocationPlace::gather, 4, 2 * c.h * c.f / c.t, {{"h", c.h}, {"f", c.f}, {"t", c.t}});
  }
  out.add({"attention_matrix", "Query or output matrix, or its gradient", "h * a * q / t * w", shape_source},
          AllocationPlace::gather, 4, c.h * c.a * c.q / c.t, {{"h", c.h}, {"a", c.a}, {"q", c.q}, {"t", c.t}});
  if (c.stage.moe_layers > 0) {
    const auto N = static_cast<double>(model.moe.experts) / static_cast<double>(c.parallelism().expert);
    const auto F = static_cast<double>(model.moe.expert_ffn), x = static_cast<double>(c.parallelism().expert_tensor);
    out.add({"expert_matrices", "One matrix of all the rank's experts", "N * h * F / x * w", shape_source},
            AllocationPlace::gather, 4, N * c.h * F / x, {{"N", N}, {"h", c.h}, {"F", F}, {"x", x}});
    out.add({"expert_gate_up_matrices", "Gate and up matrices of all the rank's experts", "2 * N * h * F / x * w",
             shape_source},
            AllocationPlace::gather, 4, 2 * N * c.h * F / x, {{"N", N}, {"h", c.h}, {"F", F}, {"x", x}});
  }
}

void add_states(const MemoryContext& c, Collector& out) {
  const double P = c.rank.dense, E = c.rank.experts, M = total_parameters(c.model());
  out.add({"flat_parameters", "All parameters of the rank in one flat copy, or their gradients", "(P + E) * w",
           state_source},
          AllocationPlace::optimizer, 2, P + E, {{"P", P}, {"E", E}});
  if (M != P + E) {
    out.add({"model", "The whole model, before it is cut", "M * w", "torch.load, from_pretrained"},
            AllocationPlace::load, 5, M, {{"M", M}});
  }
  if (c.d > 1 || c.de > 1) {
    out.add({"flat_partition", "The rank's flat partition: master weights, a moment, gradients or the step's temporary",
             "(P / d + E / y) * w", state_source},
            AllocationPlace::optimizer, 1, P / c.d + E / c.de, {{"P", P}, {"d", c.d}, {"E", E}, {"y", c.de}});
  }
  if (c.adapted()) {
    out.add({"adapters", "All adapters in one flat copy", "A * w", "Hu et al. 2021, arXiv:2106.09685 section 4.1"},
            AllocationPlace::optimizer, 1, c.rank.adapters, {{"A", c.rank.adapters}});
  }
  const BufferRules& rules = c.engine.buffers;
  constexpr const char* deepspeed = "deepspeed/runtime/zero/config.py";
  const ZeroBuffers& sizes = c.training().zero_buffers;
  if (rules.bucket_elements > 0) {
    const double B = std::max(bucket_elements(rules, c.training()), rules.bucket_elements_per_rank * c.d);
    out.add({"bucket", "Bucket of gradients to be reduced", "B * w", c.engine.source}, AllocationPlace::gather, 0, B,
            {{"B", B}});
  }
  if (rules.bucket_bytes > 0) {
    out.add_bytes({"ddp_bucket", "Bucket of gradients to be reduced", "B", c.engine.source}, AllocationPlace::gather, 3,
                  rules.bucket_bytes, {{"B", rules.bucket_bytes}});
  }
  if (c.training().engine == Engine::deepspeed && c.parallelism().zero_stage == 3) {
    out.add({"sub_group", "Sub-group of parameters that the optimizer steps at once", "B * w", deepspeed},
            AllocationPlace::optimizer, 3, sizes.sub_group, {{"B", sizes.sub_group}});
    out.add({"prefetch_bucket", "Parameters gathered ahead", "B * w", deepspeed}, AllocationPlace::gather, 3,
            sizes.prefetch_bucket, {{"B", sizes.prefetch_bucket}});
  }
}

}  // namespace

std::vector<Tensor> tensors_of(const Scenario& scenario) {
  std::vector<Tensor> tensors;
  const std::int64_t last = scenario.parallelism.pipeline - 1;
  std::vector<std::int64_t> stages{0, last / 2, last};
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  for (const std::int64_t stage : stages) {
    const MemoryContext context = memory_context(scenario, stage);
    Collector out(context, tensors);
    if (context.stage.head) add_loss(context, out);
    if (context.stage.blocks() > 0) {
      add_attention(context, out);
      add_layer(context, out);
    }
    add_weights(context, out);
    add_states(context, out);
  }
  return tensors;
}

}  // namespace meshgauge
