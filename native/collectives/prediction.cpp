#include "native/collectives/prediction.hpp"

#include <cmath>

#include "core/price/collective.hpp"

namespace meshgauge::harness {

std::optional<double> predicted(const std::optional<Model>& model, Operation op, const Layout& layout, Route route) {
  const std::optional<Collective> collective = priced_as(op);
  if (!model || !collective || route.size < 2 || layout.bytes() == 0) return std::nullopt;
  const double seconds =
      collective_time(model->profile, model->cluster, *collective, static_cast<double>(layout.bytes()), route).value;
  return std::isfinite(seconds) && seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace meshgauge::harness
