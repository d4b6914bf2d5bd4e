// CUDA's p2pBandwidthLatencyTest: matrices with and without peer access. What goes through host memory for want of
// peer access is no link, so those matrices are counted, not kept.
#include <algorithm>

#include "core/calibrate/import/importers.hpp"
#include "core/calibrate/import/matrix.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", "P2P=Enabled Latency (P2P Writes) Matrix (us)"
bool recognises(std::string_view line) {
  return line.find('=') != std::string_view::npos && contains(line, "P2P=") && contains(line, "Matrix (");
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    const std::string_view text = without_prefix(line.text);
    if (recognises(text)) {
      open(line);
      latency_ = contains(text, "(us)");
      both_ = starts_with(text, "Bidirectional");
      peer_ = contains(text, "P2P=Enabled");
      if (!peer_) ++left_out_;
      in_table_ = true;
      columns_ = row_ = 0;
    } else if (starts_with(trimmed(line.text),
                           "Device: ")) {  // "Device: 0, NVIDIA GeForce RTX 2080 Ti, pciBusID: b4, ..."
      std::string_view name = after(line.text, ", ");
      name = name.substr(0, name.find(','));
      if (gpu_.empty()) gpu_ = std::string(name);
    } else if (contains(text, "CANNOT Access Peer")) {
      no_access_ = true;
    } else if (open_ && in_table_) {
      take_row(line, text);
    }
  }

  void finish() {
    if (!open_) return;
    run_.place.gpu = gpu_;
    run_.place.ranks = run_.place.ranks_per_node = run_.place.gpus_per_node = gpus_;
    if (left_out_ > 0) {
      run_.notes.push_back(
          "Matrices without peer access, which copy through the host, left out: " + number_text(left_out_) + '.');
    }
    if (no_access_) run_.notes.emplace_back("GPUs cannot access each other: all copies go through the host.");
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
    open_ = false;
  }

 private:
  void open(const Line& line) {
    if (open_) return;
    open_ = true;
    run_.tool = p2p_test.id;
    run_.first_line = line.number;
  }

  void take_row(const Line& line, std::string_view text) {
    if (columns_ == 0) {
      // Latencies as the GPU sees them come first, then as the processor does.
      in_table_ = !starts_with(text, "CPU");
      columns_ = in_table_ ? columns_of_matrix(text, 1) : 0;
      gpus_ = std::max(gpus_, static_cast<std::int64_t>(columns_));
      return;
    }
    const auto figures = row_of_matrix(text, columns_, row_, line.whole);
    if (!figures) {
      if (!text.empty() && is_digit(text.front())) {
        report_unread(imported_, line.number, line.text, "The row of the matrix is cut.");
      }
      in_table_ = false;
      return;
    }
    for (std::size_t column = 0; column < figures->size(); ++column) {
      if (peer_ && (*figures)[column]) keep(line, column, *(*figures)[column]);
    }
    ++row_;
  }

  void keep(const Line& line, std::size_t column, double figure) {
    MeasuredLink link;
    link.kind = column == row_ ? LinkKind::device_local : LinkKind::peer;
    link.both_directions = both_;
    if (latency_) {
      link.latency = {figure / 1e6};
    } else {
      link.bandwidth = {figure * giga};
    }
    add_measurement(imported_, run_, {line.number, link});
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  std::string gpu_;
  bool open_ = false, in_table_ = false, both_ = false, latency_ = false, peer_ = false, no_access_ = false;
  std::size_t columns_ = 0, row_ = 0;
  std::int64_t gpus_ = 0, left_out_ = 0;
};

}  // namespace

const Importer p2p_test{.id = "p2p-bandwidth-latency",
                        .kind = ImporterKind::benchmark,
                        .recognises = recognises,
                        .read = read_lines<Reader>};

}  // namespace meshgauge
