#include "core/calibrate/import/importers.hpp"

#include <array>

namespace meshgauge {

std::span<const Importer* const> text_importers() {
  static constexpr auto table = std::to_array<const Importer*>({
      &all_reduce_bench,
      &deepspeed_log,
      &hf_trainer,
      &megatron_log,
      &nanotron_log,
      &nccl_tests,
      &nvbandwidth,
      &osu,
      &p2p_test,
      &perftest,
      &torchtitan_log,
      &training_script,
  });
  return table;
}

}  // namespace meshgauge
