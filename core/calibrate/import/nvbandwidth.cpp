// nvbandwidth: matrices under "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)".
#include <algorithm>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/matrix.hpp"

namespace meshgauge {
namespace {

constexpr std::string_view figures_mark = "(column) ";

bool recognises(std::string_view line) {
  return line.find('(') != std::string_view::npos && contains(line, figures_mark) &&
         (contains(line, "bandwidth (GB/s)") || contains(line, "(ns)"));
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    const std::string_view text = without_prefix(line.text);
    if (recognises(text)) {
      open(line);
      title(text);
    } else if (starts_with(text, "Device ") && gpu_.empty()) {  // "Device 0: NVIDIA A10 (00000000:01:00)"
      gpu_ = std::string(trimmed(after(text, ": ")));
      gpu_ = gpu_.substr(0, gpu_.find(" ("));
    } else if (open_ && in_table_) {
      take_row(line, text);
    }
  }

  void finish() {
    if (!open_) return;
    run_.place.gpu = gpu_;
    run_.place.ranks = run_.place.ranks_per_node = run_.place.gpus_per_node = gpus_;
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
    open_ = false;
  }

 private:
  void open(const Line& line) {
    if (open_) return;
    open_ = true;
    run_.tool = nvbandwidth.id;
    run_.first_line = line.number;
  }

  void title(std::string_view text) {
    latency_ = contains(text, "(ns)");
    both_ = contains(text, "<->") && !latency_;
    const bool host = contains(text, "CPU(row)");
    kind_ = contains(text, "local GPU")                      ? LinkKind::device_local
            : !host                                          ? LinkKind::peer
            : contains(text, "<-") && !contains(text, "<->") ? LinkKind::device_to_host
                                                             : LinkKind::host_to_device;
    in_table_ = true;
    columns_ = row_ = 0;
  }

  void take_row(const Line& line, std::string_view text) {
    if (columns_ == 0) {
      columns_ = columns_of_matrix(text, 0);
      in_table_ = columns_ > 0;
      if (kind_ == LinkKind::peer) gpus_ = std::max(gpus_, static_cast<std::int64_t>(columns_));
      return;
    }
    const auto figures = row_of_matrix(text, columns_, row_, line.whole);
    if (!figures) {
      std::string_view rest = text;
      if (count_of(next_word(rest))) report_unread(imported_, line.number, line.text, "The row of the matrix is cut.");
      in_table_ = false;
      return;
    }
    ++row_;
    for (const auto& figure : *figures) {
      if (!figure) continue;
      MeasuredLink link;
      link.kind = kind_;
      link.both_directions = both_;
      if (latency_) {
        link.latency = {*figure / 1e9};
      } else {
        link.bandwidth = {*figure * giga};
      }
      add_measurement(imported_, run_, {line.number, link});
    }
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  std::string gpu_;
  LinkKind kind_ = LinkKind::peer;
  bool open_ = false, in_table_ = false, both_ = false, latency_ = false;
  std::size_t columns_ = 0, row_ = 0;
  std::int64_t gpus_ = 0;
};

}  // namespace

const Importer nvbandwidth{
    .id = "nvbandwidth", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
