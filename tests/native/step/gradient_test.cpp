// The backward by hand against central differences of the loss, in double precision: every parameter of every kind.
#include <cmath>

#include "native/step/cpu_backend.hpp"
#include "native/step/optimizer_kernels.hpp"
#include "native/step/transformer.hpp"
#include "tests/native/step/models.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge::testing {
namespace {

using step::Shape;

/// All weights and gradients on one rank.
class Plain final : public step::Parameters<step::Whole<double>> {
 public:
  Plain(const step::ParameterList& list, step::CpuBackend& backend) : list_(list) {
    for (std::size_t i = 0; i < list.all.size(); ++i) {
      weights_.emplace_back(list.all[i].elements);
      gradients_.emplace_back(list.all[i].elements, 0.0);
      backend.each(list.all[i].elements, step::RandomNormal<double>{weights_[i].data(), i, 0, 0.3, {}});
    }
  }
  [[nodiscard]] const double* matrix(std::size_t place) const override { return weights_[place].data(); }
  [[nodiscard]] const double* small(std::size_t place) const override { return matrix(place); }
  [[nodiscard]] double* gradient(std::size_t place) override { return gradients_[place].data(); }
  void ready(std::size_t place) override { order.push_back(place); }
  [[nodiscard]] double& at(std::size_t place, std::size_t i) { return weights_[place][i]; }
  void forget() {
    for (auto& g : gradients_) std::fill(g.begin(), g.end(), 0.0);
  }

  std::vector<std::size_t> order;

 private:
  const step::ParameterList& list_;
  std::vector<std::vector<double>> weights_, gradients_;
};

struct Check {
  explicit Check(const ModelShape& model, std::size_t sequence, std::size_t micro_batch, bool recompute = false)
      : shape(step::shape_of(model, static_cast<std::size_t>(model.vocab), sequence, micro_batch)),
        list(step::parameters_of(shape)),
        transformer(shape, list, backend, allocator, alone, recompute),
        parameters(list, backend),
        ids(shape.tokens(), shape.vocab, 7) {}

  double loss() {
    double value = 0;
    transformer.micro_batch(ids.batch(), parameters, 1.0, &value);
    return value;
  }

  std::unique_ptr<harness::Device> device = harness::cpu_device();
  step::CpuBackend backend{*device};
  step::Allocator allocator{*device};
  step::Channel alone{nullptr, *device};
  Shape shape;
  step::ParameterList list;
  step::Transformer<step::CpuBackend, step::Whole<double>> transformer;
  Plain parameters;
  Ids ids;
};

void compare_with_differences(Check check) {
  check.loss();
  std::vector<std::size_t> in_order(check.list.all.size());
  for (std::size_t i = 0; i < in_order.size(); ++i) in_order[i] = i;
  CHECK(check.parameters.order == in_order);  // what buckets rely on

  std::vector<std::vector<double>> gradients;
  for (std::size_t place = 0; place < check.list.all.size(); ++place) {
    const double* g = check.parameters.gradient(place);
    gradients.emplace_back(g, g + check.list.all[place].elements);
  }
  constexpr double h = 1e-5;
  for (std::size_t place = 0; place < check.list.all.size(); ++place) {
    const std::size_t n = check.list.all[place].elements;
    for (std::size_t i = 0; i < n; i += 1 + n / 7) {
      double& w = check.parameters.at(place, i);
      const double was = w;
      w = was + h;
      const double above = check.loss();
      w = was - h;
      const double below = check.loss();
      w = was;
      const double difference = (above - below) / (2 * h);
      INFO("role " << static_cast<int>(check.list.all[place].role) << " of unit " << check.list.all[place].unit << ", "
                   << i << ": " << gradients[place][i] << " by hand, " << difference << " by differences");
      CHECK(std::abs(gradients[place][i] - difference) <= 1e-7 + 1e-5 * std::abs(difference));
    }
  }
}

TEST_CASE("The gradients of a GPT are those of its loss") {
  compare_with_differences(Check(small_gpt(2, 16, 2, 23), 9, 2));
}

TEST_CASE("The gradients of a LLaMA with grouped keys are those of its loss") {
  compare_with_differences(Check(small_llama(2, 16, 20, 4, 2, 19), 8, 2));
}

TEST_CASE("A model whose MLP alone has biases and whose embeddings are not tied has the gradients of its loss") {
  ModelShape model = small_gpt(1, 12, 3, 11);
  model.tie_embeddings = false;
  model.bias_qkv = model.bias_attn_out = false;
  compare_with_differences(Check(model, 7, 1));
}

TEST_CASE("Attention over several blocks of queries has the gradients of the loss") {
  compare_with_differences(Check(small_llama(1, 8, 8, 2, 1, 13), 2 * step::CpuBackend::query_block + 5, 1));
}

TEST_CASE("A rebuilt layer gives the gradients of a kept one, bit by bit") {
  Check kept(small_gpt(3, 16, 2, 23), 9, 2, false), rebuilt(small_gpt(3, 16, 2, 23), 9, 2, true);
  CHECK(kept.loss() == rebuilt.loss());
  for (std::size_t place = 0; place < kept.list.all.size(); ++place) {
    for (std::size_t i = 0; i < kept.list.all[place].elements; ++i) {
      REQUIRE(kept.parameters.gradient(place)[i] == rebuilt.parameters.gradient(place)[i]);
    }
  }
}

}  // namespace
}  // namespace meshgauge::testing
