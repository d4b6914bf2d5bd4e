// Reading which layers have experts, linear attention or a window.
#include "core/io/huggingface_layers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr WholeRange count_range{0, 65536};
constexpr WholeRange width_range{0, 1 << 24};
constexpr WholeRange layer_range{0, 10000};
constexpr std::string_view moe_placement_keys =
    "moe_layers mlp_layer_types mlp_only_layers moe_layer_freq decoder_sparse_step interleave_moe_layer_step "
    "moe_layer_interval first_k_dense_replace";

/// Calls `visit(value)` for the whole numbers of a list.
template <class Visit>
void for_each_whole(const Json* list, Visit visit) {
  if (list == nullptr || !list->is_array()) return;
  for (const Json& item : *list) {
    if (item.is_number_integer()) visit(item.get<std::int64_t>());
  }
}

std::int64_t count_text(const Json& list, std::string_view text) {
  return std::count_if(list.begin(), list.end(), [&](const Json& item) { return item.is_string() && item == text; });
}

/// Which layers route, as the modelling code of the families decides it.
std::vector<bool> moe_placement(ConfigReader& c, const ModelShape& m) {
  std::vector<bool> routes(static_cast<std::size_t>(m.layers), true);
  const auto set = [&](std::int64_t layer, bool value) {
    if (layer >= 0 && layer < m.layers) routes[static_cast<std::size_t>(layer)] = value;
  };
  const auto keep_if = [&](auto condition) {
    for (std::int64_t i = 0; i < m.layers; ++i) {
      if (!condition(i)) set(i, false);
    }
  };
  if (const Json* listed = c.find("moe_layers"); listed != nullptr && listed->is_array()) {  // Llama 4
    std::fill(routes.begin(), routes.end(), false);
    for_each_whole(listed, [&](std::int64_t layer) { set(layer, true); });
    return routes;
  }
  if (const Json* types = c.find("mlp_layer_types"); types != nullptr && types->is_array()) {
    std::int64_t layer = 0;
    for (const Json& type : *types) set(layer++, type == "sparse");
    return routes;
  }
  const std::int64_t first = c.whole("first_k_dense_replace moe_layer_start_index", layer_range, 0);
  keep_if([&](std::int64_t i) { return i >= first; });
  if (const Json* each = c.find("moe_layer_freq"); each != nullptr && each->is_array()) {  // one entry a layer
    std::int64_t layer = 0;
    for_each_whole(each, [&](std::int64_t value) { set(layer++, value != 0); });
  } else if (each != nullptr) {  // DeepSeek: counted from layer 0
    const std::int64_t every = std::max<std::int64_t>(c.whole("moe_layer_freq", {1, 10000}, 1), 1);
    keep_if([&](std::int64_t i) { return i % every == 0; });
  }
  // Qwen, Llama 4, ERNIE: the last of each group.
  const std::int64_t group = c.whole("decoder_sparse_step interleave_moe_layer_step moe_layer_interval", {1, 10000}, 1);
  if (group > 1) keep_if([&](std::int64_t i) { return (i + 1) % group == 0; });
  for_each_whole(c.find("mlp_only_layers"), [&](std::int64_t layer) { set(layer, false); });
  return routes;
}

/// Expresses the placement as leading dense layers and a frequency; false if it cannot be.
bool fit_placement(const std::vector<bool>& routes, ModelShape& m) {
  const auto first = std::find(routes.begin(), routes.end(), true);
  if (first == routes.end()) {
    m.moe = {};
    return true;
  }
  const auto second = std::find(first + 1, routes.end(), true);
  const std::int64_t at = first - routes.begin();
  m.moe.layer_freq = second == routes.end() ? std::max<std::int64_t>(1, routes.end() - first - 1) : second - first;
  m.moe.first_dense_layers = at - (m.moe.layer_freq - 1);
  if (m.moe.first_dense_layers < 0) return false;
  for (std::int64_t i = 0; i < m.layers; ++i) {
    if (m.is_moe_layer(i) != routes[static_cast<std::size_t>(i)]) return false;
  }
  return true;
}

/// Layers within the window where the config does not list them one by one.
std::int64_t windowed_layers(ConfigReader& c, const Family& family, const ModelShape& m) {
  if (const Json* types = c.find("layer_types"); types != nullptr && types->is_array()) {
    return count_text(*types, "sliding_attention") + count_text(*types, "chunked_attention");
  }
  if (c.has("use_sliding_window")) {  // Qwen2: from this layer on
    return std::max<std::int64_t>(m.layers - c.whole("max_window_layers", layer_range, 0), 0);
  }
  if (const Json* rope = c.find("no_rope_layers"); rope != nullptr && rope->is_array() && !rope->empty()) {
    std::int64_t local = 0;
    for_each_whole(rope, [&](std::int64_t uses_rope) { local += uses_rope != 0 ? 1 : 0; });
    return local;
  }
  constexpr std::string_view period_keys = "sliding_window_pattern _sliding_window_pattern no_rope_layer_interval";
  const Json* given = c.find(period_keys);
  const bool numeric = given != nullptr && given->is_number();
  const std::int64_t period = numeric ? c.whole(period_keys, layer_range, 0) : family.window_period;
  return period == 0 ? m.layers : m.layers - m.layers / period;
}

}  // namespace

void read_experts(ConfigReader& c, ModelShape& m) {
  m.moe.experts = c.whole("num_local_experts num_experts n_routed_experts moe_num_experts", count_range, 0);
  if (m.moe.experts == 0) return;
  constexpr std::string_view top_k_keys =
      "num_experts_per_tok num_experts_per_token experts_per_token top_k_experts moe_topk moe_k num_selected_experts";
  m.moe.top_k = c.whole(top_k_keys, {1, 65536}, 1);
  if (!c.has(top_k_keys)) c.complain(top_k_keys, " is missing: of how many experts a token takes the output.");
  m.moe.groups = c.whole("n_group", {1, 65536}, 1);
  if (m.moe.groups > 1) m.moe.group_limit = c.whole("topk_group", {1, m.moe.groups}, m.moe.groups);
  m.moe.expert_ffn = c.whole("moe_intermediate_size expert_intermediate_size", width_range, m.ffn);
  const std::int64_t shared =
      c.whole("n_shared_experts num_shared_experts moe_num_shared_experts", count_range, 0) * m.moe.expert_ffn;
  m.moe.shared_ffn =
      c.whole("shared_expert_intermediate_size shared_intermediate_size share_expert_dim", width_range, shared);
  if (m.moe.top_k > m.moe.experts)
    c.complain(top_k_keys, " is " + number_text(m.moe.top_k) + ". Allowed: 1 to the number of experts, " +
                               number_text(m.moe.experts) + '.');
  if (!fit_placement(moe_placement(c, m), m)) {
    c.complain(
        moe_placement_keys,
        " puts experts into layers that follow no rule. Covered: every n-th layer, after dense ones at the start.");
  }
}

void read_linear_layers(ConfigReader& c, ModelShape& m) {
  const Json* listed = c.find("attn_type_list layer_types");
  if (listed == nullptr || !listed->is_array()) return;
  std::vector<bool> linear;
  for (const Json& type : *listed) linear.push_back(type == "linear_attention" || (type.is_number() && type == 0));
  if (std::find(linear.begin(), linear.end(), true) == linear.end()) return;
  m.linear_per_full = std::find(linear.begin(), linear.end(), false) - linear.begin();
  const std::int64_t period = m.linear_per_full + 1;
  bool regular = static_cast<std::int64_t>(linear.size()) == m.layers;
  for (std::size_t i = 0; i < linear.size(); ++i) {
    regular = regular && linear[i] == ((static_cast<std::int64_t>(i) + 1) % period != 0);
  }
  if (!regular || m.linear_per_full == 0) {
    c.complain("attn_type_list layer_types",
               " mixes kinds of attention in another order than one full layer after every n linear ones.");
  }
}

void read_window(ConfigReader& c, const Family& family, ModelShape& m) {
  constexpr std::string_view keys = "sliding_window attention_chunk_size window_size";
  const bool off = (c.has(keys) && c.find(keys) == nullptr) || !c.flag("use_sliding_window", family.window_on);
  const std::int64_t window = off ? 0 : c.whole(keys, {0, 1 << 30}, family.window);
  if (window == 0 || (m.max_sequence > 0 && window >= m.max_sequence)) return;
  m.window = window;
  m.local_layers = std::min(windowed_layers(c, family, m), m.layers);
  if (m.local_layers == 0) m.window = 0;
}

}  // namespace meshgauge
