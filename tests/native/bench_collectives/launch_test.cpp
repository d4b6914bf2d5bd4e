// Rank and address from the environment of each launcher.
#include "native/harness/launch.hpp"

#include <map>

#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge::harness;
using Catch::Matchers::ContainsSubstring;

namespace {

Environment of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_CASE("No launcher") {
  const Launch launch = launch_of(of({{"PATH", "/bin"}}));
  CHECK(launch.launcher == Launcher::alone);
  CHECK((launch.rank == 0 && launch.size == 1 && !launch.has_mpi));
}

TEST_CASE("torchrun, whose agent keeps the port") {
  // torch/distributed/elastic/agent/server/local_elastic_agent.py
  const Launch launch = launch_of(of({{"LOCAL_RANK", "1"},
                                      {"RANK", "9"},
                                      {"GROUP_RANK", "1"},
                                      {"LOCAL_WORLD_SIZE", "8"},
                                      {"WORLD_SIZE", "16"},
                                      {"MASTER_ADDR", "node3"},
                                      {"MASTER_PORT", "29500"},
                                      {"TORCHELASTIC_RUN_ID", "job"},
                                      {"TORCHELASTIC_RESTART_COUNT", "2"},
                                      {"TORCHELASTIC_USE_AGENT_STORE", "True"}}));
  CHECK(launch.launcher == Launcher::torchrun);
  CHECK((launch.rank == 9 && launch.size == 16 && launch.local_rank == 1 && launch.local_size == 8));
  CHECK((launch.address == "node3" && launch.port == 29500 && launch.port_taken && !launch.has_mpi));
  CHECK_THAT(launch.run_id, ContainsSubstring("job/2/"));
}

TEST_CASE("A restart is another run") {
  std::map<std::string, std::string> variables{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RESTART_COUNT", "0"}};
  const std::string first = launch_of(of(variables)).run_id;
  variables["TORCHELASTIC_RESTART_COUNT"] = "1";
  CHECK(launch_of(of(variables)).run_id != first);
}

TEST_CASE("Open MPI and MPICH") {
  const Launch open = launch_of(of({{"OMPI_COMM_WORLD_RANK", "3"},
                                    {"OMPI_COMM_WORLD_SIZE", "4"},
                                    {"PMIX_RANK", "3"},
                                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                    {"OMPI_COMM_WORLD_NODE_RANK", "1"}}));
  CHECK(open.launcher == Launcher::mpirun);
  CHECK((open.rank == 3 && open.size == 4 && open.local_rank == 1 && open.local_size == 2 && open.has_mpi));
  const Launch mpich =
      launch_of(of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}}));
  CHECK((mpich.launcher == Launcher::mpirun && mpich.rank == 1 && mpich.local_size == 2));
}

TEST_CASE("srun, with and without MPI") {
  const std::map<std::string, std::string> slurm{{"SLURM_PROCID", "5"},
                                                 {"SLURM_NTASKS", "8"},
                                                 {"SLURM_LOCALID", "1"},
                                                 {"SLURM_STEP_ID", "0"},
                                                 {"SLURM_JOB_ID", "77"},
                                                 {"SLURM_NTASKS_PER_NODE", "4"},
                                                 {"SLURM_STEP_NODELIST", "gpu[03-04]"}};
  const Launch launch = launch_of(of(slurm));
  CHECK(launch.launcher == Launcher::srun);
  CHECK((launch.rank == 5 && launch.size == 8 && launch.local_rank == 1 && launch.local_size == 4));
  CHECK((launch.address == "gpu03" && !launch.has_mpi));
  auto with_pmix = slurm;
  with_pmix["PMIX_RANK"] = "5";
  CHECK(launch_of(of(with_pmix)).has_mpi);
  auto shell = slurm;  // salloc's own shell is no task
  shell.erase("SLURM_STEP_ID");
  CHECK(launch_of(of(shell)).launcher == Launcher::alone);
}

TEST_CASE("Contradictions are said") {
  CHECK_THROWS_WITH(launch_of(of({{"RANK", "4"}, {"WORLD_SIZE", "4"}})), ContainsSubstring("rank 4 of 4"));
  CHECK_THROWS_WITH(launch_of(of({{"RANK", "x"}, {"WORLD_SIZE", "4"}})), ContainsSubstring("RANK is \"x\""));
  CHECK_THROWS_AS(launch_of(of({{"OMPI_COMM_WORLD_RANK", "0"}})), BadInput);
}

TEST_CASE("The first host of Slurm's lists") {
  CHECK(first_host("node1") == "node1");
  CHECK(first_host("node1,node2") == "node1");
  CHECK(first_host("node[03-07,11],login") == "node03");
  CHECK(first_host("rack1-[2,4]-ib") == "rack1-2-ib");
  CHECK(first_host("a,node[1-2]") == "a");
  CHECK(first_host("") == "");
}
