// perftest: ib_write_bw, ib_read_bw, ib_send_bw and the same with _lat. Bandwidths are 2^20 bytes or 1e9 bits a second
// (src/perftest_resources.h: MiB, Gb).
#include <optional>
#include <vector>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/importers.hpp"

namespace meshgauge {
namespace {

bool recognises(std::string_view line) {
  return line.find('#') != std::string_view::npos && contains(line, "#bytes") && contains(line, "#iterations");
}

/// Where the figures stand in a row, counted in words; -1: not there.
struct Columns {
  int bandwidth = -1, latency = -1;
  double unit = 0;  ///< bytes/s
};

Columns columns_in(std::string_view header) {
  Columns columns;
  header = header.substr(header.find('#'));
  int index = 0;
  for (std::string_view word = next_word(header); !word.empty(); word = next_word(header)) {
    if (word == "BW" || word == "99%" || word == "99.9%") continue;  // the first of two words
    if (starts_with(word, "average[")) {
      columns.bandwidth = index;
      columns.unit = word == "average[Gb/sec]"                                 ? giga / 8
                     : word == "average[MiB/sec]" || word == "average[MB/sec]" ? mebibyte.value
                                                                               : 0;
    }
    // Half a round trip, but for reads: t_typical is the median.
    if (word == "t_typical[usec]" || (word == "t_avg[usec]" && columns.latency < 0)) columns.latency = index;
    ++index;
  }
  return columns;
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    if (recognises(line.text)) {
      open(line);
      columns_ = columns_in(line.text);
      if (columns_.bandwidth >= 0 ? columns_.unit == 0 : columns_.latency < 0) {
        report_unread(imported_, line.number, line.text, "No column is an average bandwidth or a time.");
        columns_ = {};
      }
    } else if (contains(line.text, "BW Test") || contains(line.text, "Latency Test")) {
      open(line);
      both_directions_ = contains(line.text, "Bidirectional");
    } else if (contains(line.text, "CUDA") || contains(line.text, "ROCm")) {
      on_gpu_ = true;
    } else if (columns_.bandwidth >= 0 || columns_.latency >= 0) {
      take_row(line);
    }
  }

  void finish() {
    if (!open_) return;
    run_.place.cpu = !on_gpu_;
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
    open_ = false;
  }

 private:
  void open(const Line& line) {
    if (open_ && !run_.measurements.empty()) finish();
    if (open_) return;
    open_ = true;
    run_ = {};
    run_.tool = perftest.id;
    run_.first_line = line.number;
    run_.place.ranks = 2;
    run_.place.ranks_per_node = 1;
    columns_ = {};
    both_directions_ = on_gpu_ = false;
  }

  void take_row(const Line& line) {
    std::string_view rest = without_prefix(line.text);
    if (!rest.empty() && rest.front() == '#') rest = trimmed(rest.substr(1));
    std::string_view ahead = rest;
    const std::optional<std::int64_t> bytes = count_of(next_word(ahead));
    if (!bytes || !count_of(next_word(ahead))) return;  // a rule, or a word of the machine's
    const int wanted = columns_.bandwidth >= 0 ? columns_.bandwidth : columns_.latency;
    std::string_view word;
    for (int i = 0; i <= wanted; ++i) word = next_word(rest);
    const std::optional<Decimal> value = decimal_of(word);
    if (!value || !(value->value > 0) || (!line.whole && rest.empty())) {
      report_unread(imported_, line.number, line.text, "The row ends before its average, or the average is 0.");
      return;
    }
    MeasuredLink link;
    link.kind = LinkKind::network;
    link.bytes = static_cast<double>(*bytes);
    link.both_directions = both_directions_;
    if (columns_.bandwidth >= 0) {
      link.bandwidth = {value->value * columns_.unit};
    } else {
      link.latency = {value->value / 1e6};
    }
    add_measurement(imported_, run_, {line.number, link});
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  Columns columns_;
  bool open_ = false, both_directions_ = false, on_gpu_ = false;
};

}  // namespace

const Importer perftest{
    .id = "perftest", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
