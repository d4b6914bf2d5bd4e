// The C ABI of the WASM module: one call, text in, text out. Lengths travel beside pointers, so any bytes pass.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/io/api.hpp"

/// Answers `request` (UTF-8). The answer lies in memory from malloc that the caller frees; its length goes to
/// `response_size`.
extern "C" char* meshgauge_api(const char* request, std::size_t request_size, std::size_t* response_size) {
  const std::string response = meshgauge::api({request, request_size});
  *response_size = response.size();
  auto* const copy = static_cast<char*>(std::malloc(response.size() + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, response.c_str(), response.size() + 1);
  return copy;
}
