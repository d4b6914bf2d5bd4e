#include "native/harness/results.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/socket.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): glibc's headers have it, POSIX's need not

namespace meshgauge::harness {
namespace {

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// What a rename can replace; a terminal, a pipe or /dev/full it must not.
bool plain_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

std::string beside(const std::string& path) { return path + ".part-" + std::to_string(getpid()); }

/// Variables that change what is measured, without those that hold addresses or names of hosts.
Json relevant_variables() {
  Json list = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos) continue;
    bool wanted = false;
    for (const std::string_view prefix : {"NCCL_", "OMPI_MCA_", "MPIR_CVAR_", "UCX_", "FI_", "OMP_", "OPENBLAS_",
                                          "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS"}) {
      wanted = wanted || name.substr(0, prefix.size()) == prefix;
    }
    // Open MPI tells its own processes where the launcher is in variables of the same prefix.
    for (const std::string_view part :
         {"COMM_ID", "HOSTID", "orte_", "_ess", "_shmem_RUNTIME", "pmix", "uri", "_hnp", "prte", "initial_wdir"}) {
      wanted = wanted && name.find(part) == std::string_view::npos;
    }
    if (wanted) list[std::string(name)] = std::string(text.substr(equals + 1));
  }
  return list;
}

std::string first_line(const char* path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

}  // namespace

Json json_of(const Record& record) {
  Json json = {{"kind", record.kind}};
  json.update(record.what);
  json["bytes"] = record.bytes;
  json["samples"] = record.time.samples;
  json["median_s"] = record.time.median;
  json["p5_s"] = record.time.p5;
  json["p95_s"] = record.time.p95;
  json["algbw_bytes_per_s"] = number_or_null(record.algbw);
  json["busbw_bytes_per_s"] = number_or_null(record.busbw);
  json["wrong"] = record.wrong ? Json(*record.wrong) : Json(nullptr);
  json["predicted_s"] = number_or_null(record.predicted);
  json.update(record.more);
  return json;
}

Json environment_of(Runtime& runtime) {
  utsname system{};
  uname(&system);
  const std::vector<std::string> hosts = runtime.gather(host_name());
  Json json = {
      {"backend", runtime.backend},
      {"library", runtime.library_version},
      {"launcher", runtime.launcher},
      {"ranks", runtime.size},
      {"nodes", runtime.nodes},
      {"ranks_per_node", runtime.ranks_per_node > 0 ? Json(runtime.ranks_per_node) : Json(nullptr)},
      {"device", runtime.device->name()},
      {"gpu", runtime.device->is_gpu()},
      {"shares_gpu", runtime.shares_gpu},
      {"driver", first_line("/proc/driver/nvidia/version")},
      {"cpus", std::thread::hardware_concurrency()},
      {"kernel", std::string(system.sysname) + ' ' + system.release},
      {"machine", system.machine},
      {"variables", relevant_variables()},
  };
#ifdef MESHGAUGE_CUDA
  if (runtime.device->is_gpu()) json["cuda"] = cuda_versions();
#endif
  if (runtime.options.show_hosts) json["hosts"] = hosts;
  return json;
}

void check_writable(const std::string& path) {
  if (path.empty() || !plain_file(path)) return;
  const std::string part = beside(path);
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int error = errno;
  if (file < 0) {
    throw BadInput("Cannot write " + in_quotes(path) + ": " + std::strerror(error) +
                   ". Name a file in a folder that "
                   "exists and can be written to.");
  }
  close(file);
  unlink(part.c_str());
}

void write_whole(const std::string& path, std::string_view text) {
  const bool rename_after = plain_file(path);
  const std::string target = rename_after ? beside(path) : path;
  const auto fail = [&](int error) {
    if (rename_after) unlink(target.c_str());
    throw Failure("Cannot write " + in_quotes(path) + ": " + std::strerror(error) +
                  (rename_after ? ". Nothing was left there." : "."));
  };
  std::FILE* file = std::fopen(target.c_str(), "we");
  if (file == nullptr) fail(errno);
  errno = 0;
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = good && std::fflush(file) == 0 && (!rename_after || fsync(fileno(file)) == 0);
  int error = errno;
  if (std::fclose(file) != 0) {
    error = good ? errno : error;
    good = false;
  }
  if (good && rename_after && std::rename(target.c_str(), path.c_str()) != 0) {
    error = errno;
    good = false;
  }
  if (!good) fail(error);
}

void write_results(const std::string& path, const Json& environment, const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(json_of(record));
  const Json document = {{"schema_version", 1}, {"environment", environment}, {"records", std::move(list)}};
  write_whole(path, document.dump(1) + '\n');
}

}  // namespace meshgauge::harness
