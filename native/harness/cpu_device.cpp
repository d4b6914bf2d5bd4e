#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "native/harness/device.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

class CpuDevice final : public Device {
 public:
  [[nodiscard]] std::string name() const override {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    }
    return "CPU";
  }
  [[nodiscard]] bool is_gpu() const override { return false; }
  [[nodiscard]] std::size_t free_bytes() const override {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  [[nodiscard]] void* allocate(std::size_t bytes) override {
    // Large ones begin a page: copies from process to process go page by page.
    const std::size_t alignment = bytes < 4096 ? 256 : 4096;
    const std::size_t rounded = (bytes + alignment) / alignment * alignment;  // never 0
    void* data = std::aligned_alloc(alignment, rounded);
    if (!data) throw Failure("No memory for " + std::to_string(bytes) + " bytes.");
    return data;
  }
  void release(void* data) override { std::free(data); }
  void copy_in(void* to, const void* from_host, std::size_t bytes) override { copy(to, from_host, bytes); }
  void copy_out(void* to_host, const void* from, std::size_t bytes) override { copy(to_host, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memmove(to, from, bytes);
  }
  void zero(void* data, std::size_t bytes) override {
    if (bytes > 0) std::memset(data, 0, bytes);
  }
  void synchronize() override {}
};

}  // namespace

std::unique_ptr<Device> cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace meshgauge::harness
