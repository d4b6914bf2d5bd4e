// The threads of a CPU's streams write every element between them, launch after launch, and leave none to another.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "native/harness/device.hpp"
#include "native/harness/failure.hpp"
#include "native/kernels/stream.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge::harness;

namespace {

constexpr std::size_t elements = 1003;  // that no number of threads below divides but 1

/// Host memory that can be looked at: the arrays of a stream are its own.
class OpenDevice final : public Device {
 public:
  [[nodiscard]] std::string name() const override { return "test"; }
  [[nodiscard]] bool is_gpu() const override { return false; }
  [[nodiscard]] std::size_t free_bytes() const override { return elements * sizeof(double); }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    arrays.push_back(static_cast<double*>(std::malloc(bytes)));
    return arrays.back();
  }
  void release(void* data) override { std::free(data); }
  void copy_in(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void copy_out(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void zero(void* /*data*/, std::size_t /*bytes*/) override {}
  void synchronize() override {}

  [[nodiscard]] bool holds(std::size_t array, double value) const {
    const std::span<const double> all(arrays.at(array), elements);
    return std::all_of(all.begin(), all.end(), [&](double x) { return x == value; });
  }

  std::vector<double*> arrays;
};

}  // namespace

TEST_CASE("All threads of a stream do their part before a launch returns") {
  OpenDevice device;
  std::vector<Stream> streams = cpu_streams(device, elements * sizeof(double), 5);
  REQUIRE(streams.size() == 8);  // a copy and a triad with 1, 2, 4 and 5 threads
  REQUIRE(device.arrays.size() == 12);
  for (std::size_t i = 0; i < streams.size(); i += 2) {
    const std::size_t a = 3 * (i / 2), b = a + 1, c = a + 2;
    CAPTURE(streams[i].threads);
    CHECK((device.holds(a, 1) && device.holds(b, 2) && device.holds(c, 0)));
    for (int launch = 0; launch < 100; ++launch) {
      std::fill_n(device.arrays[c], elements, launch);
      streams[i + 1].kernel->launch();
      REQUIRE(device.holds(a, 2 + 3 * launch));
      streams[i].kernel->launch();
      REQUIRE(device.holds(c, 2 + 3 * launch));
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need the address space themselves
TEST_CASE("Threads that the system refuses end the measurement with a message") {
  OpenDevice device;
  rlimit former{};
  REQUIRE(getrlimit(RLIMIT_AS, &former) == 0);
  rlimit little = former;
  little.rlim_cur = 2'000'000'000;  // a stack takes 8 MB of it
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  std::string said;
  try {
    (void)cpu_streams(device, elements * sizeof(double), 1024);
  } catch (const Failure& failure) {
    said = failure.what();
  }
  REQUIRE(setrlimit(RLIMIT_AS, &former) == 0);
  CAPTURE(said);
  CHECK(said.starts_with("the system started "));
  CHECK(said.find(" of ") != std::string::npos);
}
#endif
