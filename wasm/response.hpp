// How an answer leaves the module.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace meshgauge {

/// A copy in memory from malloc that the caller frees; its length goes to `size`.
inline char* handed_over(const std::string& response, std::size_t* size) {
  *size = response.size();
  auto* const copy = static_cast<char*>(std::malloc(response.size() + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, response.c_str(), response.size() + 1);
  return copy;
}

}  // namespace meshgauge
