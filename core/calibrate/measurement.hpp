// What was measured, as importers give it and the fit takes it: values with the line of the file that says them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/collective.hpp"
#include "core/price/kernel.hpp"
#include "core/units.hpp"

namespace meshgauge {

/// Where it ran, as far as the file says it; 0 and empty where it does not.
struct Place {
  std::string gpu;                  ///< as written: "NVIDIA H100 80GB HBM3"; a processor's name for CPU ranks
  std::string library;              ///< "NCCL 2.26.2", "RCCL 2.18.3", "Open MPI 4.1.4"
  std::int64_t ranks = 0;           ///< of one group that communicates
  std::int64_t ranks_per_node = 0;  ///< of that group; equal to `ranks` inside a node
  std::int64_t gpus_per_node = 0;   ///< that took part
  bool cpu = false;                 ///< ranks hold host memory and compute on processors
};

/// `bytes` in the sense of nccl-tests (price_collective in core/price/collective.hpp).
struct MeasuredCollective {
  std::string operation;                 ///< as the core spells it, else the tool's: "gather", "hypercube"
  std::optional<Collective> collective;  ///< nothing: no price is kept for this operation
  Place place;
  double bytes = 0;
  Seconds seconds{};      ///< of one call, as the tool averages it
  Seconds low{}, high{};  ///< 5th and 95th percentile; 0 where the tool gives none
  std::string type;       ///< "float", "bf16"; empty where no type is stated
  bool in_place = false;
  std::int64_t wrong = 0;       ///< elements
  std::int64_t concurrent = 1;  ///< equal groups that ran at once
};

struct MeasuredKernel {
  KernelCall call;
  Place place;
  Seconds seconds{};
  Seconds low{}, high{};
};

/// A link between two places, in one direction unless `both_directions`.
/// point_to_point: between two ranks, wherever they are.
enum class LinkKind { host_to_device, device_to_host, device_local, peer, network, point_to_point };
MESHGAUGE_NAMES(LinkKind, "host_to_device", "device_to_host", "device_local", "peer", "network", "point_to_point");

struct MeasuredLink {
  LinkKind kind = LinkKind::peer;
  Place place;
  double bytes = 0;  ///< of a message; 0 where the tool does not say it
  BytesPerSecond bandwidth{};
  Seconds latency{};  ///< 0 where only bandwidth was measured
  bool both_directions = false;
};

/// One training step, or an average over those that a line of a training log stands for. 0 where it is not said.
struct MeasuredStep {
  std::int64_t step = 0;
  Seconds seconds{};
  double tokens_per_second = 0;  ///< of all ranks
  double tokens_per_second_per_gpu = 0;
  FlopsPerSecond model_flops_per_gpu{};
  double mfu = 0;
  Bytes allocated{}, reserved{}, device{};  ///< peaks
  Place place;
};

struct Measurement {
  std::int64_t line = 0;  ///< of the file, from 1; in JSON the number of the record, from 1
  std::variant<MeasuredCollective, MeasuredKernel, MeasuredLink, MeasuredStep> what;
};

/// A line that belongs to the tool's output but could not be read, with the reason.
struct Unread {
  std::int64_t line = 0;
  std::string text;  ///< its beginning
  std::string reason;
};

/// What a file does not say and the user is asked for.
enum class Question { gpu, ranks, ranks_per_node, gpus_per_node, operation };
MESHGAUGE_NAMES(Question, "gpu", "ranks", "ranks_per_node", "gpus_per_node", "operation");

/// One run of a tool: a file can hold several.
struct ImportedRun {
  std::string tool;  ///< id
  Place place;
  std::int64_t first_line = 0;
  std::vector<Measurement> measurements;
  std::vector<std::string> notes;  ///< "8 sizes of 0 bytes left out", "single rank: nothing was communicated"
  std::vector<Question> questions;
};

/// Everything that a file holds.
struct Imported {
  std::string tool;  ///< id of the first run: "nccl-tests", "osu", "megatron" ...; empty: not recognised
  std::vector<ImportedRun> runs;
  std::vector<Unread> unread;
  std::int64_t unread_left_out = 0;  ///< further ones, over the limit of a file
  std::size_t measurements_kept = 0;
  std::int64_t measurements_left_out = 0;
};

}  // namespace meshgauge
