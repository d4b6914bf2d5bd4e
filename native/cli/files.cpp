// Reading input files and writing answers, with the words that a failure takes.
#include "native/cli/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "core/io/parse.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Issues failure(const std::string& path, const std::string& reason) {
  return {{"", "Cannot read " + in_quotes(path) + ": " + reason + '.'}};
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error)) return failure(path, "it is a folder");
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return failure(path, std::strerror(errno));
  std::string text;
  std::vector<char> buffer(65536);
  while (text.size() <= largest_document) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), count);
    if (count == 0) break;
  }
  if (std::ferror(file.get()) != 0) return failure(path, std::strerror(errno));
  if (text.size() <= largest_document) return text;
  // The rest is not read; a regular file tells its size.
  const auto size = path == "-" ? 0 : std::filesystem::file_size(path, error);
  return Issues{
      {"", in_quotes(path) + ": " + too_large_message(error ? text.size() : std::max<std::size_t>(size, text.size()))}};
}

bool write_output(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace meshgauge::cli
