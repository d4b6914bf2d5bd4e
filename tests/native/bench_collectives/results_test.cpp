// The results file is whole or not there.
#include "native/harness/results.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge::harness;
using Catch::Matchers::ContainsSubstring;
namespace files = std::filesystem;

namespace {

struct Folder {
  files::path path = files::temp_directory_path() / ("meshgauge-results-" + std::to_string(getpid()));
  Folder() { files::create_directory(path); }
  ~Folder() { files::remove_all(path); }
};

std::string text_of(const files::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("A record has the members of the results format, null where there is no value") {
  Record record;
  record.kind = "gemm";
  record.what = {{"m", 8}};
  record.bytes = 1024;
  record.time = {3, 0.5, 0.4, 0.6};
  record.busbw = 2048.0;
  const Json json = json_of(record);
  CHECK(json.dump() == R"({"kind":"gemm","m":8,"bytes":1024.0,"samples":3,"median_s":0.5,"p5_s":0.4,"p95_s":0.6,)"
                       R"("algbw_bytes_per_s":null,"busbw_bytes_per_s":2048.0,"wrong":null,"predicted_s":null})");
}

TEST_CASE("Writing replaces a file and leaves nothing beside it") {
  const Folder folder;
  const std::string path = (folder.path / "r.json").string();
  std::ofstream(path) << "old";
  check_writable(path);
  write_whole(path, "new");
  CHECK(text_of(path) == "new");
  CHECK(std::distance(files::directory_iterator(folder.path), files::directory_iterator()) == 1);
}

TEST_CASE("A write that breaks off leaves the old file and nothing beside it") {
  const Folder folder;
  const std::string path = (folder.path / "r.json").string();
  std::ofstream(path) << "old";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};  // a disk that takes 1000 bytes
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      write_whole(path, std::string(100'000, 'x'));
    } catch (const Failure&) {
      _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(text_of(path) == "old");
  CHECK(std::distance(files::directory_iterator(folder.path), files::directory_iterator()) == 1);
}

TEST_CASE("A device that is full fails and stays a device") {
  CHECK_THROWS_WITH(write_whole("/dev/full", "text"), ContainsSubstring("No space left"));
  CHECK(files::is_character_file("/dev/full"));
}

TEST_CASE("A folder that is not there is found before anything is measured") {
  CHECK_THROWS_AS(check_writable("/no/such/folder/r.json"), BadInput);
  CHECK_NOTHROW(check_writable(""));
}
