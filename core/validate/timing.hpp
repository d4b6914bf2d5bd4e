// A collective or a kernel that was timed alone, and what is predicted of it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/engine/collective.hpp"
#include "core/price/kernel.hpp"
#include "core/price/profile.hpp"
#include "core/price/route.hpp"
#include "core/scenario/cluster.hpp"
#include "core/units.hpp"
#include "core/validate/comparison.hpp"

namespace meshgauge {

/// `bytes` as nccl-tests counts them.
struct CollectiveCall {
  Collective collective = Collective::all_reduce;
  double bytes = 0;
  Route route;
};

struct Timing {
  Cluster cluster;
  std::variant<CollectiveCall, KernelCall> call;
  Seconds measured{};
  Seconds floor{};  ///< what the harness adds to short calls: the two are joined as (t^4 + floor^4)^(1/4)
};

/// By what timings are summed up: "operation", "all_reduce".
struct Label {
  std::string by;
  std::string name;
};

/// `profile` is that of the timing's cluster.
[[nodiscard]] Comparison compare(const Timing&, const Profile& profile);
[[nodiscard]] std::vector<Label> labels_of(const Timing&);

}  // namespace meshgauge
