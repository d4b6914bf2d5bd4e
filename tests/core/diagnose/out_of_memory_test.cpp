// Messages of every wording, whole and broken, and texts that hold none.
#include "core/diagnose/out_of_memory.hpp"

#include <string>

#include "core/diagnose/candidates.hpp"
#include "core/diagnose/held.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/growth.hpp"

using namespace meshgauge;
using namespace meshgauge::testing;

namespace {

constexpr double GiB = 1073741824.0, MiB = 1048576.0;

OutOfMemory only(const std::string& text) {
  const OutOfMemoryLog log = read_out_of_memory(text);
  INFO(text);
  REQUIRE(log.requests.size() == 1);
  return log.requests[0];
}

double held(const OutOfMemory& request, const std::string& id) {
  for (const HeldPart& part : held_parts(request)) {
    if (part.id == id) return part.bytes.value;
  }
  return 0;
}

bool finds(const OutOfMemory& request, const std::string& id) {
  for (const Finding& finding : findings(request)) {
    if (finding.id == id) return true;
  }
  return false;
}

const std::string second =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.62 GiB. GPU 3 has a total capacity of 79.15 GiB "
    "of which 3.25 GiB is free. Process 123 has 75.89 GiB memory in use. Of the allocated memory 73.11 GiB is "
    "allocated "
    "by PyTorch, with 2.50 GiB allocated in private pools (e.g., CUDA Graphs), and 1.20 GiB is reserved by PyTorch but "
    "unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";

void check_second(const OutOfMemory& request) {
  CHECK(request.requested.bytes == Approx(15.62 * GiB));
  CHECK(request.requested.half == Approx(0.005 * GiB));
  CHECK(request.device == 3);
  CHECK(request.capacity->bytes == Approx(79.15 * GiB));
  CHECK(request.free->bytes == Approx(3.25 * GiB));
  CHECK(request.allocated->bytes == Approx(73.11 * GiB));
  CHECK(request.private_pools->bytes == Approx(2.5 * GiB));
  CHECK(request.unallocated->bytes == Approx(1.2 * GiB));
  REQUIRE(request.processes.size() == 1);
  CHECK(request.processes[0].id == 123);
  CHECK(request.processes[0].bytes.bytes == Approx(75.89 * GiB));
}

}  // namespace

TEST_CASE("The wording of PyTorch 1 is read") {
  const OutOfMemory request = only(
      "RuntimeError: CUDA out of memory. Tried to allocate 15.62 GiB (GPU 0; 79.15 GiB total capacity; 60.24 GiB "
      "already allocated; 10.2 GiB free; 62 GiB reserved in total by PyTorch)");
  CHECK(request.accelerator == Accelerator::cuda);
  CHECK(request.requested.bytes == Approx(15.62 * GiB));
  CHECK(request.device == 0);
  CHECK(request.capacity->bytes == Approx(79.15 * GiB));
  CHECK(request.allocated->bytes == Approx(60.24 * GiB));
  CHECK(request.free->bytes == Approx(10.2 * GiB));
  CHECK(request.free->half == Approx(0.05 * GiB));
  CHECK(request.unallocated->bytes == Approx(1.76 * GiB));
}

TEST_CASE("The wordings of PyTorch 1.0, ROCm, XPU, MPS, the asynchronous allocator and the CPU are read") {
  const OutOfMemory old = only(
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 1; 10.76 GiB total capacity; 9.75 GiB already allocated; "
      "18.56 MiB free; 169.00 KiB cached)");
  CHECK(old.free->bytes == Approx(18.56 * MiB));
  CHECK(old.device == 1);
  const OutOfMemory limited = only(
      "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.90 GiB total capacity; 3.00 GiB already allocated; "
      "11.20 GiB free; 4.00 GiB allowed; 3.10 GiB reserved in total by PyTorch)");
  CHECK(limited.allowed->bytes == 4 * GiB);
  CHECK(finds(limited, "memory_limit"));
  const OutOfMemory rocm = only(
      "HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 63.98 GiB of which 0 bytes is "
      "free. Of the allocated memory 60.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but "
      "unallocated.");
  CHECK(rocm.accelerator == Accelerator::hip);
  CHECK(rocm.free->bytes == 0);
  CHECK(rocm.unallocated->bytes == 512 * MiB);
  CHECK(only("XPU out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 15.91 GiB of which 1.2 GiB "
             "is free.")
            .accelerator == Accelerator::xpu);
  const OutOfMemory mps = only(
      "RuntimeError: MPS backend out of memory (MPS allocated: 9.06 GB, other allocations: 1.20 GB, max allowed: "
      "18.13 GB). Tried to allocate 256 bytes on private pool.");
  CHECK(mps.accelerator == Accelerator::mps);
  CHECK(mps.requested == PrintedBytes{256, 0});
  CHECK(mps.allocated->bytes == Approx(9.06 * GiB));
  CHECK(mps.allowed->bytes == Approx(18.13 * GiB));
  const OutOfMemory async = only(
      "torch.OutOfMemoryError: Allocation on device 2 would exceed allowed memory. (out of memory)\n"
      "Currently allocated     : 10.50 GiB\nRequested               : 2.25 GiB\n"
      "Device limit            : 15.78 GiB\nFree (according to CUDA): 1.44 MiB\n");
  CHECK(async.requested.bytes == 2.25 * GiB);
  CHECK(async.device == 2);
  CHECK(async.free->bytes == Approx(1.44 * MiB));
  CHECK_FALSE(async.rounded_by_allocator);
  const OutOfMemory host = only(
      "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you "
      "tried to allocate 26084376576 bytes. Error code 12 (Cannot allocate memory)");
  CHECK(host.accelerator == Accelerator::cpu);
  CHECK(host.requested == PrintedBytes{26084376576.0, 0});
  CHECK(finds(host, "host_memory"));
  CHECK(only("CUDA out of memory. Tried to allocate 1000.00 MiB. GPU 0 has a total capacty of 39.39 GiB of which")
            .capacity->bytes == Approx(39.39 * GiB));  // PyTorch 2.1
}

TEST_CASE("The wording of PyTorch 2 is read, broken after any character") {
  check_second(only(second));
  for (std::size_t i = second.find(" to allocate"); i < second.size(); ++i) {
    std::string broken = second;
    broken.insert(i, "\n[rank3]: ");
    check_second(only("[rank3]: Traceback\n[rank3]: " + broken));
  }
}

TEST_CASE("Lines in boxes, quotes and colours are read") {
  for (const char* prefix :
       {"│ ", "> ", "# ", "E   ", "3: ", "(worker pid=77, ip=10.0.0.1) ", "\x1b[31m", "[default3]:[rank3]: "}) {
    std::string text = second;
    for (std::size_t i = 60; i < text.size(); i += 60)
      text.insert(i, std::string(prefix[0] == '\xe2' ? " │\n" : "\n") + prefix);
    INFO(text);
    check_second(only(text));
  }
  std::string escaped = second;
  escaped.insert(escaped.find("Of the"), "\\n");
  check_second(only(escaped));
}

TEST_CASE("Messages of several ranks and sizes are told apart and counted") {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string head = "[rank" + std::to_string(rank) + "]: ";
    log += head + "Traceback (most recent call last):\n" + head + "  File \"x.py\", line 1, in forward\n" + head +
           "    attn_weights = torch.matmul(query, key)\n" + head + second + "\n";
  }
  log += "[rank1]: CUDA out of memory. Tried to allocate 1.00 GiB (GPU 1; 79.15 GiB total capacity;\n" + second;
  const OutOfMemoryLog read = read_out_of_memory(log);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].messages == 5);
  CHECK(read.requests[0].ranks == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(read.requests[0].place == AllocationPlace::attention);
  CHECK(read.requests[1].messages == 1);
  CHECK(read.requests[1].ranks == std::vector<std::int64_t>{1});
  check_second(read.requests[0]);

  std::string many;
  for (int i = 1; i <= 30; ++i) many += "Tried to allocate " + std::to_string(i) + ".00 GiB. ";
  CHECK(read_out_of_memory(many).requests.size() == most_requests);
  CHECK(read_out_of_memory(many).left_out == 10);
}

TEST_CASE("Texts without a message have no requests") {
  for (const char* text : {"", "T", "Tried", "Tried to allocate", "Tried to allocate GiB", "Tried to allocate 1.5",
                           "Tried to allocate .. GiB", "Tried to allocate 99999999999999999999 GiB",
                           "CUDA out of memory.", "Allocation on device 0 would exceed", "Tried to allocate 1 parsec",
                           "\xff\xfe Tried\xff to allocate", "A", "tried to allocate -3 GiB"}) {
    INFO(text);
    CHECK(read_out_of_memory(text).requests.empty());
  }
  CHECK(read_out_of_memory(std::string("Tried to allocate \0 2.00 GiB", 27)).requests.empty());
}

TEST_CASE("Every prefix of a message is read or refused") {
  for (std::size_t size = 0; size <= second.size(); ++size) {
    const OutOfMemoryLog log = read_out_of_memory(std::string_view(second).substr(0, size));
    CHECK(log.requests.size() <= 1);
    for (const OutOfMemory& request : log.requests) {
      CHECK(held_parts(request).size() < 8);
      CHECK(findings(request).size() < 8);
    }
  }
}

TEST_CASE("Texts are read in time in proportion to their length") {
  for (const std::string& unit : {std::string("Tried to allocate 1.00 GiB\n"), std::string("Tried"), std::string("A"),
                                  second + '\n', std::string("\n[rank3]: "), std::string("[("), std::string("T \n")}) {
    CAPTURE(unit);
    const auto repeated = [&](std::size_t size) {
      std::string text;
      while (text.size() < size) text += unit;
      return text;
    };
    const auto read = [](const std::string& text) { CHECK(read_out_of_memory(text).requests.size() <= 1); };
    CHECK(growth(std::size_t{2} << 20U, repeated, read) < in_proportion);
  }
}

TEST_CASE("What held the device adds up to its capacity") {
  const OutOfMemory request = only(second);
  double sum = 0;
  for (const HeldPart& part : held_parts(request)) sum += part.bytes.value;
  CHECK(sum == Approx(request.capacity->bytes).margin(0.03 * GiB));
  CHECK(held(request, "tensors") == Approx((73.11 - 2.5) * GiB));
  CHECK(held(request, "private_pools") == Approx(2.5 * GiB));
  CHECK(held(request, "outside") == Approx((75.89 - 73.11 - 1.2) * GiB));
  CHECK(held(request, "others") == 0);
}

TEST_CASE("What a message leaves unsaid of the device is not given to anybody") {
  // PyTorch 2 without its last sentences: 69 GiB in use, and not a word by what.
  const OutOfMemory bare =
      only("Tried to allocate 26.08 GiB. GPU 0 has a total capacity of 79.35 GiB of which 9.98 GiB is free.");
  REQUIRE(held_parts(bare).size() == 2);
  CHECK(held(bare, "unnamed") == Approx(69.37 * GiB));
  CHECK(held(bare, "free") == Approx(9.98 * GiB));
  CHECK(finds(bare, "unnamed"));
  CHECK_FALSE(finds(bare, "other_processes"));
  const OutOfMemory own = only(
      "Tried to allocate 26.08 GiB. GPU 0 has a total capacity of 79.35 GiB of which 9.98 GiB is free. Including "
      "non-PyTorch memory, this process has 60.00 GiB memory in use.");
  CHECK(held(own, "process") == Approx(60 * GiB));
  CHECK(held(own, "unnamed") == Approx(9.37 * GiB));
  CHECK(held(own, "others") == 0);
  // PyTorch 1 names its own reserve alone.
  const OutOfMemory first = only(
      "Tried to allocate 2.00 GiB (GPU 0; 79.35 GiB total capacity; 9.00 GiB already allocated; 1.00 GiB free; 10.00 "
      "GiB reserved in total by PyTorch)");
  CHECK(held(first, "tensors") == Approx(9 * GiB));
  CHECK(held(first, "unallocated") == Approx(1 * GiB));
  CHECK(held(first, "unnamed") == Approx(68.35 * GiB));
}

TEST_CASE("Other processes, fragmentation and requests beyond the device are found") {
  const OutOfMemory shared = only(
      "Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.15 GiB is free. Process 8 has "
      "40.00 "
      "GiB memory in use. Including non-PyTorch memory, this process has 38.00 GiB memory in use. Of the allocated "
      "memory "
      "37.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.");
  CHECK(held(shared, "others") == Approx(40 * GiB));
  CHECK(finds(shared, "other_processes"));
  CHECK_FALSE(finds(shared, "fragmentation"));
  const OutOfMemory scattered = only(
      "Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.15 GiB is free. Including "
      "non-PyTorch memory, this process has 78.00 GiB memory in use. Of the allocated memory 66.00 GiB is allocated by "
      "PyTorch, and 11.00 GiB is reserved by PyTorch but unallocated.");
  CHECK(finds(scattered, "fragmentation"));
  CHECK(finds(scattered, "fragmentation_decides"));
  CHECK_FALSE(finds(scattered, "other_processes"));
  const OutOfMemory huge = only(
      "Tried to allocate 130206.04 GiB. GPU 0 has a total capacity of 23.56 GiB of which 16.57 "
      "GiB is free.");
  CHECK(finds(huge, "larger_than_device"));
}

TEST_CASE("Sizes are rounded as the caching allocator rounds them") {
  CHECK(segment_size(1) == 2 * MiB);
  CHECK(segment_size(MiB) == 2 * MiB);
  CHECK(segment_size(MiB + 1) == 20 * MiB);
  CHECK(segment_size(10 * MiB) == 10 * MiB);
  CHECK(segment_size(10 * MiB + 1) == 12 * MiB);
  const SizeRange sizes = possible_sizes(only("Tried to allocate 786.00 MiB (GPU 0;"));
  CHECK(sizes.holds(4096.0 * 50304 * 4));
  CHECK(sizes.holds(784 * MiB + 1));
  CHECK_FALSE(sizes.holds(783.9 * MiB));
  CHECK_FALSE(sizes.holds(786.1 * MiB));
}
