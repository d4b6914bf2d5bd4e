// A target of libFuzzer for one way through the door: MESHGAUGE_FUZZED is its id.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/check_door.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const meshgauge::test::Door& door = *meshgauge::test::find_door(MESHGAUGE_FUZZED);
  if (!meshgauge::test::door_is_sound(door, {reinterpret_cast<const char*>(data), size})) std::abort();
  return 0;
}
