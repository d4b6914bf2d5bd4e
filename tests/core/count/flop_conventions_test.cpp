// Utilisation under each convention in use, against what those who use it print.
#include "core/count/flop_conventions.hpp"

#include <string_view>

#include "tests/support/catch.hpp"
#include "tests/support/formula.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

/// FLOPs of one token under a convention.
double per_token(const Scenario& s, std::string_view id) {
  for (const Figure& figure : flops_by_convention(s, step_flops(s))) {
    if (figure.text.id == id) return figure.value;
  }
  FAIL("there is no such convention");
  return 0;
}

Scenario of(ModelShape model, std::int64_t sequence) {
  Scenario s = megatron(std::move(model), dgx_a100(8), 1, 1, sequence, 1, 8);
  s.training.engine = Engine::fsdp2;  // no padded vocabulary
  s.training.attention = Attention::flash;
  return s;
}

double percent(double flops_per_token, double tokens_per_second, double peak) {
  return 100 * flops_per_token * tokens_per_second / peak;
}

}  // namespace

TEST_CASE("MLPerf's constants are two conventions") {
  // Training v5.0 and v5.1 logs: 21508 TFLOP for a sample of 8192 tokens of Llama 3.1 405B, 421.59 for 8B.
  CHECK(8192 * per_token(of(llama31_405b(), 8192), "palm_without_embedding") == Approx(21508e12).epsilon(1e-4));
  // That of 8B has 128,000 rows of vocabulary instead of 128,256, and no norms.
  ModelShape rounded = llama3_8b();
  rounded.vocab = 128000;
  CHECK(8192 * per_token(of(rounded, 8192), "causal") == Approx(421.59e12).epsilon(2e-5));
  CHECK(8192 * per_token(of(llama3_8b(), 8192), "causal_without_embedding") == Approx(421.59e12).epsilon(2e-4));
  // Neither is the other's.
  CHECK(8192 * per_token(of(llama31_405b(), 8192), "causal_without_embedding") < 0.97 * 21508e12);
  CHECK(8192 * per_token(of(llama3_8b(), 8192), "palm_without_embedding") > 1.1 * 421.59e12);
}

TEST_CASE("llm-foundry counts all parameters and attention in full") {
  // scripts/train/benchmarking/README.md: MPT-70B (64.86e9 with its 2,048 learned positions) on 256 H100 at 2048:
  // 1,035 tokens/s each are 42.42 % of 989.5 TFLOP/s.
  ModelShape mpt = gpt(80, 8192, 64, 50368);
  mpt.bias_qkv = mpt.bias_attn_out = mpt.bias_mlp = mpt.norm_bias = false;
  CHECK(percent(per_token(of(mpt, 2048), "palm"), 1035, 989.5e12) == Approx(42.42).margin(0.05));
}

TEST_CASE("torchtitan leaves the input embedding out") {
  // benchmarks/llama3_h100_202412: Llama 3.1 8B at 8192, 5762 tokens/s on an H100 of 989 TFLOP/s: 33.7 %.
  CHECK(percent(per_token(of(llama3_8b(), 8192), "palm_without_embedding"), 5762, 989e12) == Approx(33.7).margin(0.05));
}

TEST_CASE("FlagPerf counts no attention at all") {
  // training/nvidia/llama3_8B: 7,914 tokens/s on an H100 are 38.4 %, with 8e9 for the 8.03e9 parameters.
  CHECK(percent(per_token(of(llama3_8b(), 8192), "six_n"), 7914, 989e12) * 8 / 8.03 == Approx(38.4).margin(0.05));
}

TEST_CASE("PaLM's utilisation without attention is 45.7 %") {
  // arXiv:2204.02311 section 4.1: 238,300 tokens/s on 6,144 TPU v4 of 275 TFLOP/s: 46.2 %, 45.7 % without attention.
  ModelShape palm = llama(118, 18432, 73728, 48, 1, 256000);
  palm.head_dim = 256;
  palm.tie_embeddings = true;
  const Scenario s = of(palm, 2048);
  CHECK(percent(per_token(s, "six_n"), 238.3e3 / 6144, 275e12) == Approx(45.7).margin(0.05));
  CHECK(percent(per_token(s, "palm"), 238.3e3 / 6144, 275e12) == Approx(46.2).margin(0.05));
  CHECK(per_token(s, "palm_without_embedding") == per_token(s, "palm"));  // the matrix is the head's as well
}

TEST_CASE("Hardware FLOPs with full attention are those of Narayanan et al. 2021, whatever the kernel skips") {
  // arXiv:2104.04473 section 5.1: 96 B s l h^2 (1 + s/6h + V/16lh) under full recompute.
  Scenario s = of(gpt(24, 2304, 24, 51200), 2048);
  s.training.recompute = Recompute::full;
  const double l = 24, h = 2304, n = 2048, V = 51200;
  CHECK(per_token(s, "hardware_full") == Approx(96 * l * h * h * (1 + n / (6 * h) + V / (16 * l * h))).epsilon(1e-12));
  CHECK(per_token(s, "hardware") < per_token(s, "hardware_full"));  // flash attention skips what is masked
}

TEST_CASE("MT-NLG's 126 TFLOP/s are hardware FLOPs") {
  // arXiv:2201.11990 section 3.4: 530B, 60.1 s for 1,920 sequences of 2,048 on 2,240 A100: 126 TFLOP/s a GPU.
  Scenario s = of(gpt(105, 20480, 128, 51200), 2048);
  s.training.recompute = Recompute::full;
  const double rate = 1920.0 * 2048 / 60.1 / 2240;
  CHECK(per_token(s, "hardware_full") * rate / 1e12 == Approx(126).margin(0.6));
  CHECK(per_token(s, "full") * rate / 1e12 < 96);
}

TEST_CASE("Every convention's formula gives its FLOPs") {
  for (const ModelShape& model : {llama3_8b(), deepseek_v3(), mixtral_8x7b(), bert_large(), t5_large()}) {
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      Scenario s = of(model, 512);
      s.training.recompute = recompute;
      s.training.recompute_modules.core_attention = true;
      const StepFlops flops = step_flops(s);
      for (const Figure& figure : flops_by_convention(s, flops)) {
        CAPTURE(model.id, figure.text.id);
        std::map<std::string, double> values;
        for (const Value& value : figure.values) values[value.symbol] = value.value;
        CHECK(testing::evaluate_formula(figure.text.formula, values) == Approx(figure.value).epsilon(1e-12));
      }
      CHECK(per_token(s, "causal") * s.tokens_per_step() == Approx(flops.model_causal).epsilon(1e-12));
      CHECK(per_token(s, "full") * s.tokens_per_step() == Approx(flops.model_full).epsilon(1e-12));
      CHECK(per_token(s, "hardware") * s.tokens_per_step() == Approx(flops.hardware).epsilon(1e-12));
      CHECK(per_token(s, "hardware_full") * s.tokens_per_step() == Approx(flops.hardware_full).epsilon(1e-12));
    }
  }
}

}  // namespace meshgauge
