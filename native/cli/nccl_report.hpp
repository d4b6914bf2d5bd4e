// What a log of NCCL says, for a terminal of 80 columns: the machine, what is wrong, what to try next.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "native/cli/style.hpp"

namespace meshgauge::cli {

/// `nccl` is that of the answer, `files` its list of files, null if there was one.
[[nodiscard]] std::string nccl_report(const nlohmann::ordered_json& nccl, const nlohmann::ordered_json& files,
                                      const Style&);

}  // namespace meshgauge::cli
