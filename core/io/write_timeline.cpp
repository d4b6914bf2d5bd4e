#include "core/io/write_timeline.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// Rounded down and up alike, so that what follows one another still does.
double whole_nanoseconds(Seconds time) { return std::floor(time.value * giga + 0.5) / giga; }

Json write_event(const Event& event) {
  Json json;
  json["start"] = whole_nanoseconds(event.start);
  json["end"] = whole_nanoseconds(event.end);
  json["kind"] = name_of(event.kind);
  if (event.micro_batch >= 0) {
    json["micro_batch"] = event.micro_batch;
    json["chunk"] = event.chunk;
  }
  if (event.to >= 0) json["to"] = event.to;
  return json;
}

}  // namespace

Json write_timeline(const std::vector<StageTimeline>& timeline) {
  Json list = Json::array();
  for (const StageTimeline& stage : timeline) {
    Json events = Json::array();
    for (const Event& event : stage.events) events.push_back(write_event(event));
    Json json;
    json["stage"] = list.size();
    json["events"] = std::move(events);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace meshgauge
