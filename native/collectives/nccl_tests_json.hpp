// The file that nccl-tests writes with -J (its src/util.cu, version 3): the same keys, without the environment.
#pragma once

#include <nlohmann/json.hpp>

#include "native/collectives/table.hpp"

namespace meshgauge::harness {

class NcclTestsJson {
 public:
  NcclTestsJson(const CollectiveFlags&, const std::vector<RankLine>&);
  void start_row(Operation, const Request&, int iterations);
  void add_half(bool in_place, const Measured&, bool cpu_time, double algbw, double busbw,
                std::optional<std::int64_t> wrong);
  [[nodiscard]] std::string text(std::int64_t wrong, double mean_bandwidth, std::optional<double> least_bandwidth);

 private:
  nlohmann::ordered_json document_, rows_ = nlohmann::ordered_json::array();
};

}  // namespace meshgauge::harness
