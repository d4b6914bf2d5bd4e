// The attention core: flash and unfused, by sequence, mask and head width.
#include "core/price/attention.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Op core_of(const Scenario& s) {
  Op found;
  layer_ops(s, LayerKind::dense, AttentionKind::softmax, [&](const Op& op) {
    if (op.kind == OpKind::attention) found = op;
  });
  return found;
}

double seconds(const Scenario& s, AttentionPass pass) {
  return attention_time(default_profile(s.cluster), s.training, core_of(s), pass).value;
}

Scenario at_sequence(std::int64_t sequence) { return megatron(llama2_7b(), dgx_a100(8), 1, 1, sequence, 1, 8); }

}  // namespace

TEST_CASE("A backward takes about three forwards, as published") {
  // FlashAttention-2 on A100: backward over forward time 2.9 to 3.4 in the charts of Dao-AILab/flash-attention.
  const Scenario s = at_sequence(8192);
  const double ratio = seconds(s, AttentionPass::backward) / seconds(s, AttentionPass::forward);
  CHECK(ratio > 2.9);
  CHECK(ratio < 3.4);
}

TEST_CASE("Long sequences approach four times the work for twice the length") {
  const double ratio =
      seconds(at_sequence(65536), AttentionPass::forward) / seconds(at_sequence(32768), AttentionPass::forward);
  CHECK(ratio > 3.8);
  CHECK(ratio < 4.0);  // and longer sequences run a little better
}

TEST_CASE("Flash attention executes half of a causal square and all of a full one") {
  Scenario decoder = at_sequence(16384);
  Scenario encoder = decoder;
  encoder.model.kind = ModelKind::encoder;
  const double ratio = core_of(encoder).flops / core_of(decoder).flops;
  CHECK(ratio == Approx(2 / (1 + 128.0 / 16384)));
}

TEST_CASE("A step's attention is slower than the kernel alone") {
  // FlashAttention-2, arXiv:2307.08691 figure 5: 192 to 204 TFLOP/s forward and backward together on A100, d = 128,
  // causal, 16k tokens, full FLOPs halved; in steps about four fifths of it.
  const Scenario s = at_sequence(16384);
  const double flops = 3.5 * core_of(s).flops;
  const double rate = flops / (seconds(s, AttentionPass::forward) + seconds(s, AttentionPass::backward));
  CHECK(rate < 192e12);
  CHECK(rate > 0.6 * 192e12);
}

TEST_CASE("Unfused attention is slower, and misaligned heads leave the tensor cores") {
  Scenario s = at_sequence(4096);
  const double flash = seconds(s, AttentionPass::forward);
  s.training.attention = Attention::unfused;
  const double unfused = seconds(s, AttentionPass::forward);
  CHECK(unfused > 2 * flash);
  Op op = core_of(s);
  const Profile p = default_profile(s.cluster);
  op.bytes = 0;
  const double aligned = attention_time(p, s.training, op, AttentionPass::forward).value;
  op.k = 127;
  CHECK(attention_time(p, s.training, op, AttentionPass::forward).value > 10 * aligned);
}

TEST_CASE("Narrow heads run at a lower rate") {
  Scenario wide = at_sequence(8192), narrow = wide;
  narrow.model.heads = narrow.model.kv_heads = 64;
  narrow.model.head_dim = 64;
  CHECK(core_of(wide).flops == core_of(narrow).flops);
  CHECK(seconds(narrow, AttentionPass::forward) == Approx(seconds(wide, AttentionPass::forward) / 0.82));
}

TEST_CASE("A window caps the cost of long sequences") {
  Scenario s = at_sequence(32768);
  const double whole = seconds(s, AttentionPass::forward);
  s.model.window = 1024;
  s.model.local_layers = s.model.layers;
  CHECK(seconds(s, AttentionPass::forward) < 0.08 * whole);
}

TEST_CASE("fp32 attention does not run on 16-bit tensor cores") {
  Scenario s = at_sequence(4096);
  const double half = seconds(s, AttentionPass::forward);
  s.training.precision = Precision::fp32;
  CHECK(seconds(s, AttentionPass::forward) > 10 * half);
}

}  // namespace meshgauge
