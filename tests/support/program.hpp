// Runs the built command line: output, standard error and exit status, and files that are gone with the test.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace meshgauge::testing {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// A folder for one test, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "meshgauge-cli-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

[[nodiscard]] inline std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// `before` is put in front of the program: an environment, a pipe.
[[nodiscard]] inline Outcome run(const std::string& arguments, const std::string& before = "") {
  const Scratch scratch;
  const std::string command =
      before + " \"" MESHGAUGE_EXECUTABLE "\" " + arguments + " >" + scratch.path("out") + " 2>" + scratch.path("err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch.path("out")), read_file(scratch.path("err"))};
}

}  // namespace meshgauge::testing
