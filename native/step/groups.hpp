// The groups of a step's ranks, in Megatron-LM's order: tensor-parallel ranks are neighbours (core/parallel_state.py).
#pragma once

#include <memory>

#include "native/step/channel.hpp"
#include "native/step/shape.hpp"

namespace meshgauge::step {

/// Communicators of a rank's groups; groups of one rank have none, and those of all ranks share the world's.
struct RankGroups {
  std::unique_ptr<harness::Communicator> own_data, own_tensor;
  harness::Communicator *world, *data = nullptr, *tensor = nullptr;

  /// Every rank calls. Without a world there is one rank.
  RankGroups(harness::Communicator* all, std::size_t tensor_ranks) : world(all) {
    if (!all) return;
    const int t = static_cast<int>(tensor_ranks);
    if (t == 1) {
      data = all;
    } else if (t == all->size()) {
      tensor = all;
    } else {
      own_tensor = all->split(all->rank() / t, all->rank());
      own_data = all->split(all->rank() % t, all->rank());
      tensor = own_tensor.get();
      data = own_data.get();
    }
  }
  RankGroups(const RankGroups&) = delete;
  RankGroups& operator=(const RankGroups&) = delete;
};

struct Channels {
  Channel data, tensor, world;

  Channels(const RankGroups& groups, const harness::Device& device)
      : data(groups.data, device), tensor(groups.tensor, device), world(groups.world, device) {}

  template <class Visit>
  void each(Visit visit) {
    for (Channel* channel : {&data, &tensor, &world}) visit(*channel);
  }
};

}  // namespace meshgauge::step
