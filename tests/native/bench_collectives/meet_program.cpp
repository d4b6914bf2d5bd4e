// A rank that some launcher started: joins the others over TCP and says how many there are, where no GPU is needed.
#include <cstdio>
#include <exception>

#include "native/harness/launch.hpp"
#include "native/harness/meeting.hpp"

int main() {
  using namespace meshgauge::harness;
  try {
    const Launch launch = launch_of(environment_variable);
    const auto control = meet(meeting_at_port(launch, 20));
    const auto all = control->gather(std::to_string(launch.rank));
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r] != std::to_string(r)) return 1;
    }
    if (launch.rank == 0) std::printf("%zu ranks met, started by %s\n", all.size(), name_of(launch.launcher).data());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
