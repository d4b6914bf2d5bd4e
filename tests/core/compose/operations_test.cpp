// Operations one by one: their FLOPs and bytes against published counts, their seconds against the layer's.
#include "core/compose/operations.hpp"

#include <string>

#include "core/compose/layer_cost.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

Scenario one_gpu(ModelShape model, std::int64_t sequence, std::int64_t micro_batch) {
  return megatron(std::move(model), dgx_a100(1), 1, 1, sequence, micro_batch, micro_batch);
}

Operation find(const std::vector<Operation>& operations, const std::string& id) {
  for (const Operation& one : operations) {
    if (one.op.id == id) return one;
  }
  FAIL(id);
  return {};
}

double intensity(const Work& work) { return work.flops.value / work.bytes.value; }

}  // namespace

TEST_CASE("A square product has the arithmetic intensity that NVIDIA prints") {
  // Matrix Multiplication Background User's Guide: 8192 x 8192 x 8192 in fp16 has 2730 FLOP a byte. The output
  // projection of LLaMA-2-70B's attention is 8192 wide both ways; two sequences of 4096 make 8192 rows.
  const Scenario s = one_gpu(llama2_70b(), 4096, 2);
  const auto operations = layer_operations(s, default_profile(s.cluster), LayerKind::dense, AttentionKind::softmax);
  const Operation out = find(operations, "attention_out");
  CHECK(intensity(out.forward) == Approx(2730).epsilon(0.001));
  CHECK(intensity(out.backward) == Approx(2730).epsilon(0.001));
}

TEST_CASE("The operations of a GPT layer hold the FLOPs of Narayanan et al. 2021") {
  // arXiv:2104.04473 section 5.1: a layer's forward has 24 B s h^2 + 4 B s^2 h, the backward twice as many.
  Scenario s = one_gpu(gpt(96, 12288, 96, 51200), 2048, 1);
  s.training.attention = Attention::unfused;
  Flops forward{}, backward{};
  for (const Operation& one :
       layer_operations(s, default_profile(s.cluster), LayerKind::dense, AttentionKind::softmax)) {
    forward += one.forward.flops;
    backward += one.backward.flops;
  }
  const double h = 12288, n = 2048;
  CHECK(forward.value == Approx(24 * n * h * h + 4 * n * n * h).epsilon(1e-12));
  CHECK(backward.value == Approx(2 * forward.value).epsilon(1e-12));
}

TEST_CASE("Flash attention reads queries, keys and values and writes the output, once") {
  // arXiv:2205.14135 section 3.2: Q, K, V and O are N x d each; grouped keys and values have one head for eight.
  const Scenario s = one_gpu(llama2_70b(), 4096, 1);
  const Operation core =
      find(layer_operations(s, default_profile(s.cluster), LayerKind::dense, AttentionKind::softmax), "attention_core");
  const double heads = 64, kv_heads = 8, width = 128;
  CHECK(core.forward.bytes.value == 2 * 4096 * width * (2 * heads + 2 * kv_heads));
}

TEST_CASE("Operations take as long together as their layer") {
  for (const ModelShape& model : {llama2_70b(), mixtral_8x7b(), deepseek_v3()}) {
    const Scenario s = one_gpu(model, 4096, 1);
    const Profile profile = default_profile(s.cluster);
    const LayerKind kind = model.moe.used() ? LayerKind::moe : LayerKind::dense;
    const LayerCost layer = layer_cost(s, profile, kind, AttentionKind::softmax);
    Seconds forward{}, backward{};
    for (const Operation& one : layer_operations(s, profile, kind, AttentionKind::softmax)) {
      forward += one.forward.seconds;
      backward += one.backward.seconds;
    }
    CAPTURE(model.id);
    CHECK(forward.value == Approx(layer.forward.value).epsilon(1e-9));
    CHECK(backward.value == Approx((layer.backward_input + layer.backward_weight).value).epsilon(1e-9));
  }
}

}  // namespace meshgauge
