// One training step: micro-batches, gradient norm and clipping, AdamW, with the collectives of the strategy.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "native/harness/failure.hpp"
#include "native/step/ddp.hpp"
#include "native/step/groups.hpp"
#include "native/step/megatron.hpp"
#include "native/step/optimizer_kernels.hpp"
#include "native/step/transformer.hpp"
#include "native/step/zero2.hpp"
#include "native/step/zero3.hpp"

namespace meshgauge::step {

struct OptimizerSettings {
  double learning_rate = 3e-4, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1, clip = 1;
};

struct Setup {
  Shape shape;
  StrategyKind strategy = StrategyKind::ddp;
  bool megatron = false;  ///< ddp as Megatron-LM's, which tensor parallelism takes
  bool recompute = false;
  std::size_t reduce_bucket = 500'000'000;  ///< zero2, elements
  OptimizerSettings optimizer;
};

/// Formats that an engine does not have give none.
template <class Backend, class F>
std::unique_ptr<Strategy<Backend, F>> strategy_of(const Setup& setup, const ParameterList& list, Backend& backend,
                                                  Allocator& allocator, Channel& channel) {
  using Gradient = typename F::Gradient;
  constexpr bool same_gradients = std::is_same_v<Gradient, typename F::Reduced>;
  constexpr bool reads_stored = std::is_same_v<typename F::Compute, typename F::Stored>;
  if (setup.strategy == StrategyKind::zero1 || (setup.strategy == StrategyKind::ddp && setup.megatron)) {
    if constexpr (same_gradients && reads_stored) {
      // distributed_data_parallel.py: max(40e6, 1e6 * ranks) elements
      const std::size_t bucket = std::max<std::size_t>(40'000'000, 1'000'000 * channel.size());
      return std::make_unique<Megatron<Backend, F>>(list, backend, allocator, channel, BucketSizes{bucket, bucket},
                                                    setup.strategy == StrategyKind::zero1);
    }
  } else if (setup.strategy == StrategyKind::ddp) {
    if constexpr (same_gradients && !F::master) {
      // torch/nn/parallel/distributed.py: the first bucket is smaller, so that it starts early
      return std::make_unique<Ddp<Backend, F>>(
          list, backend, allocator, channel,
          BucketSizes{(1U << 20U) / sizeof(Gradient), (25U << 20U) / sizeof(Gradient)});
    }
  } else if (setup.strategy == StrategyKind::zero2) {
    if constexpr (same_gradients && reads_stored && std::is_same_v<Gradient, typename F::Stored>) {
      return std::make_unique<Zero2<Backend, F>>(list, backend, allocator, channel, setup.reduce_bucket);
    }
  } else if constexpr (!F::master && std::is_same_v<Gradient, typename F::Compute>) {
    return std::make_unique<Zero3<Backend, F>>(list, backend, allocator, channel);
  }
  throw harness::Failure("The strategy has no such number formats.");
}

template <class Backend, class F>
class Trainer {
 public:
  using T = typename F::Compute;
  using State = typename F::State;
  struct Outcome {
    double loss, gradient_norm;  ///< means over the global batch
  };

  /// All ranks give the same seed.
  Trainer(const Setup& setup, Backend& backend, Allocator& allocator, Channels& channels, std::uint64_t seed)
      : setup_(setup),
        backend_(backend),
        allocator_(allocator),
        channels_(channels),
        list_(parameters_of(setup.shape)),
        model_(setup_.shape, list_, backend, allocator, channels.tensor, setup.recompute),
        strategy_(strategy_of<Backend, F>(setup, list_, backend, allocator, channels.data)),
        scalars_(allocator, 2, Category::transient, "scalars") {
    for (const Segment<F>& segment : strategy_->segments()) start_with(segment, seed);
    strategy_->end_step();
    allocator_.enter(Phase::init);
    copy_masters();
  }

  [[nodiscard]] const ParameterList& parameters() const { return list_; }
  [[nodiscard]] Strategy<Backend, F>& strategy() { return *strategy_; }

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
    const std::vector<Segment<F>> segments = strategy_->segments();
    sum_over_tokens(segments);
    before_update();
    allocator_.enter(Phase::optimizer);
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
  [[nodiscard]] static std::size_t count_of(const std::vector<Segment<F>>& segments) {
    std::size_t count = 0;
    for (const Segment<F>& s : segments) count += s.count;
    return count;
  }

  /// GPT-2's start: matrices and tables normal with deviation 0.02, norms 1, biases 0.
  void start_with(const Segment<F>& s, std::uint64_t seed) {
    using Stored = typename F::Stored;
    switch (list_.all[s.place].role) {
      case Role::norm1_weight:
      case Role::norm2_weight:
      case Role::final_norm_weight:
        return backend_.each(s.count, Fill<Stored>{s.weight, 1});
      case Role::norm1_bias:
      case Role::norm2_bias:
      case Role::final_norm_bias:
      case Role::qkv_bias:
      case Role::output_bias:
      case Role::up_bias:
      case Role::down_bias:
        return backend_.each(s.count, Fill<Stored>{s.weight, 0});
      default:
        return backend_.each(s.count,
                             RandomNormal<Stored>{s.weight, seed + s.place, s.first, 0.02, list_.all[s.place].cut});
    }
  }

  /// Engines copy their masters from 16-bit weights.
  void copy_masters() {
    if constexpr (F::master) {
      const std::vector<Segment<F>> segments = strategy_->segments();
      masters_ = Array<State>(allocator_, count_of(segments), Category::optimizer, "master_weights");
      std::size_t at = 0;
      for (const Segment<F>& s : segments) {
        backend_.each(s.count, Scale<State, typename F::Stored>{masters_.data() + at, s.weight, 1});
        at += s.count;
      }
    }
  }

  /// With sequence parallelism each tensor rank has the gradients of norms and their like of its own tokens alone:
  /// they are put together and summed once a step (Megatron-LM core/distributed/finalize_model_grads.py).
  void sum_over_tokens(const std::vector<Segment<F>>& segments) {
    using Reduced = typename F::Reduced;
    if (!setup_.shape.tensor.cuts_sequence || setup_.shape.tensor.ranks == 1) return;
    std::vector<std::size_t> offsets(list_.all.size());
    std::size_t count = 0;
    for (std::size_t place = 0; place < list_.all.size(); ++place) {
      offsets[place] = count;
      if (list_.all[place].sees_own_tokens()) count += list_.all[place].elements;
    }
    const Array<Reduced> all(allocator_, count, Category::transient, "norm_gradients");
    backend_.zero(all.data(), all.bytes());  // what another data-parallel rank has
    const auto each_piece = [&](auto visit) {
      for (const Segment<F>& s : segments) {
        if (list_.all[s.place].sees_own_tokens()) visit(s, all.data() + offsets[s.place] + s.first);
      }
    };
    each_piece([&](const Segment<F>& s, Reduced* to) { backend_.copy(to, s.gradient, s.count * sizeof(Reduced)); });
    channels_.tensor.all_reduce(all.data(), all.size());
    channels_.tensor.wait();
    each_piece([&](const Segment<F>& s, Reduced* from) { backend_.copy(s.gradient, from, s.count * sizeof(Reduced)); });
  }

  /// Each element counts once: what tensor ranks have in common on the first of them, what data-parallel ranks have in
  /// common likewise.
  [[nodiscard]] double gradient_norm(const std::vector<Segment<F>>& segments) {
    const bool tensor_parallel = setup_.shape.tensor.ranks > 1;
    const auto counts = [&](const Segment<F>& s) {
      const bool first_tensor_rank = !list_.all[s.place].cut.whole() || setup_.shape.tensor.rank == 0;
      return first_tensor_rank && (!tensor_parallel || strategy_->cut() || channels_.data.rank() == 0);
    };
    std::size_t pieces = 0;
    for (const Segment<F>& s : segments) pieces += counts(s) ? (s.count + piece - 1) / piece : 0;
    const Array<Wide<T>> sums(allocator_, pieces, Category::transient, "norm_sums");
    std::size_t done = 0;
    for (const Segment<F>& s : segments) {
      if (!counts(s)) continue;
      const std::size_t rows = (s.count + piece - 1) / piece;
      backend_.rows(rows, SquaredNorm<typename F::Reduced>{s.gradient, sums.data() + done, s.count, piece});
      done += rows;
    }
    backend_.rows(1, AccumulateSum<Wide<T>>{sums.data(), squares(), pieces, 1});
    if ((strategy_->cut() || tensor_parallel) && channels_.world.size() > 1) {
      channels_.world.all_reduce(squares(), 1);
      channels_.world.wait();
    }
    return std::sqrt(read(squares()));
  }

  void update(const std::vector<Segment<F>>& segments, double clip) {
    const OptimizerSettings& o = setup_.optimizer;
    const std::size_t count = count_of(segments);
    if (!moments_) {  // they appear in the first step
      moments_ = Array<State>(allocator_, 2 * count, Category::optimizer, "optimizer_moments");
      backend_.zero(moments_.data(), moments_.bytes());
    }
    const Array<State> gradients = wide_gradients(segments, count);
    const auto number = [](double x) { return static_cast<Wide<State>>(x); };
    std::size_t at = 0;
    for (const Segment<F>& s : segments) {
      const auto step_with = [&](State* weight, const auto* gradient) {
        using Gradient = std::remove_cvref_t<decltype(*gradient)>;
        backend_.each(s.count, AdamW<State, Gradient>{.weight = weight,
                                                      .gradient = gradient,
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
      };
      if constexpr (F::master) {
        if constexpr (copies_gradients) {
          step_with(masters_.data() + at, gradients.data() + at);
        } else {
          step_with(masters_.data() + at, s.gradient);
        }
        backend_.each(s.count, Scale<typename F::Stored, State>{s.weight, masters_.data() + at, 1});
      } else {
        step_with(s.weight, s.gradient);
      }
      at += s.count;
    }
  }
  /// Masters are updated with fp32 copies of 16-bit gradients.
  [[nodiscard]] Array<State> wide_gradients(const std::vector<Segment<F>>& segments, std::size_t count) {
    if constexpr (copies_gradients) {
      Array<State> copy(allocator_, count, Category::transient, "fp32_gradient_shard");
      std::size_t at = 0;
      for (const Segment<F>& s : segments) {
        backend_.each(s.count, Scale<State, typename F::Reduced>{copy.data() + at, s.gradient, 1});
        at += s.count;
      }
      return copy;
    }
    return {};
  }

  /// Logged once a step: the mean over ranks.
  [[nodiscard]] double mean_loss() {
    Channel& data = channels_.data;
    if (data.size() > 1) {
      backend_.each(1, Scale<Wide<T>>{loss(), loss(), 1 / static_cast<Wide<T>>(data.size())});
      data.all_reduce(loss(), 1);
      data.wait();
    }
    return read(loss());
  }

  static constexpr bool copies_gradients = F::master && !std::is_same_v<typename F::Reduced, State>;

  Setup setup_;
  Backend& backend_;
  Allocator& allocator_;
  Channels& channels_;
  ParameterList list_;
  Transformer<Backend, F> model_;
  std::unique_ptr<Strategy<Backend, F>> strategy_;
  Array<Wide<T>> scalars_;
  Array<State> moments_, masters_;
  int steps_ = 0;
};

}  // namespace meshgauge::step
