#include "core/calibrate/import/importers.hpp"

#include <array>

namespace meshgauge {

std::span<const Importer* const> text_importers() {
  static constexpr auto table = std::to_array<const Importer*>({
      &nccl_tests,
  });
  return table;
}

}  // namespace meshgauge
