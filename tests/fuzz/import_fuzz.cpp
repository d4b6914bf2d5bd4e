// A target of libFuzzer for one importer: MESHGAUGE_FUZZED is its id.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/check_import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!meshgauge::test::import_is_sound(MESHGAUGE_FUZZED, {reinterpret_cast<const char*>(data), size})) std::abort();
  return 0;
}
