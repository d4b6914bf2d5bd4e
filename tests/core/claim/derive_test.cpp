// What follows from some figures of a run, against runs whose other figures are published.
#include <algorithm>
#include <map>

#include "core/claim/claim.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/formula.hpp"

namespace meshgauge {
namespace {

using Given = std::map<Fact, double>;

Claim claim(const Given& given, double peak = 312) {
  Claim c;
  for (const auto& [fact, value] : given) c.given[static_cast<std::size_t>(fact)] = value;
  c.peak_tflops = peak;
  return c;
}

double value(const Claim& c, Fact fact) {
  const auto found = consequences_of(c).values[static_cast<std::size_t>(fact)];
  REQUIRE(found.has_value());
  return *found;
}

const Conflict* conflict_of(const std::vector<Conflict>& conflicts, Fact fact) {
  const auto found =
      std::find_if(conflicts.begin(), conflicts.end(), [&](const Conflict& c) { return c.fact == fact; });
  return found == conflicts.end() ? nullptr : &*found;
}

bool contradicts(const Claim& c) {
  const auto conflicts = conflicts_in(c);
  return std::any_of(conflicts.begin(), conflicts.end(), [](const Conflict& one) { return one.contradiction; });
}

}  // namespace

TEST_CASE("LLaMA-65B's 380 tokens/s on 2,048 GPUs are 21 days and 1,022,362 GPU hours") {
  // Touvron et al. 2023, arXiv:2302.13971 section 2.4 and table 15.
  const Claim c = claim(
      {{Fact::parameters, 65.2e9}, {Fact::tokens, 1.4e12}, {Fact::gpus, 2048}, {Fact::tokens_per_second_per_gpu, 380}});
  CHECK(value(c, Fact::days) == Approx(21).margin(0.3));
  CHECK(value(c, Fact::gpu_hours) == Approx(1022362).epsilon(2e-3));
  CHECK(value(c, Fact::mfu) == Approx(0.476).margin(0.001));
  CHECK(conflicts_in(c).empty());
}

TEST_CASE("128 GPUs that train LLaMA-65B in 21 days contradict 38 TFLOP/s 62 times over") {
  const Claim c = claim({{Fact::parameters, 65e9},
                         {Fact::tokens, 1.4e12},
                         {Fact::gpus, 128},
                         {Fact::days, 21},
                         {Fact::tflops_per_gpu, 38}});
  const auto conflicts = conflicts_in(c);
  const Conflict* rate = conflict_of(conflicts, Fact::tflops_per_gpu);
  REQUIRE(rate != nullptr);
  CHECK(rate->contradiction);
  CHECK(rate->implied.figure.value == Approx(2351).margin(1));  // 7.5 times the peak of 312
  CHECK(rate->factor == Approx(61.9).margin(0.1));
  const Conflict* days = conflict_of(conflicts, Fact::days);
  REQUIRE(days != nullptr);
  CHECK(days->implied.figure.value == Approx(1299).margin(1));
}

TEST_CASE("GPT-3 on 1,024 GPUs in 34 days at 140 TFLOP/s counts recompute") {
  // Narayanan et al. 2021, arXiv:2104.04473 section 5.1: 300e9 tokens, 8 T P / (n X) = 34 days.
  const Claim c = claim({{Fact::parameters, 175e9},
                         {Fact::tokens, 300e9},
                         {Fact::gpus, 1024},
                         {Fact::days, 34},
                         {Fact::tflops_per_gpu, 140}});
  const auto conflicts = conflicts_in(c);
  const Conflict* rate = conflict_of(conflicts, Fact::tflops_per_gpu);
  REQUIRE(rate != nullptr);
  CHECK_FALSE(rate->contradiction);
  CHECK(rate->recompute);
  CHECK(rate->factor == Approx(4.0 / 3).epsilon(0.01));
  CHECK_FALSE(contradicts(c));
}

TEST_CASE("MT-NLG's and BLOOM's hardware rates agree with their token rates") {
  // arXiv:2201.11990 section 3.4: 60.1 s for 1,920 x 2,048 tokens on 2,240 GPUs, 126 TFLOP/s.
  CHECK_FALSE(contradicts(claim({{Fact::parameters, 530e9},
                                 {Fact::gpus, 2240},
                                 {Fact::tokens_per_second, 1920 * 2048 / 60.1},
                                 {Fact::tflops_per_gpu, 126}})));
  // Luccioni et al. 2022, arXiv:2211.02001 table 1: 1,082,990 GPU hours; bigscience tr11-176B-ml: 366e9 tokens, 150
  // TFLOP/s, 384 GPUs.
  CHECK_FALSE(contradicts(claim({{Fact::parameters, 176e9},
                                 {Fact::gpus, 384},
                                 {Fact::tokens, 366e9},
                                 {Fact::gpu_hours, 1082990},
                                 {Fact::tflops_per_gpu, 150}})));
}

TEST_CASE("PaLM's token rate is 45.7 % of its chips without attention") {
  // arXiv:2204.02311 section 4.1: 540.35e9 parameters, 238,300 tokens/s, 6,144 TPU v4 of 275 TFLOP/s.
  const Claim c = claim({{Fact::parameters, 540.35e9}, {Fact::gpus, 6144}, {Fact::tokens_per_second, 238.3e3}}, 275);
  CHECK(value(c, Fact::mfu) == Approx(0.457).margin(0.0005));
}

TEST_CASE("DeepSeek-V3's GPU hours are a rate, and its active parameters a utilisation") {
  // arXiv:2412.19437 section 1: 2.664e6 H800 hours for 14.8e12 tokens, 180,000 for each trillion, on 2,048 GPUs in
  // less than two months; 37e9 of 671e9 parameters.
  const Claim c = claim({{Fact::parameters, 671e9},
                         {Fact::active_parameters, 37e9},
                         {Fact::tokens, 14.8e12},
                         {Fact::gpu_hours, 2.664e6},
                         {Fact::gpus, 2048}},
                        1979);
  CHECK(value(c, Fact::gpu_hours) / 14.8 == Approx(180e3).epsilon(1e-9));
  CHECK(value(c, Fact::days) == Approx(54.2).margin(0.1));
  CHECK(value(c, Fact::mfu) == Approx(0.173).margin(0.001));
}

TEST_CASE("BERT-Base's 3.1 million iterations of 0.8 s are 694 hours, not 70") {
  // 5e6 texts of at most 512 tokens, 10 epochs, batch 16.
  const Claim c = claim({{Fact::parameters, 110e6},
                         {Fact::tokens, 5e6 * 10 * 512},
                         {Fact::gpus, 1},
                         {Fact::tokens_per_second, 16 * 512 / 0.8},
                         {Fact::days, 70 / 24.0}});
  const auto conflicts = conflicts_in(c);
  const Conflict* days = conflict_of(conflicts, Fact::days);
  REQUIRE(days != nullptr);
  CHECK(days->contradiction);
  CHECK(days->implied.figure.value * 24 == Approx(694).margin(1));
  CHECK(days->factor == Approx(9.9).margin(0.05));
}

TEST_CASE("Figures that are rounded to two digits do not contradict each other") {
  CHECK(conflicts_in(claim({{Fact::tflops_per_gpu, 38}, {Fact::mfu, 0.12}})).empty());  // 37.4
  CHECK(contradicts(claim({{Fact::tflops_per_gpu, 150}, {Fact::mfu, 0.4}})));           // 124.8
  CHECK(contradicts(claim({{Fact::gpus, 8}, {Fact::days, 10}, {Fact::gpu_hours, 1000}})));
}

TEST_CASE("Every way from three figures to the others comes back to them") {
  const Claim whole = claim(
      {{Fact::parameters, 7e9}, {Fact::tokens, 2e12}, {Fact::gpus, 256}, {Fact::tokens_per_second_per_gpu, 3500}});
  const Facts all = consequences_of(whole).values;
  const auto at = [&](Fact f) { return *all[static_cast<std::size_t>(f)]; };
  int solved = 0;
  for (std::size_t i = 1; i < fact_count; ++i) {
    for (std::size_t j = i + 1; j < fact_count; ++j) {
      for (std::size_t k = j + 1; k < fact_count; ++k) {
        Given given{{static_cast<Fact>(i), all[i].value()},
                    {static_cast<Fact>(j), all[j].value()},
                    {static_cast<Fact>(k), all[k].value()}};
        const Consequences result = consequences_of(claim(given));
        for (const Derived& derived : result.derived) {
          CAPTURE(i, j, k, derived.figure.text.id, derived.figure.text.formula);
          CHECK(derived.figure.value == Approx(at(derived.fact)).epsilon(1e-9));
          std::map<std::string, double> values;
          for (const Value& one : derived.figure.values) values[one.symbol] = one.value;
          CHECK(testing::evaluate_formula(derived.figure.text.formula, values) ==
                Approx(derived.figure.value).epsilon(1e-9));
          ++solved;
        }
        CHECK(conflicts_in(claim(given)).empty());
      }
    }
  }
  CHECK(solved > 400);
}

}  // namespace meshgauge
