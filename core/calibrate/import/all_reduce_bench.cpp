// all_reduce_bench.py of ml-engineering: bandwidths of 1e9 bytes/s beside payloads, no times. Its busbw is
// algbw x 2(n-1)/n, algbw the mean of size / time.
#include <optional>
#include <vector>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/rank_range.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

bool recognises(std::string_view line) {
  if (line.find('|') == std::string_view::npos) return false;
  std::string_view rest = without_prefix(line);
  return next_word(rest) == "payload";
}

/// "512KiB", "1MiB"; the program knows no decimals.
std::optional<double> payload_of(std::string_view word) {
  const auto number = take_count(word);
  if (!number || *number == 0) return std::nullopt;
  double unit = 0;
  if (word == "B" || word == "iB") unit = 1;
  if (word == "KiB") unit = kibibyte.value;
  if (word == "MiB") unit = mebibyte.value;
  if (word == "GiB") unit = gibibyte.value;
  if (word == "TiB") unit = 1024 * gibibyte.value;
  return unit > 0 ? std::optional(static_cast<double>(*number) * unit) : std::nullopt;
}

std::optional<Decimal> bandwidth_of(std::string_view word) {
  const auto number = take_decimal(word);
  return word == "GBps" ? number : std::nullopt;
}

/// A column of bus bandwidths: of the run, or of so many nodes where a table compares them.
struct Column {
  std::int64_t nodes = 0;
  bool algorithm = false;
};

struct Row {
  std::int64_t line = 0;
  double bytes = 0;
  std::vector<Decimal> bandwidths;
};

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    if (recognises(line.text)) {
      finish();
      columns(without_prefix(line.text));
      first_line_ = line.number;
      return;
    }
    if (const auto ranks = count_after(line.text, "bandwidth of all_reduce over "); ranks) ranks_ = *ranks;
    if (const std::string_view name = after(line.text, "Properties(name='"); !name.empty()) {
      gpu_ = std::string(name.substr(0, name.find('\'')));
    }
    if (const std::string_view version = after(line.text, "nccl="); !version.empty()) read_version(version);
    if (!columns_.empty()) take_row(line);
  }

  void finish() {
    if (columns_.empty()) return;
    const bool compares = columns_.front().nodes > 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].algorithm && (compares || i == 0)) add_run(i);
    }
    columns_.clear();
    rows_.clear();
    ranks_ = 0;
  }

 private:
  void read_version(std::string_view version) {  // "2.27.7" or "(2, 27, 7)"
    std::string text;
    for (const char c : version) {
      if (is_digit(c)) text += c;
      if (c == '.' || (c == ',' && version.front() == '(')) text += '.';
      if (c == ')' || c == '`' || (c == ' ' && version.front() != '(') || text.size() > 12) break;
    }
    library_ = text.empty() ? "" : "NCCL " + text;
  }

  void columns(std::string_view header) {
    (void)next_word(header);
    for (std::string_view word = next_word(header); !word.empty(); word = next_word(header)) {
      if (word == "busbw") columns_.push_back({});
      if (word == "algbw") columns_.push_back({.nodes = 0, .algorithm = true});
      const auto nodes = count_of(word);
      if (!nodes) continue;
      const std::string_view unit = next_word(header);
      if (unit == "node" || unit == "nodes") columns_.push_back({.nodes = *nodes, .algorithm = false});
    }
  }

  void take_row(const Line& line) {
    std::string_view rest = without_prefix(line.text);
    const auto bytes = payload_of(next_word(rest));
    if (!bytes) return;
    Row row{line.number, *bytes, {}};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto bandwidth = bandwidth_of(next_word(rest));
      if (!bandwidth) {
        // While it measures, the program shows "32KiB: 5" and no more.
        if (i > 0) report_unread(imported_, line.number, line.text, "The row ends before its bandwidths.");
        return;
      }
      row.bandwidths.push_back(*bandwidth);
    }
    if (rows_.size() < most_measurements) rows_.push_back(std::move(row));
  }

  void add_run(std::size_t column) {
    ImportedRun run;
    run.tool = all_reduce_bench.id;
    run.first_line = first_line_;
    run.place.gpu = gpu_;
    run.place.library = library_;
    run.place.ranks = ranks_;
    std::size_t algorithm = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].algorithm) algorithm = i;
    }
    const std::int64_t nodes = columns_[column].nodes;
    if (nodes > 0) {
      run.place.gpus_per_node = run.place.ranks_per_node = known_.place.gpus_per_node;
      run.place.ranks = nodes * known_.place.gpus_per_node;
      if (run.place.ranks == 0) {
        run.questions.push_back(Question::gpus_per_node);
        run.notes.push_back("A column of bus bandwidths of " + number_text(nodes) + (nodes == 1 ? " node" : " nodes") +
                            ": they become times once the GPUs of a node are known.");
      }
    } else if (run.place.ranks == 0 && algorithm < columns_.size()) {
      RankRange range;
      for (const Row& row : rows_) range.take(row.bandwidths[algorithm], row.bandwidths[column]);
      run.place.ranks = range.only();
      std::string note = range.note();
      if (!note.empty()) run.notes.push_back(std::move(note));
    }
    if (run.place.ranks == 0) run.place.ranks = known_.place.ranks;
    std::int64_t coarse = 0;
    for (const Row& row : rows_) keep(row, column, algorithm, run, coarse);
    if (coarse > 0) {
      run.notes.push_back("Bandwidths of fewer than two digits, times of 5 % and more off: " + number_text(coarse) +
                          '.');
    }
    finish_run(run, known_);
    imported_.runs.push_back(std::move(run));
  }

  /// From the bandwidth of which less was rounded away.
  void keep(const Row& row, std::size_t column, std::size_t algorithm, ImportedRun& run, std::int64_t& coarse) {
    const bool has_algorithm = algorithm < row.bandwidths.size();
    const auto ranks = static_cast<double>(run.place.ranks);
    if (ranks < 2 && !has_algorithm) return;
    const bool bus = ranks >= 2;
    const Decimal& rate = row.bandwidths[bus ? column : algorithm];
    if (!(rate.value > 0)) {
      report_unread(imported_, row.line, "", "The bandwidth is printed as 0.");
      return;
    }
    constexpr double two_digits = 0.05;
    if (rate.half / rate.value > two_digits) ++coarse;
    MeasuredCollective measured;
    measured.operation = name_of(Collective::all_reduce);
    measured.collective = Collective::all_reduce;
    measured.bytes = row.bytes;
    measured.type = "float";
    measured.in_place = true;
    measured.seconds = {row.bytes * (bus ? 2 * (ranks - 1) / ranks : 1) / (rate.value * giga)};
    add_measurement(imported_, run, {row.line, std::move(measured)});
  }

  const KnownPlace& known_;
  Imported& imported_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::string gpu_, library_;
  std::int64_t ranks_ = 0, first_line_ = 0;
};

}  // namespace

const Importer all_reduce_bench{
    .id = "all-reduce-bench", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
