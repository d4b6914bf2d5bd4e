// What a recipe sets beside its layout: overlaps, graphs, kernels, formats on the wire, power.
#include <algorithm>
#include <string_view>

#include "core/compose/step.hpp"
#include "core/price/attention.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_built.hpp"

namespace meshgauge {
namespace {

using namespace hand_built;

StepReport step(const Scenario& s) { return estimate_step(s, default_profile(s.cluster)); }

double part(const StepReport& r, Part p) { return r.parts[static_cast<std::size_t>(p)].value; }

const PricedTransfer& transfer(const StepReport& r, std::string_view id) {
  const auto found = std::find_if(r.traffic.begin(), r.traffic.end(),
                                  [&](const PricedTransfer& p) { return std::string_view(p.transfer.id) == id; });
  REQUIRE(found != r.traffic.end());
  return *found;
}

}  // namespace

TEST_CASE("A power limit slows products as the cube root of the watts") {
  // stas00/ml-engineering's largest bf16 product: 271.2 TFLOP/s on A100 SXM at 400 W, 252.9 on A100 PCIe, the same chip
  // at 300 W.
  Cluster cluster = dgx_a100(8);
  const double full = default_profile(cluster).matmul_16bit.value;
  cluster.power_cap_watts = 300;
  const Profile capped = default_profile(cluster);
  CHECK(capped.matmul_16bit.value / full == Approx(252.9 / 271.2).epsilon(0.03));
  CHECK(capped.hbm == default_profile(dgx_a100(8)).hbm);
  cluster.power_cap_watts = 500;  // above what the board draws
  CHECK(default_profile(cluster).matmul_16bit.value == full);
}

TEST_CASE("Attention kernels of the first generation are slower") {
  // Dao 2023, arXiv:2307.08691 section 4.1: FlashAttention-2 is 1.7 to 3 times faster than FlashAttention and 1.3
  // to 2.5 times faster than Triton's.
  const Profile profile = default_profile(dgx_a100(8));
  Training training;
  training.sequence_length = 4096;
  const Op op{.id = "core", .kind = OpKind::attention, .k = 128, .flops = 1e12, .backward_flops = 2.5e12};
  const auto ratio = [&](Attention kernel) {
    training.attention = Attention::flash;
    const double flash = attention_time(profile, training, op, AttentionPass::forward).value;
    training.attention = kernel;
    return attention_time(profile, training, op, AttentionPass::forward).value / flash;
  };
  CHECK(ratio(Attention::flash1) > 1.7);
  CHECK(ratio(Attention::flash1) < 3);
  CHECK(ratio(Attention::triton) > 1.2);
  CHECK(ratio(Attention::triton) < ratio(Attention::flash1));
  CHECK(ratio(Attention::cudnn) == 1);
}

TEST_CASE("Separate projections each sum their input's gradient over the tensor ranks") {
  // Packed: one all-reduce for attention and one for the MLP (Shoeybi et al. 2019). Separate: query, key, value, gate,
  // up.
  Scenario s = megatron(llama2_7b(), dgx_a100(8), 2, 1, 2048, 1, 4);
  s.parallelism.sequence_parallel = false;
  CHECK(transfer(step(s), "tp_backward_all_reduce").transfer.count_per_step == 32 * 2);
  s.training.kernels = Kernels::eager;
  CHECK(transfer(step(s), "tp_backward_all_reduce").transfer.count_per_step == 32 * 5);
  CHECK(transfer(step(s), "tp_forward_all_reduce").transfer.count_per_step == 32 * 2);
}

TEST_CASE("User buffers hide most of the tensor-parallel collectives") {
  Scenario s = megatron(llama2_70b(), dgx_h100(64), 8, 1, 4096, 1, 64);
  const double plain = part(step(s), Part::tensor_parallel);
  s.training.overlap_tensor_parallel = true;
  const double overlapped = part(step(s), Part::tensor_parallel);
  CHECK(overlapped < 0.6 * plain);
  CHECK(overlapped > 0.2 * plain);
}

TEST_CASE("CUDA graphs take the host out of small layers") {
  Scenario s = megatron(gpt(24, 1024, 16, 50257), dgx_h100(8), 1, 1, 1024, 1, 8);
  const StepReport eager = step(s);
  s.training.cuda_graphs = true;
  const StepReport graphs = step(s);
  CHECK(graphs.seconds < eager.seconds);
  CHECK(part(graphs, Part::overhead) < 0.5 * part(eager, Part::overhead));
  CHECK(eager.host_bound());
  CHECK(eager.waiting_for_host.value <= part(eager, Part::overhead));
}

TEST_CASE("Interleaved chunks give their buckets more time to move") {
  // A chunk's buckets are whole once its last micro-batch is through, which for all chunks but one is long before the
  // step ends (Megatron-LM core/pipeline_parallel/schedules.py).
  Scenario s = megatron(llama2_70b(), dgx_h100(1024), 8, 4, 4096, 1, 32 * 8);
  s.training.overlap_gradient_reduction = s.training.overlap_parameter_gather = true;
  const double plain = part(step(s), Part::data_parallel);
  s.parallelism.schedule = Schedule::interleaved;
  s.parallelism.virtual_pipeline = 5;
  s.parallelism.micro_batch_group = 4;
  CHECK(part(step(s), Part::data_parallel) < plain);
}

TEST_CASE("Gradients travel in the format of reduce_dtype") {
  // torch ddp_comm_hooks/default_hooks.py bf16_compress_hook: half of fp32's bytes, for a cast before and one after.
  Scenario s = data_parallel(llama2_7b(), dgx_a100(64), Engine::ddp, 0, 2048, 1, 64);
  const StepReport plain = step(s);
  s.training.reduce_dtype = DataType::bf16;
  const StepReport hook = step(s);
  CHECK(transfer(hook, "dp_gradients").transfer.bytes == 0.5 * transfer(plain, "dp_gradients").transfer.bytes);
  CHECK(hook.seconds < plain.seconds);
  CHECK(part(hook, Part::optimizer) > part(plain, Part::optimizer));
}

TEST_CASE("Stage boundaries in fp8 send half the bytes and pay two casts") {
  Scenario s = megatron(gpt3_175b(), dgx_a100(64), 8, 8, 2048, 1, 64);
  const StepReport plain = step(s);
  s.training.boundary_dtype = DataType::fp8;
  const StepReport small = step(s);
  CHECK(transfer(small, "pp_send_forward").transfer.bytes == 0.5 * transfer(plain, "pp_send_forward").transfer.bytes);
  CHECK(transfer(small, "pp_send_forward").seconds < transfer(plain, "pp_send_forward").seconds);
  // Over links inside a node the casts cost about what they save: 6 bytes an element of memory for 1 of NVLink.
  Scenario inside = megatron(gpt(32, 4096, 32, 50257), dgx_a100(8), 1, 8, 2048, 1, 64);
  const double whole = transfer(step(inside), "pp_send_forward").seconds.value;
  inside.training.boundary_dtype = DataType::fp8;
  const double cast = transfer(step(inside), "pp_send_forward").seconds.value;
  CHECK(cast == Approx(whole).epsilon(0.5));
}

TEST_CASE("Tokens cross to the nodes that their experts can lie in, in the dispatch format") {
  // DeepSeek-V3, arXiv:2412.19437 sections 2.1.2, 3.2.2: at most 4 of 8 nodes, 3.2 to 3.6 of them in use on average.
  Scenario s = megatron(deepseek_v3(), dgx_h100(64), 1, 1, 4096, 1, 64);
  s.parallelism.expert = 64;
  s.parallelism.expert_tensor = 1;
  s.training.moe_dispatcher = MoeDispatcher::deepep;
  const double token = 7168 * 2 * 4096;
  const auto copies = [&] { return transfer(step(s), "ep_forward_all_to_all").transfer.bytes / token; };
  CHECK(copies() == Approx(8 * (1 - 0.34361)).epsilon(1e-4));  // (7/8)^8
  s.model.moe.groups = 8;
  s.model.moe.group_limit = 4;
  CHECK(copies() == Approx(4 * (1 - 0.10011)).epsilon(1e-4));  // (3/4)^8
  const double whole = part(step(s), Part::expert_parallel);
  s.training.moe_dispatch_dtype = DataType::fp8;
  CHECK(transfer(step(s), "ep_forward_dispatch").transfer.bytes ==
        0.5 * transfer(step(s), "ep_forward_all_to_all").transfer.bytes);
  CHECK(part(step(s), Part::expert_parallel) < 0.85 * whole);
}

TEST_CASE("Parameters kept in fp8 are gathered in fp8") {
  Scenario s = megatron(llama3_8b(), dgx_h100(64), 1, 1, 8192, 1, 64);
  s.training.precision = Precision::fp8;
  const double half = transfer(step(s), "dp_parameters").transfer.bytes;
  s.training.fp8_parameters = true;
  CHECK(transfer(step(s), "dp_parameters").transfer.bytes == 0.5 * half);
}

}  // namespace meshgauge
