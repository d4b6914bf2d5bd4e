// Which collective a table of nccl-tests shows, and over how many ranks: named by the log, or what its numbers allow.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/calibrate/import/importer.hpp"
#include "core/calibrate/import/nccl_row.hpp"
#include "core/calibrate/import/rank_range.hpp"
#include "core/engine/collective.hpp"

namespace meshgauge {

/// An operation of nccl-tests in the core's words; empty if it is none. "alltoall" and "all_to_all" are the same.
[[nodiscard]] std::string_view operation_named(std::string_view name);
/// Every name that the above takes, once for each operation.
[[nodiscard]] std::span<const std::string_view> operation_names();

/// The operation whose program a line names: "./build/all_reduce_perf -b 8", "run_nccl_tests.sh -t all_gather".
[[nodiscard]] std::string_view operation_in_command(std::string_view line);

[[nodiscard]] std::optional<Collective> priced_as(std::string_view operation);

/// What the rows of one run have shown so far.
class NcclShape {
 public:
  void take(const NcclRow&, const NcclColumns&);
  /// The only operation that fits; empty if several do.
  [[nodiscard]] std::string_view operation() const;
  [[nodiscard]] bool allows(std::string_view operation) const;
  /// Exact where the size is the count times the ranks.
  [[nodiscard]] std::int64_t ranks_of_size() const { return seen_ ? multiple_ : 0; }
  /// Ranks that every row allows, if it is an all-reduce.
  [[nodiscard]] const RankRange& ranks_of_ratio() const { return range_; }
  [[nodiscard]] bool idle() const { return seen_ && !any_busbw_ && fast_; }

 private:
  bool seen_ = false, reduces_ = false, rooted_ = false, redop_column_ = false, old_ = false;
  bool checked_out_of_place_ = false, checked_in_place_ = false, any_in_place_ = false, bus_equals_algorithm_ = true;
  bool any_busbw_ = false, fast_ = false;
  std::int64_t multiple_ = 0;
  RankRange range_;
};

/// Names the operation of a run's rows: as the log does if its rows allow it, else as they alone allow, else as the
/// user does; or asks.
void settle_operation(ImportedRun&, const NcclShape&, std::string_view named, const KnownPlace&);

/// A program built without MPI runs once in each process and talks to nobody: its times are left out. `programs` of
/// them were seen.
void leave_out_single_rank(Imported&, ImportedRun&, std::int64_t programs);

[[nodiscard]] std::string empty_rows_note(std::int64_t rows);

/// 22903 -> "2.29.3", 2803 -> "2.8.3" (NCCL_VERSION in nccl.h).
[[nodiscard]] std::string nccl_version_text(std::int64_t code);

}  // namespace meshgauge
