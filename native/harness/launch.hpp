// Who started this process, and as which rank: read from the environment that launchers leave.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace meshgauge::harness {

enum class Launcher { alone, mpirun, srun, torchrun };

struct Launch {
  Launcher launcher = Launcher::alone;
  bool has_mpi = false;  ///< an MPI library finds its launcher here
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 0;  ///< 0: not said
  std::string address;                 ///< of rank 0's node; empty: not said
  int port = 0;                        ///< where rank 0 may listen first; 0: not said
  bool port_taken = false;             ///< by the launcher's own store
  std::string run_id;                  ///< the same for all ranks of one start, and for no other start
};

/// A variable's value, or nothing.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// Throws BadInput where variables contradict each other or are no numbers.
[[nodiscard]] Launch launch_of(const Environment&);
/// Of this process.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);
[[nodiscard]] std::string_view name_of(Launcher);
/// Whether this process is the one that says what all ranks find wrong with the same flags.
[[nodiscard]] bool speaks();

/// "node[03-07,11],login" -> "node03": Slurm's list of hosts.
[[nodiscard]] std::string first_host(std::string_view node_list);

}  // namespace meshgauge::harness
