// A target of libFuzzer for the reader of NCCL's words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/check_nccl.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!meshgauge::test::nccl_is_sound({reinterpret_cast<const char*>(data), size})) std::abort();
  return 0;
}
