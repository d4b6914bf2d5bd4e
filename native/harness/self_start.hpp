// Starting the ranks where no launcher did.
#pragma once

#include <string_view>

namespace meshgauge::harness {

/// Runs this program again as `ranks` processes on this node, waits, and gives the status to end with: under mpirun
/// for the backend mpi, by itself for nccl.
[[nodiscard]] int start_ranks(std::string_view backend, int ranks);

}  // namespace meshgauge::harness
