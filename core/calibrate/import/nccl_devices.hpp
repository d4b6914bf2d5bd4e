// The device list of nccl-tests ("#  Rank  0 Group  0 Pid 1000 on node-0 device 0 [0x0f] NVIDIA H100 80GB HBM3") and
// what follows from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/calibrate/measurement.hpp"

namespace meshgauge {

struct NcclDevice {
  std::int64_t rank = 0, group = 0;
  std::size_t host = 0;  ///< index into `hosts`
  std::string address;   ///< index and bus
};

struct NcclDevices {
  std::vector<NcclDevice> list;
  std::vector<std::string> hosts;
  std::string gpu;
  bool several_gpus = false;

  /// True if the line (from "Rank" on) names a device.
  bool take(std::string_view line);
  void add(NcclDevice, std::string_view host, std::string_view name);
};

struct NcclLayout {
  std::int64_t groups = 1;
  std::int64_t times_rank_0 = 0;  ///< above 1: programs that do not know of each other
};
/// Fills GPU, ranks and nodes of the place, and says what the list leaves open.
[[nodiscard]] NcclLayout layout_of(const NcclDevices&, Place&, std::vector<std::string>& notes);

}  // namespace meshgauge
