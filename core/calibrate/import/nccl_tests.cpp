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

/// A row that was cut so early that no type is left: one or two whole numbers.
bool is_cut_row(std::string_view line) {
  int words = 0;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (++words > 2 || !count_of(word)) return false;
  }
  return words > 0;
}

/// 22903 -> "2.29.3", 2803 -> "2.8.3" (NCCL_VERSION in nccl.h).
std::string version_text(std::int64_t code) {
  const std::int64_t base = code >= 10000 ? 10000 : 1000;
  return std::to_string(code / base) + '.' + std::to_string(code % base / 100) + '.' + std::to_string(code % 100);
}

/// Reads line by line; one run is open at a time.
class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    std::optional<NcclRow> row = nccl_row_in(line.text, line.whole, columns_);
    if (row) {
      take_row(line, *row);
      return;
    }
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
      report_unread(imported_, line.number, line.text, "Times without the size that they belong to.");
      return;
    }
    if (columns_.known && !ended_ && !line.text.empty() && is_cut_row(line.text)) {
      report_unread(imported_, line.number, line.text, "The row ends before its time.");
      return;
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
    pending_type_ = std::string(row.type);
    pending_row_.type = pending_type_;  // the line goes, the row stays; redop already points into a table
    pending_line_ = line.number;
    pending_text_ = line.text.substr(0, 120);
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
      if (const auto code = count_after(text, "nccl-library=")) run_.place.library = "NCCL " + version_text(*code);
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
      NcclDevices& devices = devices_;
      if (!devices.take(text)) return false;
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
      if (rows_ > 0 && (ended_ || headers_ <= 1) && !programs_unaware()) start_header(line.number);
      columns->only_in_place = only_in_place_ && columns->halves == 1;
      columns_ = *columns;
      open_run(line.number);
      return true;
    }
    return false;
  }

  void take_other(std::string_view text) {
    if (open_ && starts_with(text, "rccl-tests:")) run_.tool = "rccl-tests";
    const std::string_view version = after(text, "CCL version ");
    if (!version.empty() && is_digit(version.front()) && run_.place.library.empty()) {
      std::size_t end = 0;
      while (end < version.size() && (is_digit(version[end]) || version[end] == '.')) ++end;
      const bool amd = contains(text, "RCCL version");
      std::string& library = open_ ? run_.place.library : library_;
      library = (amd ? "RCCL " : "NCCL ") + std::string(version.substr(0, end));
      return;
    }
    if (open_ && ranks_of_log_ == 0) {
      const std::string_view ranks = after(text, " nRanks ");  // NCCL_DEBUG=INFO: "comm 0x.. rank 0 nRanks 16 nNodes 2"
      if (!ranks.empty()) {
        ranks_of_log_ = count_after(text, " nRanks ").value_or(0);
        ranks_per_node_of_log_ = count_after(text, " localRanks ").value_or(0);
        if (ranks_per_node_of_log_ * count_after(text, " nNodes ").value_or(0) != ranks_of_log_) {
          ranks_per_node_of_log_ = 0;
        }
      } else if (contains(text, "Init COMPLETE")) {
        ranks_of_log_ = count_after(text, " nranks ").value_or(0);
      }
    }
    if (text.find('_') != std::string_view::npos && !contains(text, "NCCL INFO")) {
      const std::string_view operation = operation_in_command(text);
      if (!operation.empty()) hint_ = operation;
    }
  }

  void close_table(std::string_view text) {
    flush_row();
    if (!open_) return;
    ended_ = true;
    const auto wrong = count_after(after(text, "Out of bounds values"), ":");
    if (wrong.value_or(0) > 0) {
      run_.notes.push_back("nccl-tests found " + number_text(*wrong) + " results out of bounds.");
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

  [[nodiscard]] bool programs_unaware() const { return headers_ > 1; }

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
    const double seconds = half.time.value * (columns_.milliseconds ? 1e-3 : 1e-6);
    // algbw is size / time; of all-gather and reduce-scatter it was that times (n-1)/n until 2020.
    const double share = half.algbw.value * 1e9 * seconds / static_cast<double>(row.bytes);
    if (!columns_.milliseconds && half.algbw.value >= 1 && (share < 0.45 || share > 1.1)) {
      return refuse("Size, time and algbw contradict one another.");
    }
    MeasuredCollective measured;
    measured.bytes = static_cast<double>(row.bytes);
    measured.seconds = {seconds};
    measured.type = pending_type_;
    measured.in_place = half.in_place;
    if (half.wrong && columns_.counts_wrong && *half.wrong > 0 && *half.wrong < 1e15) {
      measured.wrong = static_cast<std::int64_t>(*half.wrong);
      ++wrong_rows_;
    }
    add_measurement(imported_, run_, {pending_line_, std::move(measured)});
  }

  void finish_open_run() {
    flush_row();
    if (!open_) return;
    settle_place();
    settle_operation();
    if (empty_rows_ > 0) {
      run_.notes.push_back(number_text(empty_rows_) + (empty_rows_ == 1 ? " row" : " rows") +
                           " of 0 bytes left out: too small to be shared among the ranks.");
    }
    if (graph_) run_.notes.emplace_back("Launched as CUDA graphs (-G).");
    if (wrong_rows_ > 0) run_.notes.push_back(number_text(wrong_rows_) + " times belong to wrong results.");
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
    NcclLayout layout = layout_of(devices_);
    Place& place = run_.place;
    place.gpu = devices_.gpu;
    place.ranks = layout.ranks;
    place.ranks_per_node = layout.ranks_per_node;
    place.gpus_per_node = layout.gpus_per_node;
    run_.notes.insert(run_.notes.end(), layout.notes.begin(), layout.notes.end());
    if (place.ranks == 0 && ranks_of_log_ > 0) {
      place.ranks = ranks_of_log_;
      place.ranks_per_node = ranks_per_node_of_log_;
      run_.notes.emplace_back("Ranks from NCCL's own lines.");
    }
    derive_ranks();
    if (place.ranks == 1) leave_out_single_rank(layout.times_rank_0);
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

  /// A program built without MPI runs once in each process and talks to nobody.
  void leave_out_single_rank(std::int64_t programs) {
    std::string note = "Single rank: nothing was communicated.";
    if (!run_.measurements.empty()) {
      note += ' ' + number_text(static_cast<std::int64_t>(run_.measurements.size())) + " times left out.";
    }
    if (programs > 1) {
      note += ' ' + number_text(programs) + " programs name themselves rank 0: build nccl-tests with MPI=1.";
    }
    imported_.measurements_kept -= run_.measurements.size();
    run_.measurements.clear();
    run_.notes.push_back(std::move(note));
  }

  void settle_operation() {
    std::string_view operation = shape_.allows(named_) ? named_ : std::string_view{};
    if (operation.empty()) operation = shape_.operation();
    if (operation.empty() && shape_.allows(known_.operation)) operation = known_.operation;
    if (operation.empty() && !run_.measurements.empty()) run_.questions.push_back(Question::operation);
    for (Measurement& measurement : run_.measurements) {
      auto& measured = std::get<MeasuredCollective>(measurement.what);
      measured.operation = operation;
      measured.collective = priced_as(operation);
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

void read(std::string_view text, const KnownPlace& known, Imported& imported) {
  Reader reader(known, imported);
  Lines lines(text);
  for (Line line; lines.next(line);) reader.take(line);
  reader.finish();
}

}  // namespace

const Importer nccl_tests{.id = "nccl-tests", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read};

}  // namespace meshgauge
