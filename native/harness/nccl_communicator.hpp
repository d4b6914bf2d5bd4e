// Groups of GPU ranks over NCCL.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "native/harness/communicator.hpp"
#include "native/harness/options.hpp"

namespace meshgauge::harness {

/// An ncclUniqueId.
using NcclId = std::array<std::byte, 128>;

struct NcclOptions {
  std::optional<CtaPolicy> cta_policy;
  double timeout_seconds = 0;  ///< of `wait`; 0: none
};

/// On the current GPU, for one rank a process. `share` gives every rank the id that it gets on rank 0.
[[nodiscard]] std::unique_ptr<Communicator> nccl_communicator(int rank, int size,
                                                              const std::function<void(NcclId&)>& share,
                                                              const NcclOptions& = {});
/// "NCCL 2.28.9" of the library that was loaded.
[[nodiscard]] std::string nccl_version();

}  // namespace meshgauge::harness
