#include "core/compose/stage_price.hpp"

#include <algorithm>
#include <string_view>

#include "core/compose/stage_cost.hpp"
#include "core/compose/transfer_cost.hpp"
#include "core/engine/engine.hpp"

namespace meshgauge {
namespace {

/// Seconds of one micro-batch through one chunk, transfers inside its passes included.
struct PassSeconds {
  Seconds forward{}, backward{};
};

Seconds of_one_call(const PricedTransfer& p, Seconds all) {
  return all / (p.transfer.count_per_step * p.transfer.messages);
}

bool is_message(const PricedTransfer& p) {
  return p.transfer.when == When::stage_boundary && p.transfer.collective == Collective::send_recv;
}

/// The message to a neighbour: what the rank waits for, and what goes on beside its next pass.
Message message_to(const std::vector<PricedTransfer>& priced, std::int64_t rank, ChunkPlace to) {
  if (!to.exists() || to.rank == rank) return {};
  const auto line = std::find_if(priced.begin(), priced.end(),
                                 [&](const PricedTransfer& p) { return is_message(p) && p.transfer.peer == to.rank; });
  if (line == priced.end()) return {};
  return {.blocking = of_one_call(*line, line->exposed),
          .travelling = of_one_call(*line, line->seconds - line->exposed)};
}

/// What a rank does to a tensor that came from another stage: gathers its slices over the tensor group.
Seconds unpacking(const std::vector<PricedTransfer>& priced, std::int64_t rank, ChunkPlace from) {
  if (!from.exists() || from.rank == rank) return {};
  Seconds sum{};
  for (const PricedTransfer& p : priced) {
    if (p.transfer.when == When::stage_boundary && !is_message(p)) sum += of_one_call(p, p.exposed);
  }
  return sum;
}

class StagePricer {
 public:
  StagePricer(const Scenario& scenario, const Profile& profile)
      : scenario_(scenario),
        profile_(profile),
        table_(cost_table(scenario, profile)),
        pipeline_(pipeline_of(scenario)),
        chunk_count_(static_cast<std::size_t>(pipeline_.chunks_of_rank())) {
    // DualPipe feeds both ends: half of the micro-batches cross each chunk.
    const bool halves = pipeline_.schedule == Schedule::dualpipe && pipeline_.stages > 1;
    passes_ = static_cast<double>(pipeline_.micro_batches) / (halves ? 2 : 1);
  }

  PricedStages price() {
    for (std::int64_t rank = 0; rank < pipeline_.stages; ++rank) {
      std::vector<StageShape> shapes = chunk_shapes(rank);
      const bool same = repeats(rank, shapes);
      shapes_ = std::move(shapes);
      if (same) {
        repeat_last(rank);
      } else {
        price_stage(rank);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<StageShape> chunk_shapes(std::int64_t rank) const {
    if (chunk_count_ == 1) return {stage_shape(scenario_, rank)};
    std::vector<StageShape> shapes;
    for (std::int64_t chunk = 0; chunk < pipeline_.chunks_of_rank(); ++chunk) {
      shapes.push_back(model_chunk(scenario_, model_chunk_at(pipeline_, {rank, chunk})));
    }
    return shapes;
  }

  /// Ranks between the ends with the same contents and neighbours in the same place cost the same.
  [[nodiscard]] bool repeats(std::int64_t rank, const std::vector<StageShape>& shapes) const {
    if (rank < 2 || rank >= pipeline_.stages - 1 || shapes != shapes_) return false;
    if (pipeline_.schedule == Schedule::dualpipe) return false;  // the pair may share a node or not
    return stages_span_nodes(scenario_, rank - 1, rank) == stages_span_nodes(scenario_, rank - 2, rank - 1) &&
           stages_span_nodes(scenario_, rank, rank + 1) == stages_span_nodes(scenario_, rank - 1, rank);
  }

  void repeat_last(std::int64_t rank) {
    for (PricedTransfer& line : out_.traffic) {
      if (line.last_stage == rank - 1) line.last_stage = rank;
    }
    out_.stages.push_back(out_.stages.back());
    for (std::size_t i = 0; i < chunk_count_; ++i)
      out_.chunks.push_back(out_.chunks[out_.chunks.size() - chunk_count_]);
  }

  void price_stage(std::int64_t rank) {
    PricedStage stage;
    std::vector<LayerCost> kernels;
    LayerCost sum;
    for (const StageShape& shape : shapes_) {
      kernels.push_back(stage_kernels(scenario_, table_, shape));
      sum += kernels.back();
    }
    stage_traffic(scenario_, rank, traffic_);
    price_transfers(scenario_, profile_, rank, sum, traffic_, priced_);

    const std::vector<PassSeconds> transfers = share_out_transfers(rank);
    for (std::size_t i = 0; i < chunk_count_; ++i) {
      add_chunk({rank, static_cast<std::int64_t>(i)}, kernels[i], transfers[i], stage);
    }
    const double windows = passes_ / static_cast<double>(pipeline_.micro_batches);
    expose_data_parallel(scenario_, profile_,
                         {.forward = windows * stage.time.forward,
                          .backward = windows * (stage.time.backward_input + stage.time.backward_weight)},
                         priced_);
    const Seconds optimizer = optimizer_time(scenario_, profile_, stage_shape(scenario_, rank));
    add_parts(sum, optimizer, stage);
    for (const PricedTransfer& p : priced_) place_outside_passes(p, stage);
    stage.end.optimizer = optimizer;
    out_.stages.push_back(stage);
    merge();
  }

  /// Transfers inside the passes, to the chunks that cause them.
  [[nodiscard]] std::vector<PassSeconds> share_out_transfers(std::int64_t rank) {
    std::vector<std::vector<Transfer>> of_chunk(chunk_count_);
    if (chunk_count_ > 1) {
      for (std::size_t i = 0; i < chunk_count_; ++i) layer_traffic(scenario_, rank, shapes_[i], of_chunk[i]);
    }
    std::vector<PassSeconds> sums(chunk_count_);
    std::vector<double> counts(chunk_count_, 1);
    for (const PricedTransfer& p : priced_) {
      if (!inside_passes(p.transfer) || p.transfer.when == When::stage_boundary) continue;
      double all = chunk_count_ > 1 ? 0 : 1;
      for (std::size_t i = 0; i < chunk_count_ && chunk_count_ > 1; ++i) {
        counts[i] = count_of(of_chunk[i], p.transfer);
        all += counts[i];
      }
      for (std::size_t i = 0; i < chunk_count_; ++i) {
        const Seconds each = all > 0 ? counts[i] / all * (p.exposed / passes_) : Seconds{};
        const bool backward = p.transfer.when == When::backward_layer || p.transfer.when == When::recompute_layer;
        (backward ? sums[i].backward : sums[i].forward) += each;
      }
    }
    return sums;
  }

  [[nodiscard]] static double count_of(const std::vector<Transfer>& traffic, const Transfer& wanted) {
    double count = 0;
    for (const Transfer& t : traffic) {
      if (std::string_view(t.id) == wanted.id) count += t.count_per_step;
    }
    return count;
  }

  void add_chunk(ChunkPlace at, const LayerCost& kernels, const PassSeconds& transfers, PricedStage& stage) {
    const ChunkPlace before = place_before(pipeline_, at), after = place_after(pipeline_, at);
    const Seconds forward =
        kernels.forward + kernels.forward_gaps + transfers.forward + unpacking(priced_, at.rank, before);
    const Seconds input = kernels.backward_input + kernels.recompute + kernels.backward_gaps + kernels.recompute_gaps +
                          transfers.backward + unpacking(priced_, at.rank, after);
    const Seconds wait_forward = max(Seconds{}, kernels.host_forward - forward);
    const BackwardWait wait = backward_wait(kernels.host_backward, input, kernels.backward_weight);
    const ChunkTime time{.forward = forward + wait_forward,
                         .backward_input = input + wait.input,
                         .backward_weight = kernels.backward_weight + wait.weight,
                         .activations = message_to(priced_, at.rank, after),
                         .gradients = message_to(priced_, at.rank, before)};
    out_.chunks.push_back(time);
    stage.time.forward += time.forward + time.activations.blocking;
    stage.time.backward_input += time.backward_input + time.gradients.blocking;
    stage.time.backward_weight += time.backward_weight;
    stage.waiting_for_host += passes_ * (wait_forward + wait.input + wait.weight);
  }

  /// Seconds that a backward waits for the host, in its input and its weight gradients.
  struct BackwardWait {
    Seconds input{}, weight{};
  };
  [[nodiscard]] BackwardWait backward_wait(Seconds host, Seconds input, Seconds weight) const {
    if (!pipeline_.splits_backward()) return {.input = max(Seconds{}, host - (input + weight))};
    // The two run at different times, each with its own launches: a third of them are weight gradients.
    return {.input = max(Seconds{}, host * (2.0 / 3) - input), .weight = max(Seconds{}, host / 3 - weight)};
  }

  void add_parts(const LayerCost& kernels, Seconds optimizer, PricedStage& stage) const {
    const auto part = [&](Part which) -> Seconds& { return stage.parts[static_cast<std::size_t>(which)]; };
    part(Part::compute) = passes_ * (kernels.forward + kernels.backward_input + kernels.backward_weight);
    part(Part::recompute) = passes_ * kernels.recompute;
    part(Part::overhead) =
        passes_ * (kernels.forward_gaps + kernels.backward_gaps + kernels.recompute_gaps) + stage.waiting_for_host;
    part(Part::optimizer) = optimizer;
    for (const PricedTransfer& p : priced_) part(part_of(p.transfer)) += p.exposed;
  }

  /// What is moved for each micro-batch of an undivided model belongs to its passes, the rest comes after the last.
  void place_outside_passes(const PricedTransfer& p, PricedStage& stage) {
    if (inside_passes(p.transfer)) return;
    const auto m = static_cast<double>(pipeline_.micro_batches);
    const bool gathers = p.transfer.when == When::forward_gather;
    if (pipeline_.stages == 1 && p.transfer.when != When::step_end && p.transfer.count_per_step >= m) {
      ChunkTime& time = out_.chunks.back();
      (gathers ? time.forward : time.backward_input) += p.exposed / m;
      return;
    }
    out_.agree = out_.agree || p.transfer.group == Group::world;
    const bool of_parameters = p.transfer.when == When::step_end && p.transfer.collective == Collective::all_gather &&
                               part_of(p.transfer) == Part::data_parallel;
    (gathers || of_parameters ? stage.end.gather : stage.end.reduction) += p.exposed;
  }

  static bool same(const PricedTransfer& a, const PricedTransfer& b) {
    return std::string_view(a.transfer.id) == b.transfer.id && a.transfer.bytes == b.transfer.bytes &&
           a.transfer.count_per_step == b.transfer.count_per_step && a.transfer.group_size == b.transfer.group_size &&
           a.route == b.route && a.exposed == b.exposed && a.seconds == b.seconds;
  }

  /// Adds the rank's transfers to the report; equal ones of the rank before become one line.
  void merge() {
    for (const PricedTransfer& p : priced_) {
      const auto line = std::find_if(out_.traffic.begin(), out_.traffic.end(), [&](const PricedTransfer& r) {
        return r.last_stage == p.first_stage - 1 && same(r, p);
      });
      if (line == out_.traffic.end()) {
        out_.traffic.push_back(p);
      } else {
        line->last_stage = p.last_stage;
      }
    }
  }

  const Scenario& scenario_;
  const Profile& profile_;
  CostTable table_;
  Pipeline pipeline_;
  std::size_t chunk_count_;
  double passes_ = 1;  ///< micro-batches that cross each chunk
  std::vector<StageShape> shapes_;
  std::vector<Transfer> traffic_;
  std::vector<PricedTransfer> priced_;
  PricedStages out_;
};

}  // namespace

PricedStages price_stages(const Scenario& scenario, const Profile& profile) {
  return StagePricer(scenario, profile).price();
}

}  // namespace meshgauge
