#include "core/io/write_message.hpp"

#include <nlohmann/json.hpp>

#include "core/io/write_value.hpp"
#include "core/price/collective.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<Choice>& choice, std::string_view (*text)(const Choice&)) {
  return choice ? Json(text(*choice)) : Json(nullptr);
}

}  // namespace

/// A group's communication library decides the first three.
void write_message(const CollectivePrice& message, Json& json) {
  const std::optional<Choice>& choice = message.choice;
  json["algorithm"] = or_null(choice, [](const Choice& c) { return name_of(c.algorithm); });
  json["protocol"] = or_null(choice, [](const Choice& c) { return name_of(c.protocol); });
  json["channels"] = choice ? Json(choice->channels) : Json(nullptr);
  json["message_seconds"] = rounded_number(message.seconds.value);
  json["latency_seconds"] = rounded_number(message.latency.value);
  json["transfer_seconds"] = rounded_number(message.transfer.value);
  json["bound_by"] = name_of(message.bound);
}

Json write_point(const Profile& profile, const Cluster& cluster, Collective op, double bytes, Route route) {
  const CollectivePrice price = price_collective(profile, cluster, op, bytes, route);
  const TimeRange range = collective_range(op, bytes, route);
  const double seconds = price.seconds.value;
  Json json;
  json["bytes"] = exact_number(bytes);
  json["busbw_bytes_per_second"] = rounded_number(bytes * wire_factor(op, route.size) / seconds);
  json["low_seconds"] = rounded_number(range.low * seconds);
  json["high_seconds"] = rounded_number(range.high * seconds);
  write_message(price, json);
  return json;
}

}  // namespace meshgauge
