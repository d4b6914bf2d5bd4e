// What a log of NCCL says and what is wrong by it, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/diagnose/nccl/log.hpp"

namespace meshgauge {

/// {"versions", "ranks", "hosts", "groups", "paths", "rings", "variables", ..., "findings", "next"}.
[[nodiscard]] nlohmann::ordered_json write_nccl(const NcclLog&);

}  // namespace meshgauge
