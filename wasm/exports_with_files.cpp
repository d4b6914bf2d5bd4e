// The second call of the module with every command: files as they are, beside the request, so that logs of a hundred
// megabytes need no quoting.
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/io/api_with_files.hpp"
#include "wasm/response.hpp"

/// Bytes in the module's memory.
struct Span {
  const char* data;
  std::size_t size;
};

/// Answers `request` (UTF-8) on `files` files. `names_and_texts`: the name and the text of each in turn.
extern "C" char* meshgauge_api_with_files(const char* request, std::size_t request_size, const Span* names_and_texts,
                                          std::size_t files, std::size_t* response_size) {
  const auto view = [&](std::size_t i) { return std::string_view(names_and_texts[i].data, names_and_texts[i].size); };
  std::vector<meshgauge::NamedText> named;
  for (std::size_t i = 0; i < files; ++i) named.push_back({std::string(view(2 * i)), view(2 * i + 1)});
  return meshgauge::handed_over(meshgauge::api_with_files({request, request_size}, named), response_size);
}
