// The importers of text, one file each. A new one is declared here and entered in the table of importers.cpp.
#pragma once

#include <span>

#include "core/calibrate/import/importer.hpp"

namespace meshgauge {

extern const Importer nccl_tests;  ///< nccl-tests and rccl-tests

[[nodiscard]] std::span<const Importer* const> text_importers();

}  // namespace meshgauge
