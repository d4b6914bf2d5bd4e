#include "core/io/write_diagnosis.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/diagnose/held.hpp"
#include "core/io/write_value.hpp"
#include "core/price/fit.hpp"
#include "core/price/memory_spread.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json amount(const std::optional<PrintedBytes>& printed) {
  return printed ? exact_number(whole(printed->bytes).value) : Json(nullptr);
}

Json write_tensor(const Tensor& tensor, Closeness closeness, std::size_t request) {
  Json json;
  json["request"] = request;
  json["id"] = tensor.id;
  json["name"] = tensor.name;
  json["bytes"] = exact_number(tensor.bytes);
  json["match"] = name_of(closeness);
  json["place"] = name_of(tensor.place);
  json["formula"] = tensor.formula;
  Json& values = json["values"] = Json::object();
  for (const Value& value : tensor.values) values[value.symbol] = exact_number(value.value);
  json["source"] = tensor.source;
  return json;
}

}  // namespace

Json write_request(const OutOfMemory& request) {
  const SizeRange sizes = possible_sizes(request);
  Json json;
  json["bytes"] = exact_number(whole(request.requested.bytes).value);
  json["low_bytes"] = exact_number(whole(sizes.low).value);
  json["high_bytes"] = exact_number(whole(sizes.high).value);
  json["accelerator"] = name_of(request.accelerator);
  json["place"] = name_of(request.place);
  json["messages"] = request.messages;
  json["ranks"] = request.ranks;
  json["device"] = request.device ? Json(*request.device) : Json(nullptr);
  json["capacity_bytes"] = amount(request.capacity);
  json["free_bytes"] = amount(request.free);
  json["allocated_bytes"] = amount(request.allocated);
  json["unallocated_bytes"] = amount(request.unallocated);
  return json;
}

Json write_match(const TensorMatch& match, std::size_t request) {
  Json json = write_tensor(match.tensor, match.closeness, request);
  json["unlikely"] = match.tensor.rarity >= unlikely_rarity;
  return json;
}

Json write_factorisation(const Factorisation& found, std::size_t request) {
  Json json = write_tensor(found.tensor, found.closeness, request);
  json["unlikely"] = false;
  json["models"] = found.models;
  json["chance"] = rounded_number(found.chance);
  return json;
}

Json write_held(const OutOfMemory& request) {
  Json list = Json::array();
  for (const HeldPart& part : held_parts(request)) {
    list.push_back({{"id", part.id}, {"name", part.name}, {"bytes", exact_number(whole(part.bytes.value).value)}});
  }
  return list;
}

Json write_findings(const OutOfMemory& request) {
  Json list = Json::array();
  for (const Finding& finding : findings(request)) {
    list.push_back({{"id", finding.id}, {"message", finding.message}});
  }
  return list;
}

Json write_need(const Scenario& s, const Profile& profile, const StageMemory& binding) {
  const Bytes device = binding.device_peak(), capacity = s.cluster.gpu.memory;
  Json json;
  json["fits"] = device <= capacity;
  json["fit_probability"] = rounded_number(fit_probability(binding.needed, capacity, memory_spread(s, profile).fit));
  json["allocated_bytes"] = exact_number(binding.allocated.value);
  json["reserved_bytes"] = exact_number(binding.reserved.value);
  json["device_bytes"] = exact_number(device.value);
  json["capacity_bytes"] = exact_number(capacity.value);
  json["binding"] = {{"stage", binding.stage}, {"phase", name_of(binding.peak)}};
  return json;
}

}  // namespace meshgauge
