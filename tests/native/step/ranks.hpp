// A training job of the tests on one rank of several, with its own record of what it sent.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <set>
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

/// By parameter, in the list's order, each whole.
using Tensors = std::vector<std::vector<float>>;

template <class F = step::Whole<float>>
class TestJob {
 public:
  /// Alone: without other ranks.
  explicit TestJob(const step::Job& job, bool alone = false)
      : world_(alone ? nullptr : world().split(0, world().rank())),
        groups_(world_.get(), static_cast<std::size_t>(job.tensor)),
        resolution_(step::scenario_of(job, step::cpu_cluster(job.ranks, job.ranks, 1e12))) {
    for (const Issue& issue : resolution_.issues) UNSCOPED_INFO(issue.path << ": " << issue.message);
    REQUIRE(resolution_.ok());
    setup_ = step::setup_of(job, scenario(), alone ? 0 : world().rank() % job.tensor);
    setup_.optimizer.clip = 1e30;  // a factor of the whole gradient would differ in its last bit
    setup_.optimizer.learning_rate = 3e-3;
    for (harness::Communicator* group : groups()) group->record_sent(true);
    trainer_.emplace(setup_, backend_, allocator_, channels_, 42);
  }

  [[nodiscard]] const Scenario& scenario() const { return resolution_.value->scenario; }
  [[nodiscard]] const step::Shape& shape() const { return setup_.shape; }
  [[nodiscard]] const step::ParameterList& parameters() const { return trainer_->parameters(); }
  [[nodiscard]] step::Allocator& allocator() { return allocator_; }
  /// Of this rank, each once.
  [[nodiscard]] std::set<harness::Communicator*> groups() const {
    std::set<harness::Communicator*> all{groups_.world, groups_.data, groups_.tensor};
    all.erase(nullptr);
    return all;
  }
  [[nodiscard]] step::Strategy<step::CpuBackend, F>& strategy() { return trainer_->strategy(); }

  auto step(std::span<const step::Batch> micro_batches) {
    return trainer_->step(micro_batches, [&] { gradients = whole([](const auto& s) { return s.gradient; }); });
  }
  [[nodiscard]] Tensors weights() {
    return whole([](const auto& s) { return s.weight; });
  }

  Tensors gradients;  ///< of the last step, averaged over the global batch

 private:
  /// What ranks hold in parts, put together: a sum with zeros is exact.
  template <class Of>
  [[nodiscard]] Tensors whole(Of of) {
    Tensors tensors;
    const step::TensorRank& tensor = setup_.shape.tensor;
    for (const step::Parameter& p : parameters().all) tensors.emplace_back(p.elements * p.cut.ranks, 0.0F);
    for (const step::Segment<F>& s : strategy().segments()) {
      const step::Cut& cut = parameters().all[s.place].cut;
      const bool first = (cut.ranks > 1 || tensor.rank == 0) && (strategy().cut() || channels_.data.rank() == 0);
      if (tensor.ranks > 1 && !first) continue;  // another rank has the same
      for (std::size_t i = 0; i < s.count; ++i) {
        tensors[s.place][cut.global(s.first + i)] = static_cast<float>(step::widen(of(s)[i]));
      }
    }
    if (!world_ || (!strategy().cut() && tensor.ranks == 1)) return tensors;
    for (std::vector<float>& t : tensors) {
      world().all_reduce(t.data(), t.data(), t.size(), ElementType::float32, ReduceOp::sum);
      world().wait();
    }
    return tensors;
  }

  std::unique_ptr<harness::Communicator> world_;
  step::RankGroups groups_;
  Result<Resolution> resolution_;
  step::Setup setup_;
  std::unique_ptr<harness::Device> device_ = harness::cpu_device();
  step::CpuBackend backend_{*device_};
  step::Allocator allocator_{*device_};
  step::Channels channels_{groups_, *device_};
  std::optional<step::Trainer<step::CpuBackend, F>> trainer_;
};

/// Batches of one step: each replica has its own sequences, and all of them in a row are the joined batch.
struct StepBatches {
  Ids all;
  std::vector<step::Batch> mine;

  StepBatches(const step::Job& job, std::uint64_t seed)
      : all(static_cast<std::size_t>(job.replicas() * job.accumulation * job.micro_batch * job.sequence),
            static_cast<std::size_t>(job.model.vocab), seed) {
    for (std::int64_t i = 0; i < job.accumulation; ++i) {
      const std::int64_t index = world().rank() / job.tensor * job.accumulation + i;
      mine.push_back(all.batch(static_cast<std::size_t>(index * job.micro_batch * job.sequence)));
    }
  }
};

/// The distance of two vectors over the length of the second.
inline double relative_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    difference += (x - y) * (x - y);
    length += y * y;
  }
  return length > 0 ? std::sqrt(difference / length) : std::sqrt(difference);
}

inline std::vector<float> joined(const Tensors& tensors) {
  std::vector<float> all;
  for (const std::vector<float>& t : tensors) all.insert(all.end(), t.begin(), t.end());
  return all;
}

inline bool equal_bits(const Tensors& a, const Tensors& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t bytes = a[i].size() * sizeof(float);
    if (a[i].size() != b[i].size() || std::memcmp(a[i].data(), b[i].data(), bytes) != 0) return false;
  }
  return a.size() == b.size();
}

}  // namespace meshgauge::testing
