#include "core/io/write_operations.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/compose/operations.hpp"
#include "core/count/flops.hpp"
#include "core/io/write_value.hpp"
#include "core/price/peak.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(OpKind kind) {
  switch (kind) {
    case OpKind::gemm:
      return "gemm";
    case OpKind::grouped_gemm:
      return "grouped_gemm";
    case OpKind::attention:
      return "attention";
    case OpKind::memory_bound:
      return "memory_bound";
  }
  return "";
}

std::string_view word(LayerKind kind, AttentionKind attention) {
  switch (kind) {
    case LayerKind::dense:
      return attention == AttentionKind::linear ? "dense_linear_attention" : "dense";
    case LayerKind::moe:
      return attention == AttentionKind::linear ? "moe_linear_attention" : "moe";
    case LayerKind::encoder:
      return "encoder";
    case LayerKind::decoder_with_cross_attention:
      return "decoder";
  }
  return "";
}

Json write_work(const Work& work) {
  return {{"flops", rounded_number(work.flops.value)},
          {"bytes", rounded_number(work.bytes.value)},
          {"seconds", rounded_number(work.seconds.value)}};
}

Json write_part(std::string_view part, std::int64_t layers, const std::vector<Operation>& operations) {
  Json list = Json::array();
  for (const Operation& one : operations) {
    list.push_back({{"id", one.op.id},
                    {"kind", word(one.op.kind)},
                    {"forward", write_work(one.forward)},
                    {"backward", write_work(one.backward)}});
  }
  return {{"part", part}, {"layers", layers}, {"operations", std::move(list)}};
}

}  // namespace

Json write_operations(const Scenario& s, const Profile& profile) {
  Json parts = Json::array();
  for_each_layer_kind(s.model, whole_model(s.model), [&](LayerKind kind, AttentionKind attention, std::int64_t layers) {
    parts.push_back(write_part(word(kind, attention), layers, layer_operations(s, profile, kind, attention)));
  });
  parts.push_back(write_part("head", 1, head_operations(s, profile)));
  return {{"peak_flops_per_second", rounded_number(peak_of(s.cluster.gpu, s.training.precision).value)},
          {"memory_bytes_per_second", rounded_number(s.cluster.gpu.hbm.value)},
          {"parts", std::move(parts)}};
}

}  // namespace meshgauge
