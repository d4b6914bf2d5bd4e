// Cores for CPU ranks: each its own share of those that the launcher left.
#pragma once

namespace meshgauge::harness {

/// Threads that this rank may use. Binds the process to its share of the cores it was given, unless the launcher has
/// bound it already, there are more ranks than cores, or `bind` is false.
int take_cores(int local_rank, int local_size, bool bind);

}  // namespace meshgauge::harness
