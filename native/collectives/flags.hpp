// The flags of nccl-tests, with their meaning and defaults, and our own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "native/collectives/operation.hpp"
#include "native/collectives/uneven.hpp"
#include "native/harness/options.hpp"

namespace meshgauge::harness {

enum class Average { rank0, mean, least, most };
enum class Blocking { none = 0, barrier = 1, wait = 2, outer = 3 };
enum class Samples { mean_of_iterations, until_certain };

struct CollectiveFlags {
  CommonOptions common;
  int threads = 1, gpus = 1;  ///< -t -g: ranks that a start without launcher has
  std::size_t least = 32U << 20U, most = 32U << 20U, step = 1U << 20U;  ///< bytes
  int factor = 1;                                                       ///< over 1: instead of the step
  bool sizes_given = false;                                             ///< -b or -e
  int iterations = 20, warm_up = 1, aggregated = 1;
  int cycles = 1;  ///< 0: for ever
  int checks = 1;
  std::vector<ReduceOp> ops{ReduceOp::sum};
  std::vector<ElementType> types{ElementType::float32};
  int root = 0;  ///< -1: every rank in turn
  Blocking blocking = Blocking::none;
  int graph_launches = 0;
  bool cpu_time = false;
  Average average = Average::mean;
  int registration = 0;
  int cta_policy = -1;
  bool timestamps = false, memory = false;
  std::string nccl_tests_json;
  std::size_t unaligned = 0;
  bool each_iteration = false;
  int skipped = 0;
  // ours
  Samples samples = Samples::mean_of_iterations;
  std::string split;  ///< "tp=8", "dp=4"
  bool one_group = false;
  Skew skew;
  bool predict = true;
  std::vector<std::string> notes;  ///< flags that have no meaning here
};

/// "38.3M" in bytes: K, M and G are powers of 1024. Nothing if it is no size.
[[nodiscard]] std::optional<std::size_t> size_of_text(const std::string&);
/// All sizes that the flags ask for, in order.
[[nodiscard]] std::vector<std::size_t> sizes_of(const CollectiveFlags&);

/// Reads them; the status to end with if there is nothing to measure. Throws BadInput.
[[nodiscard]] std::optional<int> read_collective_flags(Operation, std::span<const std::string> arguments,
                                                       CollectiveFlags&);

}  // namespace meshgauge::harness
