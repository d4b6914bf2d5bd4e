// Where ranks meet that no MPI joins.
#pragma once

#include "native/harness/control.hpp"
#include "native/harness/launch.hpp"

namespace meshgauge::harness {

/// At the address that the launcher names, and the first port of a few that rank 0 finds free: those after the
/// launcher's own, which may be taken by its store. Throws Failure where none is.
[[nodiscard]] Meeting meeting_at_port(const Launch&, double timeout_seconds);

}  // namespace meshgauge::harness
