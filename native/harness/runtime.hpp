// What a command gets when it runs: its ranks, its device, and a way to exchange small values beside the backend.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "native/harness/communicator.hpp"
#include "native/harness/control.hpp"
#include "native/harness/device.hpp"
#include "native/harness/options.hpp"

namespace meshgauge::harness {

/// Lives on each rank for as long as the command runs.
struct Runtime {
  CommonOptions options;
  std::unique_ptr<Device> device;
  std::unique_ptr<Communicator> world;
  std::unique_ptr<Control> control;
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  ///< on this node
  int node = 0, nodes = 1;
  std::vector<int> node_of;     ///< of every rank
  int cpu_threads = 1;          ///< that this rank may use without taking another's cores: for BLAS
  bool shares_gpu = false;      ///< with another rank, as MESHGAUGE_DEVICE allows: times say nothing
  std::string launcher;         ///< "mpirun", "srun", "torchrun", "alone"
  std::string backend;          ///< "mpi", "nccl"
  std::string library_version;  ///< of the backend: "Open MPI v4.1.4"

  [[nodiscard]] bool leads() const { return rank == 0; }
  /// Ranks of each node if all have the same number, else 0.
  int ranks_per_node = 1;

  /// Small values of all ranks, by rank. Every rank calls.
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) { return control->gather(mine); }
  /// Element by element the largest of all ranks. Every rank calls, with equally many.
  [[nodiscard]] std::vector<double> largest(std::span<const double> mine);
  /// Says that this rank goes on, and with what: a rank that says nothing for --timeout ends the program.
  void progress(std::string_view what) { control->progress(what); }
};

/// Joins the ranks, calls `body` on each and gives its status. Errors are said once and end all ranks: BadInput with
/// status 2, Failure and lack of memory with 3.
int with_ranks(const CommonOptions&, const std::function<int(Runtime&)>& body);

}  // namespace meshgauge::harness
