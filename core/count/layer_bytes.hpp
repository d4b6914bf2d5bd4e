// What a layer keeps, line by line, for who counts it for many numbers of layers: a line is a number of layers times
// the bytes of one, rounded.
#pragma once

#include <array>
#include <vector>

#include "core/count/ledger.hpp"
#include "core/count/parameters.hpp"
#include "core/scenario/training.hpp"

namespace meshgauge {

/// A sink: the lines of one layer, before they are rounded.
struct LayerBytes {
  std::vector<double> lines;

  void add(const LineText&, Category, Phases, double bytes, std::initializer_list<Value>) { lines.push_back(bytes); }
  [[nodiscard]] Bytes times(double n) const {
    Bytes sum{};
    for (const double bytes : lines) sum += whole(n * bytes);
    return sum;
  }
};

/// What selective recompute throws away; nothing under the other settings.
[[nodiscard]] inline RecomputeModules dropped_modules(const Training& training) {
  return training.recompute == Recompute::selective ? training.recompute_modules : RecomputeModules{};
}

/// By kind of layer.
using KeptByLayers = std::array<LayerBytes, 4>;

/// What the layers that a backward rebuilds follow from, of ranks that differ in nothing else than what they hold.
struct RebuiltFrom {
  double layers = 0;  ///< rebuilt together
  LayerKind widest = LayerKind::dense;
  bool has_layers = false;
  Phases alive;

  bool operator==(const RebuiltFrom& o) const {
    return layers == o.layers && widest == o.widest && has_layers == o.has_layers && alive.bits == o.alive.bits;
  }
};

}  // namespace meshgauge
