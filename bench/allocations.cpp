#include "bench/allocations.hpp"

#include <cstdlib>
#include <new>

std::size_t allocations = 0;

// Every allocation of the program is counted. Not inlined: GCC warns of free() where it sees one half of the pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
