#include "core/io/write_import.hpp"

#include <nlohmann/json.hpp>

#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// Only what is said.
void put(Json& json, const char* key, double value) {
  if (value != 0) json[key] = value;
}
void put(Json& json, const char* key, std::int64_t value) {
  if (value != 0) json[key] = value;
}
void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}
void put(Json& json, const char* key, bool value) {
  if (value) json[key] = true;
}

Json write_place(const Place& place) {
  Json json = Json::object();
  put(json, "gpu", place.gpu);
  put(json, "library", place.library);
  put(json, "ranks", place.ranks);
  put(json, "ranks_per_node", place.ranks_per_node);
  put(json, "gpus_per_node", place.gpus_per_node);
  put(json, "cpu", place.cpu);
  return json;
}

void write(Json& json, const MeasuredCollective& measured) {
  json["kind"] = "collective";
  put(json, "operation", measured.operation);
  json["bytes"] = exact_number(measured.bytes);
  json["seconds"] = measured.seconds.value;
  put(json, "low_seconds", measured.low.value);
  put(json, "high_seconds", measured.high.value);
  put(json, "type", measured.type);
  json["in_place"] = measured.in_place;
  put(json, "wrong", measured.wrong);
  if (measured.concurrent > 1) json["concurrent"] = measured.concurrent;
}

void write(Json& json, const MeasuredKernel& measured) {
  json["kind"] = "kernel";
  json["op"] = name_of(measured.call.op);
  if (is_product(measured.call.op)) {
    json["format"] = name_of(measured.call.format);
    put(json, "m", measured.call.m);
    put(json, "n", measured.call.n);
    put(json, "k", measured.call.k);
    if (measured.call.groups > 1) json["groups"] = exact_number(measured.call.groups);
  }
  if (measured.call.bytes > 0) json["bytes"] = exact_number(measured.call.bytes);
  json["seconds"] = measured.seconds.value;
  put(json, "low_seconds", measured.low.value);
  put(json, "high_seconds", measured.high.value);
}

void write(Json& json, const MeasuredLink& measured) {
  json["kind"] = "link";
  json["link"] = name_of(measured.kind);
  if (measured.bytes > 0) json["bytes"] = exact_number(measured.bytes);
  put(json, "bytes_per_second", measured.bandwidth.value);
  put(json, "latency_seconds", measured.latency.value);
  put(json, "both_directions", measured.both_directions);
}

void write(Json& json, const MeasuredStep& measured) {
  json["kind"] = "step";
  put(json, "step", measured.step);
  put(json, "seconds", measured.seconds.value);
  put(json, "tokens_per_second", measured.tokens_per_second);
  put(json, "tokens_per_second_per_gpu", measured.tokens_per_second_per_gpu);
  put(json, "model_flops_per_gpu", measured.model_flops_per_gpu.value);
  put(json, "mfu", measured.mfu);
  put(json, "allocated_bytes", measured.allocated.value);
  put(json, "reserved_bytes", measured.reserved.value);
  put(json, "device_bytes", measured.device.value);
}

Json write_measurement(const Measurement& measurement, const Place& place) {
  Json json = {{"line", measurement.line}};
  std::visit(
      [&](const auto& what) {
        write(json, what);
        // A group of its own, smaller than the run.
        if (what.place.ranks != place.ranks) json["ranks"] = what.place.ranks;
        if (what.place.ranks_per_node != place.ranks_per_node) json["ranks_per_node"] = what.place.ranks_per_node;
      },
      measurement.what);
  return json;
}

Json write_run(const ImportedRun& run) {
  Json questions = Json::array(), measurements = Json::array();
  for (const Question question : run.questions) questions.push_back(name_of(question));
  for (const Measurement& measurement : run.measurements)
    measurements.push_back(write_measurement(measurement, run.place));
  return {{"tool", run.tool},       {"first_line", run.first_line}, {"place", write_place(run.place)},
          {"questions", questions}, {"notes", run.notes},           {"measurements", std::move(measurements)}};
}

}  // namespace

Json write_imported(const std::string& name, const Imported& imported) {
  Json runs = Json::array(), unread = Json::array();
  for (const ImportedRun& run : imported.runs) runs.push_back(write_run(run));
  for (const Unread& line : imported.unread) {
    unread.push_back({{"line", line.line}, {"text", line.text}, {"reason", line.reason}});
  }
  return {{"name", name},
          {"tool", imported.tool.empty() ? Json(nullptr) : Json(imported.tool)},
          {"runs", std::move(runs)},
          {"unread", std::move(unread)},
          {"unread_left_out", imported.unread_left_out},
          {"measurements_left_out", imported.measurements_left_out}};
}

}  // namespace meshgauge
