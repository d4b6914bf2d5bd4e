// Bus bandwidths of collectives that were published, each curve with its machine and source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/collective.hpp"
#include "core/units.hpp"

namespace meshgauge {

struct BusPoint {
  double bytes = 0;  ///< in the sense of nccl-tests
  BytesPerSecond bus{};
};

struct PublishedCurve {
  std::string id;
  std::string gpu;                ///< id of the catalog
  std::string topology;           ///< of the node; empty: not said
  std::string network;            ///< empty: inside a node
  BytesPerSecond network_rate{};  ///< of each GPU
  Collective collective = Collective::all_reduce;
  std::int64_t ranks = 0, ranks_per_node = 0;
  std::string algorithm;         ///< "nvls", "ring"; empty: does not matter, or not said
  std::string fault;             ///< what was wrong with the machine; empty: nothing that is known
  BytesPerSecond peak{};         ///< stated for large messages, without a curve; 0: there are points
  std::vector<BusPoint> points;  ///< by size
  std::string source;
};

/// Those of the collective over as many ranks, on any machine.
[[nodiscard]] std::vector<PublishedCurve> published_curves(Collective, std::int64_t ranks, std::int64_t ranks_per_node);

/// Between two sizes the time is a straight line; from the largest on, eightfold at most, the bandwidth stays. Nothing
/// elsewhere.
[[nodiscard]] std::optional<BytesPerSecond> bus_bandwidth_at(const PublishedCurve&, double bytes);

}  // namespace meshgauge
