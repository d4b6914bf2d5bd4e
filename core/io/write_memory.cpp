// Memory in an answer: totals, range, and every stage's ledger.
#include "core/io/write_memory.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/count/host_memory.hpp"
#include "core/count/other_phases.hpp"
#include "core/io/write_value.hpp"
#include "core/price/memory_spread.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json write_line(const LedgerLine& line, Explain explain) {
  Json json;
  json["id"] = line.text.id;
  json["name"] = line.text.name;
  json["category"] = name_of(line.category);
  json["bytes"] = exact_number(line.bytes.value);
  if (explain == Explain::yes) {
    json["formula"] = line.text.formula;
    Json& values = json["values"] = Json::object();
    for (const Value& value : line.values) values[value.symbol] = exact_number(value.value);
    json["source"] = line.text.source;
  }
  Json& phases = json["phases"] = Json::array();
  for (std::size_t i = 0; i < phase_count; ++i) {
    if (line.phases.has(static_cast<Phase>(i))) phases.push_back(name_of(static_cast<Phase>(i)));
  }
  return json;
}

Json write_stage(const StageMemory& stage, Explain explain) {
  Json json;
  json["stage"] = stage.stage;
  json["layers"] = stage.layers;
  json["peak_bytes"] = exact_number(stage.device_peak().value);
  json["allocated_bytes"] = exact_number(stage.allocated.value);
  json["reserved_bytes"] = exact_number(stage.reserved.value);
  json["device_bytes"] = exact_number(stage.device_peak().value);
  json["needed_bytes"] = exact_number(stage.needed.value);
  json["peak_phase"] = name_of(stage.peak);
  Json& phases = json["phases"];
  for (std::size_t i = 0; i < phase_count; ++i) {
    phases[std::string(name_of(static_cast<Phase>(i)))] = exact_number(stage.device[i].value);
  }
  Json& lines = json["lines"] = Json::array();
  Json others = Json::array();
  for (const LedgerLine& line : stage.ledger.lines) {
    (line.phases.has(stage.peak) ? lines : others).push_back(write_line(line, explain));
  }
  json["other_lines"] = std::move(others);
  return json;
}

}  // namespace

Json write_memory(const Scenario& s, const Profile& profile, const std::vector<StageMemory>& stages, Explain explain) {
  const StageMemory& binding = stages[binding_stage(stages)];
  const MemorySpread spread = memory_spread(s, profile);
  Json json;
  const auto add = [&](std::string_view kind, Bytes amount, double sigma) {
    const double bytes = amount.value, half = half_range * sigma;
    const std::string name(kind);
    json[name + "_bytes"] = exact_number(bytes);
    json[name + "_low_bytes"] = exact_number(whole(bytes * std::max(1 - half, 0.0)).value);
    json[name + "_high_bytes"] = exact_number(whole(bytes * (1 + half)).value);
  };
  const std::array<Bytes, memory_kind_count> bytes{binding.allocated, binding.reserved, binding.device_peak()};
  for (std::size_t i = 0; i < memory_kind_count; ++i) {
    add(name_of(static_cast<MemoryKind>(i)), bytes[i], spread.sigma[i]);
  }
  // What the verdict hangs on, cached blocks given back, and as widely spread as the verdict takes it to be: figure,
  // range and probability are of one distribution.
  add("needed", binding.needed, spread.fit);
  json["capacity_bytes"] = exact_number(s.cluster.gpu.memory.value);
  // Ranks of one node sit side by side; the fullest stage's host share for each of them.
  const double ranks = static_cast<double>(std::min(s.cluster.gpus, s.cluster.gpus_per_node));
  double host = 0;
  for (const StageMemory& stage : stages) host = std::max(host, host_bytes(s, stage.stage).value);
  json["host_bytes_per_node"] = exact_number(ranks * host);
  const OtherPhases others = other_phases(s, binding.stage, binding.ledger);
  json["other_phases"] = {{"first_step", exact_number(others.first_step.value)},
                          {"evaluation", exact_number(others.evaluation.value)},
                          {"save", exact_number(others.save.value)},
                          {"resume", exact_number(others.resume.value)}};
  json["binding"] = {{"stage", binding.stage}, {"phase", name_of(binding.peak)}};
  Json& list = json["stages"] = Json::array();
  for (const StageMemory& stage : stages) list.push_back(write_stage(stage, explain));
  return json;
}

}  // namespace meshgauge
