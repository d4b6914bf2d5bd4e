#include "native/harness/binding.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace meshgauge::harness {

int take_cores(int local_rank, int local_size, bool bind) {
  cpu_set_t given;
  CPU_ZERO(&given);
  if (sched_getaffinity(0, sizeof given, &given) != 0) return 1;
  const int count = CPU_COUNT(&given);
  // A launcher that binds leaves each rank less than the node; a container leaves all ranks the same part of it.
  const bool bound =
      count < sysconf(_SC_NPROCESSORS_ONLN) && static_cast<long>(count) * local_size <= sysconf(_SC_NPROCESSORS_ONLN);
  const int share = std::max(1, count / local_size);
  if (bound) return count;
  if (!bind || local_size > count) return share;
  cpu_set_t own;
  CPU_ZERO(&own);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &given)) continue;
    if (seen / share == local_rank) CPU_SET(cpu, &own);
    ++seen;
  }
  (void)sched_setaffinity(0, sizeof own, &own);
  return share;
}

}  // namespace meshgauge::harness
