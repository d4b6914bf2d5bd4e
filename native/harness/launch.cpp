#include "native/harness/launch.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <initializer_list>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

/// The first of the variables that is set, as a number.
std::optional<int> number(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::optional<std::string> text = environment(name);
    if (!text || text->empty()) continue;
    int value = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    // Slurm writes the tasks of several nodes as "4(x2)": the first number is this node's where all are alike.
    if (error != std::errc{} || value < 0 || (stop != end && *stop != '(' && *stop != ',')) {
      throw BadInput("The environment variable " + std::string(name) + " is " + in_quotes(*text) +
                     ". Expected: a whole number of 0 or more.");
    }
    return value;
  }
  return std::nullopt;
}

Launcher launcher_of(const Environment& environment) {
  const auto has = [&](const char* name) { return environment(name).has_value(); };
  if (has("TORCHELASTIC_RUN_ID") || (has("RANK") && has("WORLD_SIZE"))) return Launcher::torchrun;
  if (has("OMPI_COMM_WORLD_RANK") || has("PMI_RANK") || has("MV2_COMM_WORLD_RANK")) {
    return has("SLURM_PROCID") && !has("OMPI_COMM_WORLD_RANK") ? Launcher::srun : Launcher::mpirun;
  }
  // An interactive shell of Slurm has SLURM_PROCID too, but is no task of a step that srun started.
  if (has("SLURM_PROCID") && has("SLURM_STEP_ID") && environment("SLURM_STEP_ID") != "4294967290") {
    return Launcher::srun;
  }
  return has("PMIX_RANK") ? Launcher::mpirun : Launcher::alone;
}

}  // namespace

// The order of the variables: torchrun's (torch/distributed/elastic/agent/server/local_elastic_agent.py), Open MPI's
// (docs/tuning-apps/environment-var.rst), MPICH's and PMI's (src/pm/hydra), MVAPICH2's, Slurm's (srun(1)).
Launch launch_of(const Environment& environment) {
  Launch launch;
  launch.launcher = launcher_of(environment);
  if (launch.launcher == Launcher::alone) return launch;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK"}) {
    launch.has_mpi = launch.has_mpi || environment(name).has_value();
  }
  const auto rank = number(
      environment, {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"});
  const auto size = number(environment, {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                         "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
  if (!rank || !size || *rank >= *size) {
    throw BadInput("The launcher " + std::string(name_of(launch.launcher)) + " says rank " +
                   (rank ? std::to_string(*rank) : "nothing") + " of " + (size ? std::to_string(*size) : "nothing") +
                   " ranks. Expected: RANK and WORLD_SIZE, or the variables of Open MPI, PMI or Slurm.");
  }
  launch.rank = *rank;
  launch.size = *size;
  const auto local_rank = number(environment, {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                               "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
  const auto local_size =
      number(environment, {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                           "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"});
  launch.local_rank = local_rank.value_or(0);
  launch.local_size = local_size.value_or(0);
  launch.port = number(environment, {"MESHGAUGE_PORT", "MASTER_PORT"}).value_or(0);
  launch.port_taken = !environment("MESHGAUGE_PORT") && environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch.address = environment("MASTER_ADDR").value_or("");
  if (launch.address.empty() && launch.launcher == Launcher::srun) {
    const auto list = environment("SLURM_STEP_NODELIST");
    launch.address = first_host(list ? *list : environment("SLURM_JOB_NODELIST").value_or(""));
  }
  for (const char* name :
       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID", "SLURM_STEP_ID", "MESHGAUGE_RUN_ID"}) {
    launch.run_id += environment(name).value_or("") + '/';
  }
  return launch;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string_view name_of(Launcher launcher) {
  constexpr std::array<std::string_view, 4> names{"alone", "mpirun", "srun", "torchrun"};
  return names[static_cast<std::size_t>(launcher)];
}

bool speaks() {
  try {
    return launch_of(environment_variable).rank == 0;
  } catch (const BadInput&) {
    return true;
  }
}

std::string first_host(std::string_view list) {
  const std::size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) return std::string(list.substr(0, comma));
  const std::string_view range = list.substr(bracket + 1);
  const std::size_t close = list.find(']');
  const std::string_view after = close == std::string_view::npos ? "" : list.substr(close + 1);
  return std::string(list.substr(0, bracket)) + std::string(range.substr(0, range.find_first_of("-,]"))) +
         std::string(after.substr(0, after.find(',')));
}

}  // namespace meshgauge::harness
