// The numbers of a profile document, once: key, unit, range and help.
#pragma once

#include "core/price/profile.hpp"
#include "core/scenario/fields.hpp"

namespace meshgauge {

/// Calls visit(FieldText, double&) for each number that a document can replace, in order. The block table of matrix
/// products and the kind of link are the hardware's, not a measurement's, and stay as they are.
template <class Visit>
void profile_fields(Profile& p, Visit&& visit) {
  constexpr double slowest = 1e6, fastest = 1e19;  // rates; never 0, so that times stay finite
  const auto rate = [&](std::string_view key, std::string_view unit, double& value, std::string_view help) {
    visit(FieldText{key, unit, slowest, fastest, "the datasheet's", help}, value);
  };
  const auto share = [&](std::string_view key, double& value, std::string_view help) {
    visit(FieldText{key, "", 0, 1, "the datasheet profile's", help}, value);
  };
  const auto ceiling = [&](std::string_view key, double& value, std::string_view help) {
    visit(FieldText{key, "", 0.001, 2, "the datasheet profile's", help}, value);
  };
  const auto seconds = [&](std::string_view key, Seconds& value, std::string_view help) {
    visit(FieldText{key, "seconds", 0, 10, "the datasheet profile's", help}, value.value);
  };
  const auto bytes = [&](std::string_view key, double& value, std::string_view help) {
    visit(FieldText{key, "bytes", 0, 1e12, "the datasheet profile's", help}, value);
  };
  const auto amount = [&](std::string_view key, double max, double& value, std::string_view help) {
    visit(FieldText{key, "", 0, max, "the datasheet profile's", help}, value);
  };

  rate("matmul_fp32_flops_per_second", "FLOP/s", p.matmul_fp32.value, "Large fp32 products, sustained.");
  rate("matmul_tf32_flops_per_second", "FLOP/s", p.matmul_tf32.value, "Large tf32 products, sustained.");
  rate("matmul_16bit_flops_per_second", "FLOP/s", p.matmul_16bit.value, "Large 16-bit products, sustained.");
  rate("matmul_fp8_flops_per_second", "FLOP/s", p.matmul_fp8.value, "Large fp8 products, sustained.");
  rate("matmul_fp4_flops_per_second", "FLOP/s", p.matmul_fp4.value, "Large fp4 products, sustained.");
  amount("gemm_depth", 1e6, p.gemm_depth, "Prologue and epilogue of a product, as extra depth.");
  rate("flash_forward_flops_per_second", "FLOP/s", p.flash_forward.value, "Flash attention, forward.");
  rate("flash_backward_flops_per_second", "FLOP/s", p.flash_backward.value, "Flash attention, backward.");
  ceiling("flash1_speed", p.flash1_speed, "FlashAttention 1 over flash attention.");
  ceiling("triton_speed", p.triton_speed, "Triton's flash attention over flash attention.");
  amount("flash_half_sequence", 1e6, p.flash_half_sequence, "Sequence at which flash attention is at half its rate.");
  rate("unfused_attention_flops_per_second", "FLOP/s", p.unfused_attention.value, "Products of unfused attention.");
  rate("hbm_bytes_per_second", "bytes/s", p.hbm.value, "GPU memory, sustained.");
  const auto speed = [&](std::string_view key, double& value, std::string_view help) {
    visit(FieldText{key, "", 0.001, 100, "1", help}, value);
  };
  speed("pass_speed", p.pass_speed, "Element-wise passes of layers over hbm_bytes_per_second.");
  speed("loss_speed", p.loss_speed, "The loss over hbm_bytes_per_second.");
  speed("update_speed", p.update_speed, "The optimizer over hbm_bytes_per_second.");
  seconds("launch_seconds", p.launch, "Gap between kernels.");
  seconds("graph_forward_seconds", p.graph_host.forward, "Host time of a layer's forward as a CUDA graph.");
  seconds("graph_backward_seconds", p.graph_host.backward, "The same of its backward.");
  seconds("collective_host_seconds", p.collective_host, "Host time of a tensor-parallel collective.");

  ceiling("intra_ring_efficiency", p.intra.ring, "Bus bandwidth of a ring in a node over the link rate.");
  amount("intra_switch_efficiency", 2, p.intra.in_switch, "The same for all-reduce computed in the switch; 0: none.");
  seconds("intra_base_seconds", p.intra.base, "Fixed time of a collective inside a node.");
  seconds("intra_hop_seconds", p.intra.hop, "Time of each hop inside a node.");
  ceiling("inter_ring_efficiency", p.inter.ring, "Bus bandwidth of a ring over nodes over the network rate.");
  ceiling("inter_all_to_all_efficiency", p.inter.all_to_all, "The same for all-to-all.");
  seconds("inter_hop_seconds", p.inter.hop, "Time of each hop between nodes.");
  seconds("inter_protocol_step_seconds", p.inter.protocol_step, "Added to a hop beyond low-latency message sizes.");
  seconds("inter_peer_seconds", p.inter.peer, "All-to-all: for each peer in another node.");
  ceiling("network_share", p.network_share, "Share of the network ceiling reached beside other work.");
  speed("link_share", p.link_share, "Speed of collectives inside a node beside other work over that alone.");
  share("overlap_cost", p.overlap_cost, "Share of hidden communication that is paid anyway.");
  share("overlap_window", p.overlap_window, "Share of the backward in which gradients can be reduced.");
  share("tensor_hidden_all_reduce", p.tensor_hidden_all_reduce, "Share of a backward all-reduce that is hidden.");
  share("tensor_hidden_sequence", p.tensor_hidden_sequence, "The same for sequence parallelism's collectives.");
  share("tensor_hidden_forward", p.tensor_hidden_forward, "With user buffers: of the forward's collectives.");
  share("tensor_hidden_backward", p.tensor_hidden_backward, "With user buffers: of the backward's collectives.");
  share("context_hidden", p.context_hidden, "Share of attention behind which a ring message hides.");
  seconds("fixed_per_step_seconds", p.fixed_per_step, "Time of each step that nothing else explains.");
  seconds("fixed_with_graphs_seconds", p.fixed_with_graphs, "The same with CUDA graphs.");

  amount("allocator_slack", 10, p.overhead.allocator_slack, "Reserved over allocated memory, less 1.");
  share("least_slack", p.overhead.least_slack, "The same where the card is full and cached blocks are given back.");
  bytes("context_bytes", p.overhead.context.value, "CUDA context and loaded modules.");
  bytes("cublas_workspace_bytes", p.overhead.cublas_workspace.value, "PyTorch's workspace of cuBLAS.");
  bytes("te_workspace_bytes", p.overhead.te_workspace.value, "Transformer Engine's workspace of cuBLAS, one a stream.");
  bytes("channel_connection_bytes", p.overhead.per_channel_connection.value, "NCCL buffers of a channel's connection.");
  amount("channels", 1024, p.overhead.channels, "NCCL channels of a communicator.");
  visit(FieldText{"time_low", "", 0.01, 1, "0.88", "Lower end of the step time range over the estimate."}, p.time_low);
  visit(FieldText{"time_high", "", 1, 100, "1.14", "Upper end of the step time range over the estimate."}, p.time_high);
  const auto spread = [&](std::string_view key, double& value, std::string_view help) {
    visit(FieldText{key, "", 0, 1, "0: that of the engine's published runs", help}, value);
  };
  spread("allocated_sigma", p.allocated_sigma, "Relative spread of allocated memory round the estimate.");
  spread("reserved_sigma", p.reserved_sigma, "The same of reserved memory.");
  spread("memory_sigma", p.memory_sigma, "The same of device memory.");
}

}  // namespace meshgauge
