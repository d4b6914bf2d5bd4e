// What the harness adds to the bare MPI call: blocks of both in turns, in one process, on the same buffers.
//   mpirun -np 2 collective_overhead
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "native/collectives/call.hpp"
#include "native/harness/clock.hpp"
#include "native/harness/mpi_communicator.hpp"
#include "native/harness/sampler.hpp"

int main() {
  using meshgauge::harness::Call, meshgauge::harness::cpu_device, meshgauge::harness::layout_of,
      meshgauge::harness::MpiSession, meshgauge::harness::now_seconds;
  const MpiSession session;
  const auto world = session.world();
  world->one_by_one(true);
  const auto device = cpu_device();
  if (world->rank() == 0) {
    fmt::print(
        "| bytes | bare MPI_Allreduce (us) | through the harness (us) | added (ns) | added (%) "
        "|\n|---|---|---|---|---|\n");
  }
  for (const std::size_t bytes : {8U, 1024U, 16384U, 131072U, 1048576U, 4194304U}) {
    Call call(*world, *device, bytes, 0);
    call.ask({meshgauge::Operation::all_reduce,
              layout_of(meshgauge::Operation::all_reduce, bytes, meshgauge::ElementType::float32, world->size()),
              meshgauge::ReduceOp::sum,
              0,
              {}});
    const int calls = bytes < 100'000 ? 1000 : bytes < 2'000'000 ? 20 : 2;
    const auto bare = [&] {
      MPI_Allreduce(call.send_buffer().data(), call.receive_buffer().data(), static_cast<int>(bytes / 4), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
    };
    const auto block = [&](const auto& run) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = now_seconds();
      for (int i = 0; i < calls; ++i) run(static_cast<std::size_t>(i));
      return (now_seconds() - start) / calls;
    };
    std::vector<double> without, with;
    const auto measure_bare = [&] { without.push_back(block([&](std::size_t) { bare(); })); };
    const auto measure_call = [&] { with.push_back(block([&](std::size_t i) { call.run(false, i); })); };
    for (int turn = 0; turn < 200; ++turn) {  // each is first as often as second
      if (turn % 2 == 0) measure_bare();
      measure_call();
      if (turn % 2 != 0) measure_bare();
    }
    // The lower quartile: other programs on the machine only ever add.
    const auto low = [](std::vector<double>& times) {
      std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4), times.end());
      return times[times.size() / 4];
    };
    const double a = low(without), b = low(with);
    if (world->rank() == 0) {
      fmt::print("| {} | {:.2f} | {:.2f} | {:.0f} | {:.2f} |\n", bytes, a * 1e6, b * 1e6, (b - a) * 1e9,
                 (b / a - 1) * 100);
    }
  }
}
