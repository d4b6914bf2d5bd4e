#include "native/harness/self_start.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#ifdef MESHGAUGE_MPI
#include <mpi.h>  // for OPEN_MPI alone
#endif

#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"

extern char** environ;

namespace meshgauge::harness {
namespace {

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) arguments.emplace_back(text.c_str() + at);
  if (!arguments.empty()) {
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    if (length > 0) arguments[0] = path.substr(0, static_cast<std::size_t>(length));
  }
  return arguments;
}

pid_t spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  std::vector<char*> words, environment;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environment.data());
  if (error != 0) throw Failure("Cannot start " + arguments[0] + ": " + std::strerror(error) + '.');
  return child;
}

/// A rank that ended by a signal is a rank lost.
int status_of(int wait_status) {
  const int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : machine_failed;
  return status > machine_failed ? machine_failed : status;
}

int under_mpirun(int ranks) {
  std::vector<std::string> arguments{"mpirun"};
  std::vector<std::string> variables;
#ifdef OPEN_MPI
  if (static_cast<unsigned>(ranks) > std::thread::hardware_concurrency()) arguments.emplace_back("--oversubscribe");
  // Who may start this program may start it twice; Open MPI asks for that to be said in containers, which run as root.
  // The ranks are one user's on one node: where munge is installed and its daemon is not running, PMIx would wait for it.
  variables = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "PMIX_MCA_psec=native"};
#endif
  arguments.insert(arguments.end(), {"-np", std::to_string(ranks)});
  for (std::string& word : own_arguments()) arguments.push_back(std::move(word));
  const pid_t child = spawn(arguments, variables);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

int by_itself(int ranks) {
  const std::vector<std::string> arguments = own_arguments();
  const std::string run_id = std::to_string(std::random_device{}());
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string number = std::to_string(rank), count = std::to_string(ranks);
    children.push_back(
        spawn(arguments, {"RANK=" + number, "WORLD_SIZE=" + count, "LOCAL_RANK=" + number, "LOCAL_WORLD_SIZE=" + count,
                          "MASTER_ADDR=127.0.0.1", "MESHGAUGE_RUN_ID=" + run_id}));
  }
  int worst = done;
  for (int left = ranks; left > 0; --left) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended < 0) break;
    children.erase(std::remove(children.begin(), children.end(), ended), children.end());
    if (status_of(status) == done) continue;
    if (worst == done) worst = status_of(status);
    // The ranks end each other and say why; this is for those that cannot.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    for (const pid_t child : children) kill(child, SIGKILL);
  }
  return worst;
}

}  // namespace

int start_ranks(std::string_view backend, int ranks) {
  return backend == "mpi" ? under_mpirun(ranks) : by_itself(ranks);
}

}  // namespace meshgauge::harness
