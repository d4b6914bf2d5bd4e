#include "native/cli/trace.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace meshgauge::cli {
namespace {

using Json = nlohmann::ordered_json;

enum Thread { compute = 1, step_end = 2, messages = 3 };  // messages to stage n: 3 + n

int thread_of(const Json& event) {
  if (event.contains("to")) return messages + event["to"].get<int>();
  return event.contains("micro_batch") ? compute : step_end;
}

std::string thread_name(int thread) {
  if (thread == compute) return "compute";
  if (thread == step_end) return "optimizer and data parallelism";
  return "messages to stage " + std::to_string(thread - messages);
}

/// Passes by their initial, as papers draw them: F3, B3, or the input and weight gradients of a split backward.
std::string event_name(const Json& event) {
  const auto kind = event["kind"].get<std::string>();
  if (!event.contains("micro_batch")) return kind;
  const std::string number = std::to_string(event["micro_batch"].get<int>());
  if (kind == "forward") return "F" + number;
  if (kind == "backward_weight") return "W" + number;
  return (kind == "message" ? "message " : "B") + number;
}

double microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

Json metadata(const char* name, int process, int thread, const char* key, const Json& value) {
  return {{"ph", "M"}, {"name", name}, {"pid", process}, {"tid", thread}, {"args", {{key, value}}}};
}

Json complete(const Json& event, int process) {
  const double start = microseconds(event["start"].get<double>()), end = microseconds(event["end"].get<double>());
  Json args = Json::object();
  for (const char* key : {"micro_batch", "chunk", "to"}) {
    if (event.contains(key)) args[key] = event[key];
  }
  return {{"ph", "X"},
          {"name", event_name(event)},
          {"cat", event["kind"]},
          {"pid", process},
          {"tid", thread_of(event)},
          {"ts", start},
          {"dur", std::round((end - start) * 1e3) / 1e3},
          {"args", std::move(args)}};
}

}  // namespace

std::string trace_text(const Json& answer) {
  Json events = Json::array();
  for (const Json& stage : answer["step"]["timeline"]) {
    const int process = stage["stage"].get<int>();
    events.push_back(metadata("process_name", process, 0, "name", "stage " + std::to_string(process)));
    events.push_back(metadata("process_sort_index", process, 0, "sort_index", process));
    std::set<int> threads;
    for (const Json& event : stage["events"]) threads.insert(thread_of(event));
    for (const int thread : threads) {
      events.push_back(metadata("thread_name", process, thread, "name", thread_name(thread)));
      events.push_back(metadata("thread_sort_index", process, thread, "sort_index", thread));
    }
    for (const Json& event : stage["events"]) events.push_back(complete(event, process));
  }
  Json trace;
  trace["displayTimeUnit"] = "ms";
  trace["otherData"] = {{"step_seconds", answer["step"]["seconds"]}};
  trace["traceEvents"] = std::move(events);
  return trace.dump() + '\n';
}

}  // namespace meshgauge::cli
