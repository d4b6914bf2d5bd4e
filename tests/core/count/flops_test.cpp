// FLOP totals against published formulas, published utilisations and other tools' exact outputs.
#include "core/count/flops.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

/// One pipeline of tensor-parallel nodes, no data parallelism.
Scenario one_replica(ModelShape model, std::int64_t t, std::int64_t p, std::int64_t sequence, std::int64_t batch) {
  return megatron(std::move(model), dgx_a100(t * p), t, p, sequence, 1, batch);
}

double percent(double flops, double seconds, double gpus, double peak) { return 100 * flops / (seconds * gpus * peak); }

}  // namespace

TEST_CASE("Megatron-LM's num_floating_point_operations is met to the last bit") {
  // Values printed by megatron/training/training.py of commit d98e8a64 for these arguments.
  CHECK(step_flops(one_replica(gpt3_175b(), 8, 8, 2048, 64)).model_causal == 1.3919157500667494e17);
  CHECK(step_flops(one_replica(llama2_7b(), 1, 1, 4096, 64)).model_causal == 1.1236459080056832e16);
  Scenario mixtral = one_replica(mixtral_8x7b(), 2, 2, 4096, 64);
  CHECK(step_flops(mixtral).model_causal == 2.0894569218441216e16);
  // That call was given LLaMA-2-70B's 32000 rows, which eight tensor ranks would pad to 32768.
  CHECK(step_flops(one_replica(llama2_70b(), 1, 1, 4096, 16)).model_causal == 2.807465502572544e16);
}

TEST_CASE("Full attention gives the formula of Narayanan et al. 2021") {
  // arXiv:2104.04473 section 5.1: 96 B s l h^2 (1 + s/6h + V/16lh) with full recompute, 72 (.. + V/12lh) without.
  Scenario s = one_replica(gpt(24, 2304, 24, 51200), 1, 1, 2048, 512);
  s.training.attention = Attention::unfused;
  const double B = 512, l = 24, h = 2304, n = 2048, V = 51200;
  CHECK(step_flops(s).model_full ==
        Approx(72 * B * n * l * h * h * (1 + n / (6 * h) + V / (12 * l * h))).epsilon(1e-12));
  s.training.recompute = Recompute::full;
  CHECK(step_flops(s).hardware == Approx(96 * B * n * l * h * h * (1 + n / (6 * h) + V / (16 * l * h))).epsilon(1e-12));
}

TEST_CASE("Utilisations of Korthikanti et al. 2022 follow from their step times") {
  // arXiv:2205.05198 tables 3 and 5: selective recompute, sequence parallelism, A100 at 312 TFLOP/s.
  struct Row {
    ModelShape model;
    std::int64_t p, batch;
    double seconds, mfu, hfu;
  };
  const Row rows[] = {{gpt(48, 6144, 64, 51200), 1, 4, 1.10, 41.7, 43.8},
                      {gpt(96, 12288, 96, 51200), 8, 64, 13.75, 51.4, 52.8},
                      {gpt(105, 20480, 128, 51200), 35, 280, 37.83, 56.0, 57.0},
                      {gpt(128, 25600, 160, 51200), 64, 512, 71.49, 56.3, 57.0}};
  for (const Row& row : rows) {
    Scenario s = one_replica(row.model, 8, row.p, 2048, row.batch);
    s.training.attention = Attention::unfused;
    s.training.recompute = Recompute::selective;
    s.training.recompute_modules.core_attention = true;
    const auto gpus = static_cast<double>(8 * row.p);
    const StepFlops flops = step_flops(s);
    // The paper prints 41.5 and 43.7 for 22B: its 1.10 s is rounded.
    CHECK(percent(flops.model_full, row.seconds, gpus, 312e12) == Approx(row.mfu).margin(0.05));
    // The appendix charges the recomputed core like a forward and a backward: 72 B L s h^2 (1 + s/3h + V/12hL). Only
    // its forward runs again, and only that is counted here.
    const double again = flops.hardware - flops.model_full;
    CHECK(percent(flops.model_full + 3 * again, row.seconds, gpus, 312e12) == Approx(row.hfu).margin(0.05));
  }
}

TEST_CASE("PaLM's utilisation follows from its token rate") {
  // arXiv:2204.02311 section 4.1: 540B, 238,300 tokens/s on 6,144 TPU v4 of 275 TFLOP/s: 46.2 % MFU, with the
  // formula 6 N + 12 L H Q T of appendix B. Multi-query attention, heads of 256, SwiGLU, tied 256k vocabulary.
  ModelShape palm = llama(118, 18432, 73728, 48, 1, 256000);
  palm.head_dim = 256;
  palm.tie_embeddings = true;
  const Scenario s = one_replica(palm, 1, 1, 2048, 1);
  const double per_token = step_flops(s).model_full / 2048;
  CHECK(per_token * 238.3e3 / (6144 * 275e12) * 100 == Approx(46.2).margin(0.05));
}

TEST_CASE("torchtitan counts attention in full and Megatron-LM half of it") {
  // torchtitan benchmarks/llama3_h100_202412: Llama 3.1 8B at 8192, 5762 tokens/s on an H100 of 989 TFLOP/s:
  // 33.7 % in full, 30.0 % causal; 6667 with torch.compile: 39.0 and 34.7 %.
  const StepFlops flops = step_flops(one_replica(llama3_8b(), 1, 1, 8192, 1));
  CHECK(flops.model_full / 8192 * 5762 / 989e12 * 100 == Approx(33.7).margin(0.05));
  CHECK(flops.model_causal / 8192 * 5762 / 989e12 * 100 == Approx(30.0).margin(0.05));
  CHECK(flops.model_full / 8192 * 6667 / 989e12 * 100 == Approx(39.0).margin(0.06));
  CHECK(flops.model_causal / 8192 * 6667 / 989e12 * 100 == Approx(34.7).margin(0.05));
}

TEST_CASE("LLaMA-2-7B per token agrees with three other tools") {
  // Megatron-LM 4.286e10, torchtitan and SimuMax 4.609e10 FLOP a token at 4096.
  const StepFlops flops = step_flops(one_replica(llama2_7b(), 1, 1, 4096, 1));
  CHECK(flops.model_causal / 4096 == Approx(4.286e10).epsilon(2e-4));
  CHECK(flops.model_full / 4096 == Approx(4.609e10).epsilon(2e-4));
}

TEST_CASE("An encoder has no mask, so both conventions agree") {
  const StepFlops flops = step_flops(one_replica(bert_large(), 1, 1, 512, 8));
  CHECK(flops.model_causal == flops.model_full);
  const double h = 1024, s = 512, L = 24, V = 30592;  // padded to a multiple of 128
  CHECK(flops.model_full == Approx(8 * s * (6 * L * (12 * h * h + 2 * h * s) + 6 * h * V)).epsilon(1e-12));
}

TEST_CASE("T5's encoder and cross attention are not masked, its decoder is") {
  const StepFlops flops = step_flops(one_replica(t5_large(), 1, 1, 512, 1));
  const double h = 1024, s = 512, L = 24;
  CHECK(flops.model_full - flops.model_causal == Approx(s * 6 * L * h * s).epsilon(1e-12));
}

TEST_CASE("Multi-latent attention and multi-token prediction count as in Megatron-LM") {
  ModelShape m = deepseek_v3();
  const Scenario s = one_replica(m, 1, 1, 4096, 1);
  const double h = 7168, a = 128, n = 4096;
  const double attention = 1536 * (h + a * 192 + 1) + 512 * (h + a * 256 + 1) + h * 64 + a * 128 * h;
  const double core = n * a * (192 + 128) / 2;
  const double mlp = 3 * 3 * h * 18432 + 58 * 3 * h * (8 * 2048 + 2048);
  const double logits = h * 129280;
  CHECK(step_flops(s).model_causal == n * 6 * (61 * (attention + core) + mlp + logits));

  m.mtp_depth = 1;
  const double more = attention + core + 3 * h * (8 * 2048 + 2048) + 3 * h + 2 * h * h + logits;
  const Scenario with_mtp = one_replica(m, 1, 1, 4096, 1);
  CHECK(step_flops(with_mtp).model_causal - step_flops(s).model_causal == Approx(n * 6 * more).epsilon(1e-12));
}

TEST_CASE("Sliding windows shorten both what is counted and what flash attention executes") {
  Scenario s = one_replica(llama3_8b(), 1, 1, 8192, 1);
  const StepFlops whole = step_flops(s);
  s.model.window = 1024;
  s.model.local_layers = s.model.layers;
  const StepFlops windowed = step_flops(s);
  // 2 a d s multiply-adds, of which half lie below the diagonal, or s w - w^2 / 2 of s^2; without a mask 2 w of s.
  const double n = 8192, w = 1024, core = 32 * 2 * 4096 * n;
  CHECK(whole.model_causal - windowed.model_causal ==
        Approx(n * 6 * core * (0.5 - (n * w - w * w / 2) / (n * n))).epsilon(1e-9));
  CHECK(whole.model_full - windowed.model_full == Approx(n * 6 * core * (1 - 2 * w / n)).epsilon(1e-9));
  CHECK(windowed.hardware > windowed.model_causal);
  // Flash attention runs 7 passes of them: its backward computes the scores again.
  CHECK(whole.hardware - windowed.hardware ==
        Approx(n * 7 * core * (0.5 - (n * w - w * w / 2) / (n * n))).epsilon(1e-9));
}

TEST_CASE("Hardware FLOPs add what runs again") {
  Scenario s = one_replica(llama2_7b(), 1, 1, 4096, 1);
  const double n = 4096, h = 4096, L = 32;
  const StepFlops plain = step_flops(s);
  // Flash attention's backward computes the scores again: half a forward of the core more.
  CHECK(plain.hardware - plain.model_causal == Approx(n * L * h * n).epsilon(1e-12));
  s.training.recompute = Recompute::full;
  const double layer = 4 * h * h + 3 * h * 11008 + h * n;
  CHECK(step_flops(s).hardware - plain.hardware == Approx(n * L * 2 * layer).epsilon(1e-12));
  s.training.recompute_method = RecomputeMethod::block;
  s.training.recompute_layers = 8;
  CHECK(step_flops(s).hardware - plain.hardware == Approx(n * 8 * 2 * layer).epsilon(1e-12));
  s.training.recompute = Recompute::selective;
  s.training.recompute_modules.mlp = true;
  CHECK(step_flops(s).hardware - plain.hardware == Approx(n * L * 2 * 3 * h * 11008).epsilon(1e-12));
}

TEST_CASE("The kernels of one rank add up to the model") {
  // t ranks, e experts ranks, all layers, head: three times the forward products of the ops is the full model count.
  for (const bool expert : {false, true}) {
    Scenario s = megatron(expert ? mixtral_8x7b() : llama2_7b(), dgx_a100(8), 8, 1, 4096, 1, 1);
    s.training.attention = Attention::unfused;
    double flops = 0, router = 0;
    const auto sum = [&](const Op& op) {
      (std::string(op.id) == "router" ? router : flops) += op.flops + op.backward_flops;
    };
    const LayerKind kind = expert ? LayerKind::moe : LayerKind::dense;
    layer_ops(s, kind, AttentionKind::softmax, sum);
    flops *= 32;
    head_ops(s, sum);
    CHECK(8 * flops == Approx(step_flops(s).model_full).epsilon(1e-12));
    CHECK((router > 0) == expert);
  }
}

TEST_CASE("Embeddings narrower than the layers take a product on each side of them, and a smaller head") {
  Scenario s = one_replica(gpt(24, 1024, 16, 50304), 1, 1, 2048, 1);
  const double n = 2048, h = 1024, V = 50304, w = 512;
  const double wide = step_flops(s).model_causal;
  s.model.embedding_width = 512;  // OPT 350M
  CHECK(wide - step_flops(s).model_causal == Approx(6 * n * (V * h - V * w - 2 * h * w)).epsilon(1e-12));
  double outside = 0;
  const auto sum = [&](const Op& op) { outside += op.flops + op.backward_flops; };
  embedding_ops(s, sum);
  head_ops(s, sum);
  CHECK(outside == Approx(6 * n * (V * w + 2 * h * w)).epsilon(1e-12));
}

TEST_CASE("A layer's kernels have the shapes that tensor parallelism leaves") {
  const Scenario s = megatron(llama2_70b(), dgx_a100(16), 16, 1, 4096, 2, 2);
  double qkv = 0, down = 0;
  layer_ops(s, LayerKind::dense, AttentionKind::softmax, [&](const Op& op) {
    if (std::string(op.id) == "qkv") qkv = op.n;
    if (std::string(op.id) == "mlp_down") down = op.k;
  });
  CHECK(qkv == (64 + 2 * 16) * 128 / 16);  // 8 KV heads on 16 ranks: one on each
  CHECK(down == 28672 / 16);
}

TEST_CASE("Experts see the tokens routed to them") {
  Scenario s = megatron(deepseek_v3(), dgx_h100(64), 1, 1, 4096, 1, 64);
  s.parallelism.expert = 64;
  double groups = 0, rows = 0;
  const auto find = [&](const Op& op) {
    if (std::string(op.id) != "experts_up") return;
    groups = op.groups;
    rows = op.m;
  };
  layer_ops(s, LayerKind::moe, AttentionKind::softmax, find);
  CHECK(groups == 4);
  CHECK(rows == 4096 * 8 / 4);
  s.training.moe_load_factor = 1.5;
  layer_ops(s, LayerKind::moe, AttentionKind::softmax, find);
  CHECK(rows == 1.5 * 4096 * 8 / 4);
}

}  // namespace meshgauge
