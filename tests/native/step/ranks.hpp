// A training job of the tests on one rank of several, with its own record of what it sent.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "native/harness/mpi_communicator.hpp"
#include "native/step/cpu_backend.hpp"
#include "native/step/scenario.hpp"
#include "tests/native/step/models.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge::testing {

/// Of the running test program.
harness::Communicator& world();

[[nodiscard]] inline std::int64_t ranks() { return world().size(); }

/// By parameter, in the list's order.
template <class T>
using Tensors = std::vector<std::vector<T>>;

template <class T = float>
class TestJob {
 public:
  /// Alone: without other ranks.
  explicit TestJob(const step::Job& job, bool alone = false)
      : group_(alone ? nullptr : world().split(0, world().rank())),
        resolution_(step::scenario_of(job, step::cpu_cluster(job.ranks, job.ranks, 1e12))) {
    for (const Issue& issue : resolution_.issues) UNSCOPED_INFO(issue.path << ": " << issue.message);
    REQUIRE(resolution_.ok());
    setup_ = step::setup_of(job, scenario());
    setup_.optimizer.clip = 1e30;  // a factor of the whole gradient would differ in its last bit
    setup_.optimizer.learning_rate = 3e-3;
    if (group_) group_->record_sent(true);
    trainer_.emplace(setup_, backend_, allocator_, channel_, 42);
  }

  [[nodiscard]] const Scenario& scenario() const { return resolution_.value->scenario; }
  [[nodiscard]] const step::Shape& shape() const { return setup_.shape; }
  [[nodiscard]] const step::ParameterList& parameters() const { return trainer_->parameters(); }
  [[nodiscard]] step::Allocator& allocator() { return allocator_; }
  [[nodiscard]] harness::Communicator& group() { return *group_; }
  [[nodiscard]] step::Strategy<step::CpuBackend, T>& strategy() { return trainer_->strategy(); }

  auto step(std::span<const step::Batch> micro_batches) {
    return trainer_->step(micro_batches, [&] { gradients = whole([](const auto& s) { return s.gradient; }); });
  }
  [[nodiscard]] Tensors<T> weights() {
    return whole([](const auto& s) -> const T* { return s.weight; });
  }

  Tensors<T> gradients;  ///< of the last step, averaged over the global batch

 private:
  /// What ranks hold in parts, put together: a sum with zeros is exact.
  template <class Of>
  [[nodiscard]] Tensors<T> whole(Of of) {
    Tensors<T> tensors;
    for (const step::Parameter& p : parameters().all) tensors.emplace_back(p.elements, T{});
    for (const step::Segment<T>& s : strategy().segments()) {
      std::copy_n(of(s), s.count, tensors[s.place].begin() + static_cast<std::ptrdiff_t>(s.first));
    }
    if (!strategy().cut() || !group_) return tensors;
    for (std::vector<T>& t : tensors) {
      world().all_reduce(t.data(), t.data(), t.size(), step::element_type<T>, ReduceOp::sum);
      world().wait();
    }
    return tensors;
  }

  std::unique_ptr<harness::Communicator> group_;
  Result<Resolution> resolution_;
  step::Setup setup_;
  std::unique_ptr<harness::Device> device_ = harness::cpu_device();
  step::CpuBackend backend_{*device_};
  step::Allocator allocator_{*device_};
  step::Channel channel_{group_.get(), *device_};
  std::optional<step::Trainer<step::CpuBackend, T>> trainer_;
};

/// Batches of one step: each rank has its own sequences, and all of them in a row are the joined batch.
struct StepBatches {
  Ids all;
  std::vector<step::Batch> mine;

  StepBatches(const step::Job& job, std::uint64_t seed)
      : all(static_cast<std::size_t>(job.ranks * job.accumulation * job.micro_batch * job.sequence),
            static_cast<std::size_t>(job.model.vocab), seed) {
    for (std::int64_t i = 0; i < job.accumulation; ++i) {
      const std::int64_t index = world().rank() * job.accumulation + i;
      mine.push_back(all.batch(static_cast<std::size_t>(index * job.micro_batch * job.sequence)));
    }
  }
};

/// The distance of two vectors over the length of the second.
template <class T>
double relative_distance(const std::vector<T>& a, const std::vector<T>& b) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = step::widen(a[i]), y = step::widen(b[i]);
    difference += (x - y) * (x - y);
    length += y * y;
  }
  return length > 0 ? std::sqrt(difference / length) : std::sqrt(difference);
}

template <class T>
std::vector<T> joined(const Tensors<T>& tensors) {
  std::vector<T> all;
  for (const std::vector<T>& t : tensors) all.insert(all.end(), t.begin(), t.end());
  return all;
}

template <class T>
bool equal_bits(const Tensors<T>& a, const Tensors<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size() || std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(T)) != 0) return false;
  }
  return a.size() == b.size();
}

}  // namespace meshgauge::testing
