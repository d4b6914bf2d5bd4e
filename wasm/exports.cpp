// The C ABI of the WASM module: one call, text in, text out. Lengths travel beside pointers, so any bytes pass.
#include <cstddef>

#include "core/io/api.hpp"
#include "wasm/response.hpp"

/// Answers `request` (UTF-8).
extern "C" char* meshgauge_api(const char* request, std::size_t request_size, std::size_t* response_size) {
  return meshgauge::handed_over(meshgauge::api({request, request_size}), response_size);
}
