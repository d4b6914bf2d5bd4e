// All rows of one collective: sizes, types, reductions and roots, each timed, checked, printed and kept.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "native/collectives/call.hpp"
#include "native/collectives/flags.hpp"
#include "native/collectives/groups.hpp"
#include "native/collectives/measure.hpp"
#include "native/collectives/nccl_tests_json.hpp"
#include "native/collectives/prediction.hpp"
#include "native/harness/results.hpp"
#include "native/harness/runtime.hpp"

namespace meshgauge::harness {

/// The group that this rank measures in.
struct Membership {
  std::unique_ptr<Communicator> split;  ///< none where all ranks are one group
  Communicator* group = nullptr;
  Grouping grouping;
  int colour = 0, groups = 1;
  bool takes_part = true;
  Route route;
};
[[nodiscard]] Membership join_group(Runtime&, const CollectiveFlags&);

class Sweep {
 public:
  /// Throws BadInput for what the backend or the groups cannot do.
  Sweep(Runtime&, Operation, CollectiveFlags);
  /// The status to end with.
  int run();

 private:
  void read_matrix();
  void check_and_limit();
  void warm_up(ElementType, ReduceOp, int root);
  void row(std::size_t bytes, ElementType, ReduceOp, int root);
  [[nodiscard]] std::int64_t count_wrong(bool in_place);
  [[nodiscard]] Request request_of(std::size_t bytes, ElementType, ReduceOp, int root) const;
  [[nodiscard]] std::vector<RankLine> rank_lines();
  void keep(const Request&, bool in_place, const Measured&, double algbw, double busbw,
            std::optional<std::int64_t> wrong, std::optional<double> prediction);
  void print(const std::string& text) const;

  Runtime& runtime_;
  Operation op_;
  CollectiveFlags flags_;
  Membership member_;
  std::optional<Model> model_;
  Traffic matrix_;  ///< of --matrix, bytes
  std::unique_ptr<Call> call_;
  std::unique_ptr<NcclTestsJson> nccl_tests_json_;
  std::vector<Record> records_;
  int round_ = 0;
  std::int64_t wrong_ = 0;
  double bandwidths_ = 0;
  int halves_ = 0;
};

}  // namespace meshgauge::harness
