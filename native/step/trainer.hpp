// One training step: micro-batches, gradient norm and clipping, AdamW, with the collectives of the strategy.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "native/step/ddp.hpp"
#include "native/step/transformer.hpp"
#include "native/step/zero1.hpp"
#include "native/step/zero2.hpp"
#include "native/step/zero3.hpp"

namespace meshgauge::step {

struct OptimizerSettings {
  double learning_rate = 3e-4, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1, clip = 1;
};

struct Setup {
  Shape shape;
  StrategyKind strategy = StrategyKind::ddp;
  bool recompute = false;
  std::size_t reduce_bucket = 500'000'000;  ///< zero2, elements
  OptimizerSettings optimizer;
};

template <class Backend, class T>
std::unique_ptr<Strategy<Backend, T>> strategy_of(const Setup& setup, const ParameterList& list, Backend& backend,
                                                  Allocator& allocator, Channel& channel) {
  switch (setup.strategy) {
    case StrategyKind::ddp:  // torch/nn/parallel/distributed.py: the first bucket is smaller, so that it starts early
      return std::make_unique<Ddp<Backend, T>>(list, backend, allocator, channel,
                                               BucketSizes{(1U << 20U) / sizeof(T), (25U << 20U) / sizeof(T)});
    case StrategyKind::zero1: {  // distributed_data_parallel.py: max(40e6, 1e6 * ranks) elements
      const std::size_t bucket = std::max<std::size_t>(40'000'000, 1'000'000 * channel.size());
      return std::make_unique<Zero1<Backend, T>>(list, backend, allocator, channel, BucketSizes{bucket, bucket});
    }
    case StrategyKind::zero2:
      return std::make_unique<Zero2<Backend, T>>(list, backend, allocator, channel, setup.reduce_bucket);
    case StrategyKind::zero3:
      return std::make_unique<Zero3<Backend, T>>(list, backend, allocator, channel);
  }
  return {};
}

template <class Backend, class T>
class Trainer {
 public:
  struct Outcome {
    double loss, gradient_norm;  ///< means over the global batch
  };

  /// All ranks give the same seed.
  Trainer(const Setup& setup, Backend& backend, Allocator& allocator, Channel& channel, std::uint64_t seed)
      : setup_(setup),
        backend_(backend),
        allocator_(allocator),
        channel_(channel),
        list_(parameters_of(setup.shape)),
        model_(setup_.shape, list_, backend, allocator, setup.recompute),
        strategy_(strategy_of<Backend, T>(setup, list_, backend, allocator, channel)),
        scalars_(allocator, 2, Category::transient, "scalars") {
    for (const Segment<T>& segment : strategy_->segments()) start_with(segment, seed);
    strategy_->end_step();
    allocator_.enter(Phase::init);
  }

  [[nodiscard]] const ParameterList& parameters() const { return list_; }
  [[nodiscard]] Strategy<Backend, T>& strategy() { return *strategy_; }

  /// `before_update` sees the strategy's segments with the gradients of the global batch.
  Outcome step(
      std::span<const Batch> micro_batches, const std::function<void()>& before_update = [] {}) {
    backend_.zero(scalars_.data(), scalars_.bytes());
    const Wide<T> share = 1 / static_cast<Wide<T>>(micro_batches.size());
    for (std::size_t i = 0; i < micro_batches.size(); ++i) {
      strategy_->begin_micro_batch(i == 0, i + 1 == micro_batches.size());
      model_.micro_batch(micro_batches[i], *strategy_, share, loss());
      strategy_->end_micro_batch();
    }
    before_update();
    allocator_.enter(Phase::optimizer);
    const std::vector<Segment<T>> segments = strategy_->segments();
    const double norm = gradient_norm(segments);
    ++steps_;
    update(segments, norm > setup_.optimizer.clip ? setup_.optimizer.clip / norm : 1);
    strategy_->end_step();
    return {mean_loss(), norm};
  }

 private:
  static constexpr std::size_t piece = 65536;  ///< elements that one row of the norm sums

  [[nodiscard]] Wide<T>* loss() { return scalars_.data(); }
  [[nodiscard]] Wide<T>* squares() { return scalars_.data() + 1; }
  [[nodiscard]] double read(const Wide<T>* scalar) {
    Wide<T> value = 0;
    if (backend_.computes) backend_.device().copy_out(&value, scalar, sizeof(value));
    return static_cast<double>(value);
  }

  /// GPT-2's start: matrices and tables normal with deviation 0.02, norms 1, biases 0.
  void start_with(const Segment<T>& s, std::uint64_t seed) {
    switch (list_.all[s.place].role) {
      case Role::norm1_weight:
      case Role::norm2_weight:
      case Role::final_norm_weight:
        return backend_.each(s.count, Fill<T>{s.weight, 1});
      case Role::norm1_bias:
      case Role::norm2_bias:
      case Role::final_norm_bias:
      case Role::qkv_bias:
      case Role::output_bias:
      case Role::up_bias:
      case Role::down_bias:
        return backend_.each(s.count, Fill<T>{s.weight, 0});
      default:
        return backend_.each(s.count, RandomNormal<T>{s.weight, seed + s.place, s.first, 0.02});
    }
  }

  [[nodiscard]] double gradient_norm(const std::vector<Segment<T>>& segments) {
    std::size_t pieces = 0;
    for (const Segment<T>& s : segments) pieces += (s.count + piece - 1) / piece;
    const Array<Wide<T>> sums(allocator_, pieces, Category::transient, "norm_sums");
    std::size_t done = 0;
    for (const Segment<T>& s : segments) {
      const std::size_t rows = (s.count + piece - 1) / piece;
      backend_.rows(rows, SquaredNorm<T>{s.gradient, sums.data() + done, s.count, piece});
      done += rows;
    }
    backend_.rows(1, AccumulateSum<Wide<T>>{sums.data(), squares(), pieces, 1});
    if (strategy_->cut() && channel_.size() > 1) {
      channel_.all_reduce(squares(), 1);
      channel_.wait();
    }
    return std::sqrt(read(squares()));
  }

  void update(const std::vector<Segment<T>>& segments, double clip) {
    const OptimizerSettings& o = setup_.optimizer;
    std::size_t count = 0;
    for (const Segment<T>& s : segments) count += s.count;
    if (!moments_) {  // they appear in the first step
      moments_ = Array<T>(allocator_, 2 * count, Category::optimizer, "optimizer_moments");
      backend_.zero(moments_.data(), moments_.bytes());
    }
    const auto number = [](double x) { return static_cast<Wide<T>>(x); };
    std::size_t at = 0;
    for (const Segment<T>& s : segments) {
      backend_.each(s.count, AdamW<T>{.weight = s.weight,
                                      .gradient = s.gradient,
                                      .first = moments_.data() + at,
                                      .second = moments_.data() + count + at,
                                      .learning_rate = number(o.learning_rate),
                                      .beta1 = number(o.beta1),
                                      .beta2 = number(o.beta2),
                                      .epsilon = number(o.epsilon),
                                      .decay = number(o.decay),
                                      .correction1 = number(1 - std::pow(o.beta1, steps_)),
                                      .correction2 = number(1 - std::pow(o.beta2, steps_)),
                                      .clip = number(clip)});
      at += s.count;
    }
  }

  /// Logged once a step: the mean over ranks.
  [[nodiscard]] double mean_loss() {
    if (channel_.size() > 1) {
      backend_.each(1, Scale<Wide<T>>{loss(), loss(), 1 / static_cast<Wide<T>>(channel_.size())});
      channel_.all_reduce(loss(), 1);
      channel_.wait();
    }
    return read(loss());
  }

  Setup setup_;
  Backend& backend_;
  Allocator& allocator_;
  Channel& channel_;
  ParameterList list_;
  Transformer<Backend, T> model_;
  std::unique_ptr<Strategy<Backend, T>> strategy_;
  Array<Wide<T>> scalars_;
  Array<T> moments_;
  int steps_ = 0;
};

}  // namespace meshgauge::step
