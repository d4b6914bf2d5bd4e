#include "native/harness/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <sstream>

#include "core/scenario/words.hpp"
#include "native/harness/binding.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/launch.hpp"
#include "native/harness/meeting.hpp"
#include "native/harness/self_start.hpp"
#ifdef MESHGAUGE_MPI
#include "native/harness/mpi_communicator.hpp"
#endif
#ifdef MESHGAUGE_CUDA
#include "native/harness/nccl_communicator.hpp"
#endif

namespace meshgauge::harness {
namespace {

/// The same for ranks of one node: the name, and the boot so that equal names do not matter.
std::string node_identity() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return host_name() + ' ' + boot;
}

void place_on_nodes(Runtime& runtime) {
  const std::vector<std::string> names = runtime.gather(node_identity());
  std::map<std::string, int> number, count;
  for (int r = 0; r < runtime.size; ++r) {
    const std::string& name = names[static_cast<std::size_t>(r)];
    number.emplace(name, static_cast<int>(number.size()));
    runtime.node_of.push_back(number[name]);
    const int before = count[name]++;
    if (r == runtime.rank) runtime.local_rank = before;
  }
  const std::string& own = names[static_cast<std::size_t>(runtime.rank)];
  runtime.node = number[own];
  runtime.nodes = static_cast<int>(number.size());
  runtime.local_size = count[own];
  const auto other = [&](const auto& entry) { return entry.second != runtime.local_size; };
  runtime.ranks_per_node = std::any_of(count.begin(), count.end(), other) ? 0 : runtime.local_size;
}

#ifdef MESHGAUGE_MPI
/// MPI carries the address of rank 0.
Meeting meeting_over(Communicator& world, double timeout) {
  Meeting meeting{world.rank(), world.size(), "", timeout, {}, {}, {}};
  if (world.size() == 1) return meeting;
  std::array<char, 4096> text{};
  if (world.rank() == 0) {
    meeting.listener = listen_at(0);
    if (!meeting.listener.open()) throw Failure("Rank 0 can listen at no TCP port.");
    const std::string said =
        packed({std::to_string(std::random_device{}()), std::to_string(port_of(meeting.listener)), own_addresses()});
    std::copy_n(said.begin(), std::min(said.size(), text.size()), text.begin());
  }
  world.broadcast(text.data(), text.data(), text.size(), ElementType::uint8, 0);
  world.wait();
  const std::vector<std::string> said = unpacked(std::string_view(text.data(), strnlen(text.data(), text.size())));
  if (said.size() != 3) throw Failure("Rank 0 has more addresses than the ranks can be told.");
  meeting.run_id = said[0];
  meeting.ports = {std::stoi(said[1])};
  std::istringstream addresses(said[2]);
  std::string host;
  addresses >> host;
  if (host == host_name()) meeting.hosts.emplace_back("127.0.0.1");
  for (std::string address; addresses >> address;) meeting.hosts.push_back(address);
  meeting.hosts.push_back(host);
  return meeting;
}

void need_mpi_launcher(const Launch& launch) {
  if (launch.size == 1 || launch.has_mpi) return;
  const std::string how =
      launch.launcher == Launcher::srun
          ? "srun started them without MPI: use srun --mpi=pmix (srun --mpi=list shows what there is)"
          : "torchrun starts no MPI: use mpirun -np " + std::to_string(launch.size) + " or srun --mpi=pmix";
  throw BadInput("The backend mpi cannot join these " + std::to_string(launch.size) + " ranks. " + how +
                 ", or on GPUs --backend nccl.");
}
#endif

#ifdef MESHGAUGE_CUDA
bool has_gpu() {
  try {
    return cuda_device_count() > 0;
  } catch (const Failure&) {
    return false;
  }
}
#endif

std::string chosen_backend(const CommonOptions& options) {
#ifdef MESHGAUGE_CUDA
  if (options.backend == "nccl") {
    if (cuda_device_count() == 0) throw Failure("There is no GPU here. --backend mpi runs between CPUs.");
    return "nccl";
  }
  if (options.backend == "auto" && has_gpu()) return "nccl";
#endif
#ifdef MESHGAUGE_MPI
  if (options.backend != "nccl") return "mpi";
#else
  if (options.backend == "auto") {
    throw Failure("There is no GPU here, and this build has no MPI to run between CPUs.");
  }
#endif
  throw BadInput("This build has no backend " + options.backend + ". It was configured without " +
                 (options.backend == "mpi" ? "MPI." : "MESHGAUGE_CUDA."));
}

/// Where no launcher started this: how many ranks to start. 1 or less: this process is the rank.
int ranks_to_start(const CommonOptions& options, const Launch& launch, [[maybe_unused]] std::string_view backend) {
  if (launch.launcher != Launcher::alone) return 1;
#ifdef MESHGAUGE_CUDA
  if (options.ranks == 0 && backend == "nccl") return cuda_device_count();
#endif
  return options.ranks;
}

#ifdef MESHGAUGE_CUDA
/// Each rank of a node has a GPU of its own, unless MESHGAUGE_DEVICE says which one all of them share.
void take_gpu(Runtime& runtime) {
  const std::optional<std::string> forced = environment_variable("MESHGAUGE_DEVICE");
  const int count = cuda_device_count();
  int index = count == 1 ? 0 : runtime.local_rank;  // a launcher may show each rank only its own
  if (forced) {
    const char* end = forced->data() + forced->size();
    if (std::from_chars(forced->data(), end, index).ptr != end || index < 0 || index >= count) {
      throw BadInput("MESHGAUGE_DEVICE is " + in_quotes(*forced) + ". Expected: a GPU's number from 0 to " +
                     std::to_string(count - 1) + '.');
    }
  }
  runtime.device = cuda_device(index, runtime.options.registered_memory ? GpuMemory::registered : GpuMemory::plain);
  const std::string mine = std::to_string(runtime.node) + ' ' + runtime.device->address();
  const std::vector<std::string> places = runtime.gather(mine);
  const auto ranks = std::count(places.begin(), places.end(), mine);
  runtime.shares_gpu = ranks > 1;
  if (ranks > 1 && !forced) {
    throw BadInput(std::to_string(ranks) + " ranks of a node have the same GPU " + runtime.device->address() +
                   ". Start at most one rank for each GPU of a node.");
  }
}

void join_over_nccl(Runtime& runtime) {
  take_gpu(runtime);
  const auto share = [&](NcclId& id) {
    const std::string mine(reinterpret_cast<const char*>(id.data()), id.size());
    const std::string first = runtime.gather(mine).front();
    if (first.size() != id.size()) throw Failure("Rank 0 sent no NCCL id.");
    std::memcpy(id.data(), first.data(), id.size());
  };
  runtime.progress("connecting over NCCL");
  runtime.library_version = nccl_version();
  runtime.world =
      nccl_communicator(runtime.rank, runtime.size, share,
                        {.cta_policy = runtime.options.cta_policy, .timeout_seconds = runtime.options.timeout_seconds});
  runtime.progress("connected");
}
#endif

void check_world(const Runtime& runtime, const Launch& launch) {
  if (launch.size != runtime.size && launch.launcher != Launcher::alone) {
    throw BadInput("The launcher started " + std::to_string(launch.size) + " ranks, but " + runtime.library_version +
                   " joined " + std::to_string(runtime.size) + ": they belong to different MPI libraries. Use the " +
                   "mpirun of the one that meshgauge-bench was built with.");
  }
  const int expected = runtime.options.expect_ranks;
  if (expected > 0 && expected != runtime.size) {
    throw BadInput("--expect-ranks " + std::to_string(expected) + ", but there are " + std::to_string(runtime.size) +
                   ". Nothing was measured.");
  }
}

}  // namespace

std::vector<double> Runtime::largest(std::span<const double> mine) {
  std::vector<double> most(mine.begin(), mine.end());
  if (size == 1) return most;
  const std::string_view bytes(reinterpret_cast<const char*>(mine.data()), mine.size_bytes());
  for (const std::string& other : gather(bytes)) {
    if (other.size() != bytes.size()) throw Failure("Ranks took different numbers of samples.");
    for (std::size_t i = 0; i < most.size(); ++i) {
      double value = 0;
      std::memcpy(&value, other.data() + i * sizeof value, sizeof value);
      most[i] = std::max(most[i], value);
    }
  }
  return most;
}

int with_ranks(const CommonOptions& options, const std::function<int(Runtime&)>& body) {
  const auto say = [](const char* what) { std::fprintf(stderr, "meshgauge-bench: %s\n", what); };
  Launch launch;
  try {
    launch = launch_of(environment_variable);
    const std::string backend = chosen_backend(options);
    if (const int ranks = ranks_to_start(options, launch, backend); ranks > 1) return start_ranks(backend, ranks);
#ifdef MESHGAUGE_MPI
    std::optional<MpiSession> session;  // outlives the groups of ranks
#endif
    Runtime runtime;
    runtime.options = options;
    runtime.backend = backend;
    runtime.launcher = name_of(launch.launcher);
    runtime.rank = launch.rank;
    runtime.size = launch.size;
    Meeting meeting;
#ifdef MESHGAUGE_MPI
    if (backend == "mpi" || (launch.has_mpi && launch.launcher == Launcher::mpirun)) {
      if (backend == "mpi") need_mpi_launcher(launch);
      session.emplace();
      runtime.library_version = MpiSession::library_version();
      runtime.world = session->world();
      runtime.rank = runtime.world->rank();
      runtime.size = runtime.world->size();
      meeting = meeting_over(*runtime.world, options.timeout_seconds);
    } else {
      meeting = meeting_at_port(launch, options.timeout_seconds);
    }
#else
    meeting = meeting_at_port(launch, options.timeout_seconds);
#endif
    runtime.control = meet(std::move(meeting));
    try {
      check_world(runtime, launch);
      place_on_nodes(runtime);
#ifdef MESHGAUGE_CUDA
      if (backend == "nccl") join_over_nccl(runtime);
#endif
      if (!runtime.device) runtime.device = cpu_device();
      runtime.cpu_threads = take_cores(runtime.local_rank, runtime.local_size, options.bind);
      return body(runtime);
    } catch (const BadInput& error) {
      runtime.control->abort(bad_input, error.what());
    } catch (const std::bad_alloc&) {
      runtime.control->abort(machine_failed, "Rank " + std::to_string(runtime.rank) + " has no memory left.");
    } catch (const std::exception& error) {
      runtime.control->abort(machine_failed, "Rank " + std::to_string(runtime.rank) + ": " + error.what());
    }
  } catch (const BadInput& error) {  // before the ranks are joined
    if (launch.rank == 0) say(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    say(error.what());
    std::fflush(stderr);
    _exit(machine_failed);  // without MPI_Finalize, which would wait for the others
  }
  return machine_failed;
}

}  // namespace meshgauge::harness
