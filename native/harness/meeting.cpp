#include "native/harness/meeting.hpp"

#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

/// How many ports after the launcher's own rank 0 may try.
constexpr int port_tries = 16;
/// torchrun's default (torch/distributed/run.py).
constexpr int default_port = 29500;

}  // namespace

Meeting meeting_at_port(const Launch& launch, double timeout) {
  Meeting meeting{launch.rank, launch.size, launch.run_id, timeout, {}, {}, {}};
  const int first = launch.port > 0 ? launch.port : default_port;
  for (int i = launch.port_taken ? 1 : 0; i <= port_tries; ++i) meeting.ports.push_back(first + i);
  meeting.hosts = {launch.address.empty() ? "127.0.0.1" : launch.address};
  if (launch.rank != 0 || launch.size == 1) return meeting;
  for (const int port : meeting.ports) {
    meeting.listener = listen_at(port);
    if (meeting.listener.open()) return meeting;
  }
  throw Failure("Rank 0 can listen at none of the ports " + std::to_string(meeting.ports.front()) + " to " +
                std::to_string(meeting.ports.back()) + ". Set MESHGAUGE_PORT to a free one, on all ranks.");
}

}  // namespace meshgauge::harness
