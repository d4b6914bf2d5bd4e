// Runs the step in its four modes: the same buffers, kernels and calls, with one or the other left out.
#pragma once

#include <set>

#include "native/step/measured.hpp"

namespace meshgauge::step {

template <class Backend, class F>
class Measurement {
  using T = typename F::Compute;

 public:
  Measurement(harness::Runtime& runtime, const MeasurePlan& plan)
      : runtime_(runtime),
        plan_(plan),
        backend_(*runtime.device, runtime.cpu_threads),
        allocator_(*runtime.device),
        groups_(runtime.world.get(), plan.setup.shape.tensor.ranks),
        channels_(groups_, *runtime.device),
        trainer_(plan.setup, backend_, allocator_, channels_, 1) {
    backend_.between = [this] {
      channels_.each([](Channel& channel) {
        if (!channel.waits_at_once) channel.progress();
      });
    };
    const Shape& shape = plan.setup.shape;
    const std::size_t count = shape.tokens() * static_cast<std::size_t>(plan.job.accumulation);
    for (std::size_t i = 0; i <= count; ++i) {
      const std::uint64_t draw = RandomNormal<float>::mix(channels_.data.rank() * count + i);
      ids_.push_back(static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(plan.job.model.vocab)));
    }
    for (std::size_t first = 0; first < count; first += shape.tokens()) {
      micro_batches_.push_back({ids_.data() + first, ids_.data() + first + 1});
    }
  }

  [[nodiscard]] Measured run() {
    Measured m;
    count_calls(m);
    m.times[0] = time(Mode::overlapped);
    m.times[1] = time(Mode::serial);
    m.loss = outcome_.loss;
    m.gradient_norm = outcome_.gradient_norm;
    m.equal_weights = equal_weights();
    for (const auto& [key, line] : allocator_.lines())
      m.lines.push_back({key.first, std::string(key.second), line.peaks});
    m.held = allocator_.total().peaks;
    // From here on ranks go apart: what they hold no longer means anything, what they do still takes its time.
    m.times[2] = time(Mode::compute);
    m.times[3] = time(Mode::communication);
    return m;
  }

 private:
  void step() {
    outcome_ = trainer_.step(micro_batches_);
    runtime_.device->synchronize();
  }

  /// The second step: the first makes the optimizer's states.
  void count_calls(Measured& m) {
    runtime_.progress("first steps");
    step();
    const std::set<harness::Communicator*> all{groups_.world, groups_.data, groups_.tensor};
    for (harness::Communicator* group : all) {
      if (group) group->forget_sent();
      if (group) group->record_sent(true);
    }
    step();
    for (harness::Communicator* group : all) {
      if (!group) continue;
      group->record_sent(false);
      for (const harness::Sent& call : group->sent()) m.sent_bytes += static_cast<double>(call.bytes);
      m.calls += group->sent().size();
    }
  }

  [[nodiscard]] harness::Summary time(Mode mode) {
    static constexpr std::array<std::string_view, mode_count> names{"steps, overlapped", "steps, one after the other",
                                                                    "steps, compute only", "steps, communication only"};
    if (mode == Mode::communication && runtime_.size == 1) return {};
    channels_.each([mode](Channel& channel) {
      channel.waits_at_once = mode == Mode::serial;
      channel.sends = mode != Mode::compute;
    });
    backend_.computes = mode != Mode::communication;
    return harness::summary_of(harness::sample(runtime_, plan_.samples, [&] {
      runtime_.progress(names[static_cast<std::size_t>(mode)]);
      step();
    }));
  }

  /// Whatever ranks have in common: replicas all of their weights, tensor-parallel ranks what is not cut.
  [[nodiscard]] bool equal_weights() {
    if (plan_.setup.strategy == StrategyKind::zero3) return true;
    std::uint64_t cut = hash_start, whole = hash_start;
    std::vector<unsigned char> bytes;
    for (std::size_t place = 0; place < trainer_.parameters().all.size(); ++place) {
      const Parameter& p = trainer_.parameters().all[place];
      bytes.resize(p.elements * sizeof(typename F::Stored));
      runtime_.device->copy_out(bytes.data(), trainer_.strategy().stored(place), bytes.size());
      std::uint64_t& hash = p.cut.whole() ? whole : cut;
      for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ULL;
    }
    const std::vector<std::string> cuts = runtime_.gather(std::to_string(cut)),
                                   wholes = runtime_.gather(std::to_string(whole));
    bool equal = std::set<std::string>(wholes.begin(), wholes.end()).size() == 1;
    const std::size_t t = plan_.setup.shape.tensor.ranks;
    for (std::size_t rank = t; rank < cuts.size(); ++rank) equal = equal && cuts[rank] == cuts[rank - t];
    return equal;
  }
  static constexpr std::uint64_t hash_start = 14695981039346656037ULL;  ///< FNV-1a (Fowler, Noll, Vo)

  harness::Runtime& runtime_;
  const MeasurePlan& plan_;
  Backend backend_;
  Allocator allocator_;
  RankGroups groups_;
  Channels channels_;
  Trainer<Backend, F> trainer_;
  std::vector<std::int64_t> ids_;
  std::vector<Batch> micro_batches_;
  typename Trainer<Backend, F>::Outcome outcome_{};
};

template <class Backend>
Measured measure(harness::Runtime& runtime, const MeasurePlan& plan) {
  return with_formats(plan.job, [&]<class F>() { return Measurement<Backend, F>(runtime, plan).run(); });
}

}  // namespace meshgauge::step
