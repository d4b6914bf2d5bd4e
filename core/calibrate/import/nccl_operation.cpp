#include "core/calibrate/import/nccl_operation.hpp"

#include <algorithm>
#include <array>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

struct Operation {
  std::string_view tool, core;
};
constexpr auto operations = std::to_array<Operation>({{"all_reduce", "all_reduce"},
                                                      {"all_gather", "all_gather"},
                                                      {"reduce_scatter", "reduce_scatter"},
                                                      {"alltoall", "all_to_all"},
                                                      {"all_to_all", "all_to_all"},
                                                      {"alltoallv", "all_to_all_v"},
                                                      {"all_to_all_v", "all_to_all_v"},
                                                      {"broadcast", "broadcast"},
                                                      {"reduce", "reduce"},
                                                      {"sendrecv", "send_recv"},
                                                      {"send_recv", "send_recv"},
                                                      {"gather", "gather"},
                                                      {"scatter", "scatter"},
                                                      {"hypercube", "hypercube"}});

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

std::string_view operation_named(std::string_view name) {
  const auto* const found =
      std::find_if(operations.begin(), operations.end(), [&](const Operation& one) { return one.tool == name; });
  return found == operations.end() ? std::string_view{} : found->core;
}

std::span<const std::string_view> operation_names() {
  static constexpr auto names =
      std::to_array<std::string_view>({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "all_to_all_v",
                                       "broadcast", "reduce", "send_recv", "gather", "scatter", "hypercube"});
  return names;
}

std::string_view operation_in_command(std::string_view line) {
  constexpr std::string_view ending = "_perf";
  for (std::size_t at = line.find(ending); at != std::string_view::npos; at = line.find(ending, at + 1)) {
    std::size_t start = at;
    while (start > 0 && is_name_character(line[start - 1])) --start;
    const std::string_view operation = operation_named(line.substr(start, at - start));
    if (!operation.empty()) return operation;
  }
  std::string_view rest = after(line, "nccl_tests.sh");  // Google's wrapper
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (word == "-t") return operation_named(next_word(rest));
  }
  return {};
}

std::optional<Collective> priced_as(std::string_view operation) { return from_name<Collective>(operation); }

void NcclShape::take(const NcclRow& row, const NcclColumns& columns) {
  if (row.bytes <= 0 || row.count <= 0 || row.found == 0) return;
  const std::int64_t each = row.count * row.width;
  const std::int64_t multiple = each > 0 && row.bytes % each == 0 ? row.bytes / each : 0;
  if (!seen_) {
    multiple_ = multiple;
    reduces_ = !row.redop.empty() && row.redop != "none";
    rooted_ = row.root.value_or(-1) >= 0;
    redop_column_ = row.blank_redop || (columns.known && columns.redop);
    old_ = row.redop.empty() && !row.root;
  } else if (multiple != multiple_) {
    multiple_ = 0;
  }
  seen_ = true;
  for (int i = 0; i < row.found; ++i) {
    const NcclHalf& half = row.halves[static_cast<std::size_t>(i)];
    if (half.in_place) any_in_place_ = true;
    if (half.wrong) (half.in_place ? checked_in_place_ : checked_out_of_place_) = true;
    if (half.busbw.value > 0) any_busbw_ = true;
    constexpr double unmistakable = 1;  // GB/s
    if (half.algbw.value < unmistakable) continue;
    fast_ = true;
    if (half.algbw.value != half.busbw.value) bus_equals_algorithm_ = false;
    range_.take(half.algbw, half.busbw);
  }
}

bool NcclShape::allows(std::string_view operation) const {
  if (!seen_) return true;
  if (multiple_ == 0) return operation == "all_to_all_v";
  const bool one = multiple_ == 1;
  if (reduces_) {
    if (operation == "all_reduce") return one && !rooted_;
    if (operation == "reduce_scatter") return !rooted_;
    return operation == "reduce" && one;  // a root of -1 would not be a reduce, yet old tables lack the column
  }
  if (rooted_) return operation == "broadcast" ? one : operation == "gather" || operation == "scatter";
  if (operation == "send_recv") return one;
  return operation == "all_gather" || operation == "all_to_all" || operation == "all_to_all_v" ||
         operation == "hypercube";
}

std::string_view NcclShape::operation() const {
  if (!seen_ || multiple_ == 0) return {};
  const bool one = multiple_ == 1;
  if (reduces_) return rooted_ ? "reduce" : one ? "all_reduce" : "reduce_scatter";
  if (rooted_) return one ? std::string_view("broadcast") : std::string_view{};  // gather or scatter
  if (one) return old_ ? std::string_view{} : std::string_view("send_recv");
  // Tables before 2.13 give all-gather no redop column and all-to-all an empty one.
  if (old_) return redop_column_ ? "all_to_all" : "all_gather";
  if (fast_ && bus_equals_algorithm_) return "hypercube";
  // Later ones do not check all-to-all in place (src/alltoall.cu: reportErrors), and check all-gather both ways.
  if (!checked_out_of_place_ || !any_in_place_) return {};
  return checked_in_place_ ? "all_gather" : "all_to_all";
}

void settle_operation(ImportedRun& run, const NcclShape& shape, std::string_view named, const KnownPlace& known) {
  std::string_view operation = shape.allows(named) ? named : std::string_view{};
  if (operation.empty()) operation = shape.operation();
  if (operation.empty() && shape.allows(known.operation)) operation = known.operation;
  if (operation.empty() && !run.measurements.empty()) run.questions.push_back(Question::operation);
  for (Measurement& measurement : run.measurements) {
    auto& measured = std::get<MeasuredCollective>(measurement.what);
    measured.operation = operation;
    measured.collective = priced_as(operation);
  }
}

void leave_out_single_rank(Imported& imported, ImportedRun& run, std::int64_t programs) {
  std::string note = "Single rank: nothing was communicated.";
  if (!run.measurements.empty()) {
    note += " Times left out: " + number_text(static_cast<std::int64_t>(run.measurements.size())) + '.';
  }
  if (programs > 1) {
    note += ' ' + number_text(programs) + " programs name themselves rank 0: build nccl-tests with MPI=1.";
  }
  imported.measurements_kept -= run.measurements.size();
  run.measurements.clear();
  run.notes.push_back(std::move(note));
}

std::string empty_rows_note(std::int64_t rows) {
  return number_text(rows) + (rows == 1 ? " row" : " rows") +
         " of 0 bytes left out: too small to be shared among the ranks.";
}

std::string nccl_version_text(std::int64_t code) {
  const std::int64_t base = code >= 10000 ? 10000 : 1000;
  return std::to_string(code / base) + '.' + std::to_string(code % base / 100) + '.' + std::to_string(code % 100);
}

}  // namespace meshgauge
