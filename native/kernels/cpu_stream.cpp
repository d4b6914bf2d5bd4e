// STREAM: copies and triads of host memory by ever more threads.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <system_error>
#include <thread>

#include "native/harness/failure.hpp"
#include "native/kernels/stream.hpp"

namespace meshgauge::harness {
namespace {

/// Threads that wait for work; each does its part of the arrays, and touched it first.
class Team {
 public:
  Team(int threads, std::function<void(std::size_t part, std::size_t parts)> work)
      : work_(std::move(work)), start_(threads), end_(threads), parts_(static_cast<std::size_t>(threads)) {
    threads_.reserve(parts_ - 1);
    try {
      for (std::size_t part = 1; part < parts_; ++part) {
        threads_.emplace_back([this, part] {
          for (start_.arrive_and_wait(); !stop_; start_.arrive_and_wait()) {
            work_(part, parts_);
            end_.arrive_and_wait();
          }
        });
      }
    } catch (const std::system_error& error) {
      const std::size_t started = 1 + threads_.size();
      stop();
      throw Failure(fmt::format("the system started {} of {} threads: {}", started, threads, error.code().message()));
    }
  }
  ~Team() { stop(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void run() {
    start_.arrive_and_wait();
    work_(0, parts_);
    end_.arrive_and_wait();
  }

 private:
  void stop() {
    stop_ = true;
    // This thread and those that never started, on whom the others would wait.
    (void)start_.arrive(static_cast<std::ptrdiff_t>(parts_ - threads_.size()));
    for (std::thread& thread : threads_) thread.join();
  }

  std::function<void(std::size_t, std::size_t)> work_;
  std::barrier<> start_, end_;
  std::size_t parts_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// Arrays of doubles, which both kinds share.
struct Arrays {
  Arrays(Device& device, std::size_t bytes)
      : count(bytes / sizeof(double)), a(device, bytes), b(device, bytes), c(device, bytes) {}
  std::size_t count;
  Buffer a, b, c;
};

double* part_of(const Buffer& buffer, std::size_t first) { return static_cast<double*>(buffer.data()) + first; }

using Work = void (*)(const Arrays&, std::size_t first, std::size_t count);

void fill(const Arrays& x, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    *part_of(x.a, i) = 1;
    *part_of(x.b, i) = 2;
    *part_of(x.c, i) = 0;
  }
}
void copy(const Arrays& x, std::size_t first, std::size_t count) {
  std::memcpy(part_of(x.c, first), part_of(x.a, first), count * sizeof(double));
}
void triad(const Arrays& x, std::size_t first, std::size_t count) {
  double* a = part_of(x.a, first);
  const double *b = part_of(x.b, first), *c = part_of(x.c, first);
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
}

class CpuStream final : public Kernel {
 public:
  CpuStream(std::shared_ptr<Arrays> arrays, Work work, int threads)
      : arrays_(std::move(arrays)), work_(fill), team_(threads, [this](std::size_t part, std::size_t parts) {
          const std::size_t first = arrays_->count * part / parts, last = arrays_->count * (part + 1) / parts;
          work_(*arrays_, first, last - first);
        }) {
    team_.run();
    work_ = work;
  }
  void launch() override { team_.run(); }

 private:
  std::shared_ptr<Arrays> arrays_;
  Work work_;
  Team team_;
};

}  // namespace

std::vector<Stream> cpu_streams(Device& device, std::size_t bytes, int threads) {
  std::vector<Stream> streams;
  for (int n = 1; n <= threads; n = n < threads ? std::min(2 * n, threads) : n + 1) {
    // Arrays of its own for each number of threads: pages lie where their thread has touched them first.
    const auto arrays = std::make_shared<Arrays>(device, bytes);
    streams.push_back({"copy", n, 2, Stream::Path::memory, std::make_unique<CpuStream>(arrays, copy, n)});
    streams.push_back({"triad", n, 3, Stream::Path::memory, std::make_unique<CpuStream>(arrays, triad, n)});
  }
  return streams;
}

}  // namespace meshgauge::harness
