#include <utility>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/nccl_devices.hpp"
#include "core/calibrate/import/nccl_operation.hpp"
#include "core/calibrate/import/nccl_row.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

bool recognises(std::string_view line) {
  const std::size_t hash = line.find('#');
  if (hash != std::string_view::npos) {
    const std::string_view header = trimmed(line.substr(hash + 1));
    if (starts_with(header, "nThread ") || starts_with(header, "nccl-tests version")) return true;
    if (contains(header, "busbw") && nccl_columns_in(header)) return true;
  }
  const std::optional<NcclRow> row = nccl_row_in(line, true, {});
  return row && (row->found > 0 || !row->redop.empty());
}

/// Reads line by line; one run is open at a time.
class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    if (const auto row = nccl_row_in(line.text, line.whole, columns_)) return take_row(line, *row);
    const std::size_t hash = line.text.find('#');
    if (hash != std::string_view::npos && take_comment(line, trimmed(line.text.substr(hash + 1)))) return;
    if (contains(line.text, "Out of bounds values")) {  // without # in version 1
      close_table(line.text);
      return;
    }
    if (pending_ && continue_nccl_row(line.text, line.whole, columns_, pending_row_)) {
      if (pending_row_.found == columns_.halves) flush_row();
      return;
    }
    if (ends_like_nccl_row(line.text)) {
      return report_unread(imported_, line.number, line.text, "Times without the size that they belong to.");
    }
    if (columns_.known && !ended_ && !line.text.empty() && is_cut_nccl_row(line.text)) {
      return report_unread(imported_, line.number, line.text, "The row ends before its time.");
    }
    take_other(line.text);
  }

  void finish() { finish_open_run(); }

 private:
  void take_row(const Line& line, const NcclRow& row) {
    flush_row();
    open_run(line.number);
    ++rows_;
    pending_ = true;
    pending_row_ = row;
    pending_type_.assign(row.type);
    pending_row_.type = pending_type_;  // the line goes, the row stays; redop already points into a table
    pending_line_ = line.number;
    pending_text_.assign(line.text.substr(0, 120));
    if (row.found == columns_.halves) flush_row();
  }

  /// What follows a #. False if it is no line of the tool's.
  bool take_comment(const Line& line, std::string_view text) {
    if (starts_with(text, "nThread ")) {
      start_header(line.number);
      ++headers_;
      if (count_after(text, "graph:").value_or(0) > 0) graph_ = true;
      return true;
    }
    if (starts_with(text, "nccl-tests version")) {
      start_header(line.number);
      if (const auto code = count_after(text, "nccl-library=")) run_.place.library = "NCCL " + nccl_version_text(*code);
      return true;
    }
    if (starts_with(text, "Collective test starting:")) {
      start_header(line.number);
      hint_ = operation_in_command(text);
      return true;
    }
    if (starts_with(text, "Collective test concluded:")) {
      if (open_ && named_.empty()) named_ = operation_in_command(text);
      return true;
    }
    if (starts_with(text, "Rank")) {
      if (rows_ > 0 && headers_ <= 1) start_header(line.number);
      if (!devices_.take(text)) return false;
      open_run(line.number);
      return true;
    }
    if (starts_with(text, "Out of bounds values")) {
      close_table(text);
      return true;
    }
    if (starts_with(text, "Avg bus bandwidth")) {
      flush_row();
      ended_ = true;
      return true;
    }
    if (starts_with(text, "out-of-place") || starts_with(text, "in-place")) {
      only_in_place_ = starts_with(text, "in-place");
      return true;
    }
    if (std::optional<NcclColumns> columns = nccl_columns_in(text)) {
      flush_row();
      if (rows_ > 0 && headers_ <= 1) start_header(line.number);  // more: programs that do not know of each other
      columns->only_in_place = only_in_place_ && columns->halves == 1;
      columns_ = *columns;
      open_run(line.number);
      return true;
    }
    return false;
  }

  void take_other(std::string_view text) {
    const std::size_t nccl = text.find("CCL ");  // of NCCL or RCCL
    if (nccl != std::string_view::npos) {
      const std::string_view said = text.substr(nccl + 4);
      if (starts_with(said, "version ") || starts_with(said, "INFO NCCL version ")) {
        take_version(after(said, "version "), nccl > 0 && text[nccl - 1] == 'R');
      } else if (open_ && ranks_of_log_ == 0 && devices_.list.empty()) {
        take_ranks(text);
      }
    } else if (open_ && starts_with(text, "rccl-tests:")) {
      run_.tool = "rccl-tests";
    } else if (text.find('_') != std::string_view::npos) {
      const std::string_view operation = operation_in_command(text);
      if (!operation.empty()) hint_ = operation;
    }
  }

  void take_version(std::string_view version, bool amd) {
    std::string& library = open_ ? run_.place.library : library_;
    if (version.empty() || !is_digit(version.front()) || !library.empty()) return;
    std::size_t end = 0;
    while (end < version.size() && (is_digit(version[end]) || version[end] == '.')) ++end;
    library = (amd ? "RCCL " : "NCCL ") + std::string(version.substr(0, end));
  }

  /// With NCCL_DEBUG=INFO: "comm 0x.. rank 0 nRanks 16 nNodes 2 localRanks 8", "... nranks 16 ... Init COMPLETE".
  void take_ranks(std::string_view text) {
    if (contains(text, "Init COMPLETE")) ranks_of_log_ = count_after(text, " nranks ").value_or(0);
    const auto ranks = count_after(text, " nRanks "), nodes = count_after(text, " nNodes ");
    const auto share = count_after(text, " localRanks ");
    if (!ranks) return;
    ranks_of_log_ = *ranks;
    const bool equal = nodes && share && *share > 0 && *nodes == *ranks / *share && *ranks % *share == 0;
    if (equal) ranks_per_node_of_log_ = *share;
  }

  void close_table(std::string_view text) {
    flush_row();
    if (!open_) return;
    ended_ = true;
    const auto wrong = count_after(after(text, "Out of bounds values"), ":");
    if (wrong.value_or(0) > 0) {
      run_.notes.push_back("Results that nccl-tests found out of bounds: " + number_text(*wrong) + '.');
    }
  }

  /// A header starts a run of its own, unless several programs print theirs before any has a row.
  void start_header(std::int64_t line) {
    if (rows_ > 0 || ended_) finish_open_run();
    open_run(line);
  }

  void open_run(std::int64_t line) {
    if (open_) return;
    open_ = true;
    run_ = {};
    run_.tool = nccl_tests.id;
    run_.first_line = line;
    run_.place.library = std::exchange(library_, {});
    named_ = std::exchange(hint_, {});
  }

  void flush_row() {
    if (!std::exchange(pending_, false)) return;
    const NcclRow& row = pending_row_;
    if (row.found < columns_.halves && !(row.found == 1 && row.halves[0].in_place)) {
      report_unread(imported_, pending_line_, pending_text_,
                    row.found == 0 ? "The row ends before its time." : "The row ends before its in-place time.");
    }
    if (row.found == 0) return;
    if (row.bytes == 0) {
      ++empty_rows_;
      return;
    }
    shape_.take(row, columns_);
    for (int i = 0; i < row.found; ++i) keep_half(row, row.halves[static_cast<std::size_t>(i)]);
  }

  void keep_half(const NcclRow& row, const NcclHalf& half) {
    const auto refuse = [&](const char* reason) { report_unread(imported_, pending_line_, pending_text_, reason); };
    if (columns_.cpu_time) return refuse("The column is the processor's time (-C), not the collective's.");
    if (!(half.time.value > 0)) return refuse("The time is 0.");
    const double seconds = half.time.value / (columns_.milliseconds ? 1e3 : 1e6);
    // algbw is size / time; of all-gather and reduce-scatter it was that times (n-1)/n until 2020.
    const double share = half.algbw.value * 1e9 * seconds / static_cast<double>(row.bytes);
    if (!columns_.milliseconds && half.algbw.value >= 1 && (share < 0.45 || share > 1.1)) {
      return refuse("Size, time and algbw contradict one another.");
    }
    if (half.wrong && columns_.counts_wrong && *half.wrong > 0) ++wrong_rows_;
    if (is_full(imported_)) return;
    MeasuredCollective measured;
    measured.bytes = static_cast<double>(row.bytes);
    measured.seconds = {seconds};
    measured.type = pending_type_;
    measured.in_place = half.in_place;
    if (half.wrong && columns_.counts_wrong && *half.wrong > 0 && *half.wrong < 1e15) {
      measured.wrong = static_cast<std::int64_t>(*half.wrong);
    }
    add_measurement(imported_, run_, {pending_line_, std::move(measured)});
  }

  void finish_open_run() {
    flush_row();
    if (!open_) return;
    settle_place();
    settle_operation(run_, shape_, named_, known_);
    if (empty_rows_ > 0) run_.notes.push_back(empty_rows_note(empty_rows_));
    if (graph_) run_.notes.emplace_back("Launched as CUDA graphs (-G).");
    if (wrong_rows_ > 0) run_.notes.push_back("Times of wrong results: " + number_text(wrong_rows_) + '.');
    if (rows_ == 0) run_.notes.emplace_back("No row: the run ended or hung before its first size.");
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
    open_ = ended_ = graph_ = only_in_place_ = false;
    run_ = {};
    columns_ = {};
    devices_ = {};
    shape_ = {};
    headers_ = 0;
    rows_ = empty_rows_ = wrong_rows_ = ranks_of_log_ = ranks_per_node_of_log_ = 0;
    named_ = {};
  }

  void settle_place() {
    Place& place = run_.place;
    const NcclLayout layout = layout_of(devices_, place, run_.notes);
    if (place.ranks == 0 && ranks_of_log_ > 0) {
      place.ranks = ranks_of_log_;
      place.ranks_per_node = ranks_per_node_of_log_;
      run_.notes.emplace_back("Ranks from NCCL's own lines.");
    }
    derive_ranks();
    if (place.ranks == 1) leave_out_single_rank(imported_, run_, layout.times_rank_0);
    for (Measurement& measurement : run_.measurements) {
      std::get<MeasuredCollective>(measurement.what).concurrent = layout.groups;
    }
    if (layout.groups > 1) run_.notes.push_back(number_text(layout.groups) + " groups ran at once.");
  }

  void derive_ranks() {
    Place& place = run_.place;
    if (place.ranks > 0) return;
    if (shape_.idle()) {
      place.ranks = 1;
    } else if (shape_.ranks_of_size() > 1) {
      place.ranks = shape_.ranks_of_size();
      run_.notes.push_back(number_text(place.ranks) + " ranks, from size / (count x element).");
    } else if (shape_.operation() == "all_reduce") {
      place.ranks = shape_.ranks_of_ratio().only();
      std::string note = shape_.ranks_of_ratio().note();
      if (!note.empty()) run_.notes.push_back(std::move(note));
    }
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  bool open_ = false, ended_ = false, graph_ = false, only_in_place_ = false;
  NcclColumns columns_;
  NcclDevices devices_;
  NcclShape shape_;
  int headers_ = 0;
  std::int64_t rows_ = 0, empty_rows_ = 0, wrong_rows_ = 0;
  std::int64_t ranks_of_log_ = 0, ranks_per_node_of_log_ = 0;
  std::string_view hint_, named_;  ///< names from a table of constants
  std::string library_;            ///< seen before the run that it belongs to
  bool pending_ = false;
  NcclRow pending_row_;
  std::int64_t pending_line_ = 0;
  std::string pending_type_, pending_text_;
};

}  // namespace

const Importer nccl_tests{
    .id = "nccl-tests", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
