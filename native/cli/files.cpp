// Reading input files and writing answers, with the words that a failure takes.
#include "native/cli/files.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/scenario/words.hpp"

namespace meshgauge::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Issues failure(const std::string& path, const std::string& reason, const char* action = "read ") {
  return {{"", std::string("Cannot ") + action + in_quotes(path) + ": " + reason + '.'}};
}

}  // namespace

Result<std::string> read_text(const std::string& path, std::size_t limit) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error)) return failure(path, "it is a folder");
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return failure(path, std::strerror(errno));
  std::string text;
  // Growing by doubling would hold a large file twice.
  const auto size = path == "-" ? 0 : std::filesystem::file_size(path, error);
  if (!error && size <= limit) text.reserve(static_cast<std::size_t>(size) + 1);
  std::vector<char> buffer(65536);
  while (text.size() <= limit) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), count);
    if (count == 0) break;
  }
  if (std::ferror(file.get()) != 0) return failure(path, std::strerror(errno));
  if (text.size() <= limit) return text;
  if (limit != largest_document) {
    return Issues{{"", in_quotes(path) + " goes on after " + number_text(static_cast<std::int64_t>(limit)) +
                           " bytes. No more are read."}};
  }
  // The rest is not read; a regular file tells its size, of anything else it is not known.
  const bool regular = path != "-" && std::filesystem::is_regular_file(path, error);
  const auto whole = regular ? std::filesystem::file_size(path, error) : 0;
  if (whole > largest_document && !error) return Issues{{"", shortened(path) + ": " + too_large_message(whole)}};
  const std::string most = number_text(static_cast<std::int64_t>(limit));
  return Issues{{"", (path == "-" ? "Standard input" : in_quotes(path)) + " goes on after " + most +
                         " bytes. Allowed: up to " + most + " (4 MiB)."}};
}

Result<std::vector<std::string>> read_texts(std::span<const std::string> paths, std::size_t limit) {
  std::vector<std::string> texts;
  Issues issues;
  for (const std::string& path : paths) {
    Result<std::string> text = read_text(path, limit);
    issues.insert(issues.end(), text.issues.begin(), text.issues.end());
    if (!text.ok()) continue;
    limit -= text.value->size();
    texts.push_back(std::move(*text.value));
  }
  if (!issues.empty()) return issues;
  return texts;
}

std::vector<NamedText> named_texts(std::span<const std::string> paths, std::span<const std::string> texts) {
  std::vector<NamedText> files;
  for (std::size_t i = 0; i < paths.size(); ++i) files.push_back({paths[i], texts[i]});
  return files;
}

Result<nlohmann::ordered_json> read_document(const std::string& path, std::string_view flag) {
  const Result<std::string> text = read_text(path);
  Issues issues = text.issues;
  if (text.ok()) {
    Result<nlohmann::ordered_json> parsed = parse_json(*text.value);
    if (parsed.ok() && parsed.issues.empty()) return parsed;
    issues = std::move(parsed.issues);
  }
  for (Issue& issue : issues) issue = {"", std::string(flag) + ": " + issue.message};
  return issues;
}

Issues write_text(const std::string& path, std::string_view text) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  bool written = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (file) written = std::fclose(file.release()) == 0 && written;
  return written ? Issues{} : failure(path, std::strerror(errno), "write ");
}

bool write_output(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace meshgauge::cli
