// Training on real text: the loss goes from that of a guess to that of a model that has learnt something.
#include <fstream>
#include <sstream>

#include "native/step/text.hpp"
#include "tests/native/step/ranks.hpp"

namespace meshgauge::testing {
namespace {

std::string alice() {
  std::ostringstream text;
  text << std::ifstream(std::string(MESHGAUGE_TEST_DATA) + "/text/alice.txt", std::ios::binary).rdbuf();
  REQUIRE(text.str().size() == 65536);
  return text.str();
}

template <class F>
void train(const ModelShape& model, StrategyKind strategy, bool recompute) {
  INFO(model.id << " under " << name_of(strategy));
  static const std::string text = alice();
  step::Job job;
  job.model = model;
  job.strategy = strategy;
  job.ranks = ranks();
  job.sequence = 32;
  job.micro_batch = 4;
  job.recompute = recompute;
  TestJob<F> trained(job);
  double first = 0, last = 0;
  constexpr int steps = 100;
  for (int i = 0; i < steps; ++i) {
    const step::TextBatch batch(text, 4, 32, static_cast<std::uint64_t>(i * ranks() + world().rank()));
    const double loss = trained.step(std::vector{batch.batch()}).loss;
    if (i == 0) first = loss;
    if (i >= steps - 5) last += loss / 5;
  }
  CHECK(first == Approx(std::log(256)).epsilon(0.02));  // nothing known: all bytes are equally likely
  CHECK(last < first - 2.2);                            // nine of ten are ruled out
}

TEST_CASE("The loss on a text falls from that of a guess", "[training]") {
  train<step::Whole<float>>(small_gpt(2, 48, 4, step::byte_vocabulary), StrategyKind::ddp, false);
  train<step::Whole<float>>(small_llama(2, 48, 96, 4, 2, step::byte_vocabulary), StrategyKind::zero3, true);
}

}  // namespace
}  // namespace meshgauge::testing
