// What one pipeline rank holds, with the figures that answers and tables speak of.
#include "core/io/stage_memory.hpp"

#include <utility>

#include "core/count/memory.hpp"
#include "core/count/memory_kinds.hpp"
#include "core/count/stage.hpp"

namespace meshgauge {

StageMemory stage_memory(const Scenario& s, const OverheadConstants& constants, std::int64_t stage) {
  const StageShape shape = stage_shape(s, stage);
  StageMemory memory;
  memory.stage = stage;
  memory.layers = shape.layers() + shape.encoder_layers;
  count_memory(s, constants, stage, memory.ledger);
  const MemoryByKind kinds = memory_by_kind(memory.ledger);
  memory.device = kinds[static_cast<std::size_t>(MemoryKind::device)];
  const auto& allocated = kinds[static_cast<std::size_t>(MemoryKind::allocated)];
  for (std::size_t i = 1; i < phase_count; ++i) {  // on a full card phases look alike but for their tensors
    const Bytes before = allocated[static_cast<std::size_t>(memory.peak)];
    const bool more = memory.device[i] > memory.device_peak();
    if (more || (memory.device[i] == memory.device_peak() && allocated[i] > before))
      memory.peak = static_cast<Phase>(i);
  }
  const auto peak = static_cast<std::size_t>(memory.peak);
  memory.allocated = allocated[peak];
  memory.reserved = kinds[static_cast<std::size_t>(MemoryKind::reserved)][peak];
  for (const Bytes bytes : needed_by_phase(memory.ledger, constants.least_slack)) {
    memory.needed = max(memory.needed, bytes);
  }
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
    const Bytes device = stages[i].device_peak(), most = stages[binding].device_peak();
    if (device > most || (device == most && stages[i].allocated > stages[binding].allocated)) binding = i;
  }
  return binding;
}

StageMemory fullest_stage(const Scenario& s, const OverheadConstants& constants) {
  std::vector<StageMemory> stages = all_stages(s, constants);
  return std::move(stages[binding_stage(stages)]);
}

}  // namespace meshgauge
