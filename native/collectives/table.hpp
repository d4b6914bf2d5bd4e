// The table on standard output, laid out as nccl-tests lays it out, so that what reads its logs reads ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/collectives/flags.hpp"
#include "native/collectives/measure.hpp"

namespace meshgauge::harness {

/// Six or seven places wide, with as many decimals, up to two, as there is room for.
[[nodiscard]] std::string fitted(double value, int width);

/// A rank, in the list at the head: "#  Rank  0 Group  0 Pid 4711 on node7 device  0 [0000:07:00] NVIDIA H200".
struct RankLine {
  int rank = 0, group = 0;
  std::int64_t pid = 0;
  std::string host;
  int device = 0;
  std::string address;  ///< on the PCI bus
  std::string name;
};
[[nodiscard]] std::string line_of(const RankLine&);

[[nodiscard]] std::string head(Operation, const CollectiveFlags&, const std::string& version);
[[nodiscard]] std::string columns(const CollectiveFlags&);

/// The left part of a row, and one of its two halves. No number of wrong elements: not checked.
[[nodiscard]] std::string row_start(Operation, const Request&);
[[nodiscard]] std::string row_half(const Measured&, const CollectiveFlags&, double algbw, double busbw,
                                   std::optional<std::int64_t> wrong);
/// Below a row, as a comment: what the model says, and how samples scatter. Empty if there is nothing to say.
[[nodiscard]] std::string below_row(const std::vector<Measured>& halves, std::optional<double> predicted);

/// `least_bandwidth` is NCCL_TESTS_MIN_BW.
[[nodiscard]] std::string foot(Operation, std::int64_t wrong, double mean_bandwidth,
                               std::optional<double> least_bandwidth);
/// nccl-tests fails a run below 0.9 of the bandwidth that was asked for.
[[nodiscard]] bool too_slow(double mean_bandwidth, std::optional<double> least_bandwidth);

/// "2026-11-30 12:00:00"
[[nodiscard]] std::string time_of_day();

}  // namespace meshgauge::harness
