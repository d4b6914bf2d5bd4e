// What one pipeline rank holds, with the figures that answers and tables speak of.
#include "core/io/stage_memory.hpp"

#include <string_view>

#include "core/count/memory.hpp"
#include "core/count/stage.hpp"

namespace meshgauge {

StageMemory stage_memory(const Scenario& s, const OverheadConstants& constants, std::int64_t stage) {
  const StageShape shape = stage_shape(s, stage);
  StageMemory memory;
  memory.stage = stage;
  memory.layers = shape.layers() + shape.encoder_layers;
  count_memory(s, constants, stage, memory.ledger);
  memory.device = memory.ledger.totals();
  for (std::size_t i = 1; i < phase_count; ++i) {
    if (memory.device[i] > memory.device_peak()) memory.peak = static_cast<Phase>(i);
  }
  for (const LedgerLine& line : memory.ledger.lines) {
    if (!line.phases.has(memory.peak)) continue;
    if (line.category != Category::overhead) memory.allocated += line.bytes;
    if (line.text.id == std::string_view("allocator_reserve")) memory.reserved += line.bytes;
  }
  memory.reserved += memory.allocated;
  return memory;
}

std::vector<StageMemory> all_stages(const Scenario& s, const OverheadConstants& constants) {
  std::vector<StageMemory> stages;
  stages.reserve(static_cast<std::size_t>(s.parallelism.pipeline));
  for (std::int64_t stage = 0; stage < s.parallelism.pipeline; ++stage) {
    stages.push_back(stage_memory(s, constants, stage));
  }
  return stages;
}

std::size_t binding_stage(const std::vector<StageMemory>& stages) {
  std::size_t binding = 0;
  for (std::size_t i = 1; i < stages.size(); ++i) {
    if (stages[i].device_peak() > stages[binding].device_peak()) binding = i;
  }
  return binding;
}

}  // namespace meshgauge
