// OSU micro-benchmarks, 3 to 7.5: "# OSU MPI-CUDA Allreduce Latency Test v7.5" and the table under it.
#include <algorithm>
#include <array>
#include <optional>

#include "core/calibrate/import/decimal.hpp"
#include "core/calibrate/import/importers.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// What one of the tool's programs measures. Sizes of gathers and of all-to-all are those that one rank gives to each
/// (c/mpi/collective/blocking), while the core means what all ranks hold together.
struct Test {
  std::string_view title;
  std::string_view operation;  ///< empty: between two ranks
  bool size_per_rank = false;
  bool both_directions = false;
};
constexpr auto tests = std::to_array<Test>({
    {"Allreduce Latency Test", "all_reduce"},
    {"Allgather Latency Test", "all_gather", true},
    {"All-to-All Personalized Exchange Latency Test", "all_to_all", true},
    {"Reduce_scatter Latency Test", "reduce_scatter"},
    {"Broadcast Latency Test", "broadcast"},
    {"Reduce Latency Test", "reduce"},
    {"Gather Latency Test", "gather", true},
    {"Scatter Latency Test", "scatter", true},
    {"Bi-Directional Bandwidth Test", "", false, true},
    {"Bandwidth Test", ""},
    {"Latency Test", ""},
});

constexpr std::string_view title_mark = "# OSU ";

/// "MPI-CUDA Reduce Latency Test v7.3" -> the test whose title stands alone behind the first word.
const Test* test_of(std::string_view title) {
  std::string_view name = title;
  (void)next_word(name);
  name = trimmed(name);
  const auto* const found =
      std::find_if(tests.begin(), tests.end(), [&](const Test& test) { return starts_with(name, test.title); });
  return found == tests.end() ? nullptr : found;
}

bool recognises(std::string_view line) {
  const std::size_t at = line.find('#');
  return at != std::string_view::npos && starts_with(line.substr(at), title_mark) && contains(line, " Test");
}

struct Columns {
  bool bandwidth = false;  ///< MB/s, of 1e6 bytes; else microseconds
  bool known = false;
};

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void take(const Line& line) {
    const std::size_t hash = line.text.find('#');
    if (hash != std::string_view::npos) {
      take_comment(line, line.text.substr(hash));
    } else if (open_ && columns_.known) {
      take_row(line);
    }
  }

  void finish() {
    if (!open_) return;
    open_ = false;
    if (failed_ > 0) run_.notes.push_back("Sizes that failed validation: " + number_text(failed_) + '.');
    if (rows_ == 0) run_.notes.emplace_back("No row: the run ended before its first size.");
    if (left_open_ > 0) {
      run_.notes.push_back(
          "Sizes are what each rank gives to each; read once the ranks are known: " + number_text(left_open_) + '.');
      run_.questions.push_back(Question::ranks);
    }
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
  }

 private:
  void take_comment(const Line& line, std::string_view text) {
    if (starts_with(text, title_mark)) {
      finish();
      open_ = true;
      run_ = {};
      columns_ = {};
      rows_ = failed_ = left_open_ = 0;
      run_.tool = osu.id;
      run_.first_line = line.number;
      const std::string_view title = text.substr(title_mark.size());
      test_ = test_of(title);
      if (test_ == nullptr) {
        open_ = false;
        report_unread(imported_, line.number, line.text, "This test of OSU's is not read.");
        return;
      }
      std::string_view rest = title;
      const std::string_view flavour = next_word(rest);  // MPI, MPI-CUDA, NCCL ...
      run_.place.cpu = flavour == "MPI";
      if (test_->operation.empty()) run_.place.ranks = 2;
    } else if (open_ && contains(text, "Send Buffer on HOST") && contains(text, "Receive Buffer on HOST")) {
      run_.place.cpu = true;
    } else if (open_ && contains(text, "Size")) {
      columns_.bandwidth = contains(text, "MB/s");
      columns_.known = columns_.bandwidth || contains(text, "(us)");
      if (!columns_.known) report_unread(imported_, line.number, line.text, "Neither MB/s nor us.");
    }
  }

  void take_row(const Line& line) {
    std::string_view rest = without_prefix(line.text);
    const std::optional<std::int64_t> size = count_of(next_word(rest));
    if (!size) return;
    std::string_view ahead = rest;
    const std::optional<Decimal> value = decimal_of(next_word(ahead));
    if (!value || (!line.whole && ahead.empty()) || !(value->value > 0)) {
      report_unread(imported_, line.number, line.text, "The row ends before its figure, or the figure is 0.");
      return;
    }
    ++rows_;
    const bool failed = contains(ahead, "Fail");
    failed_ += failed ? 1 : 0;
    if (test_->operation.empty()) {
      keep_link(line, static_cast<double>(*size), *value);
    } else {
      keep_collective(line, static_cast<double>(*size), *value, failed);
    }
  }

  void keep_link(const Line& line, double bytes, const Decimal& value) {
    MeasuredLink link;
    link.kind = LinkKind::point_to_point;
    link.bytes = bytes;
    link.both_directions = test_->both_directions;
    if (columns_.bandwidth) {
      link.bandwidth = {value.value * mega};
    } else {
      link.latency = {value.value / 1e6};
    }
    add_measurement(imported_, run_, {line.number, link});
  }

  void keep_collective(const Line& line, double bytes, const Decimal& value, bool failed) {
    if (columns_.bandwidth) {
      report_unread(imported_, line.number, line.text, "A collective's bandwidth says no time of one call.");
      return;
    }
    if (bytes == 0) {
      report_unread(imported_, line.number, line.text, "A collective of 0 bytes says nothing of its links.");
      return;
    }
    if (test_->size_per_rank && known_.place.ranks == 0) {
      ++left_open_;
      return;
    }
    MeasuredCollective measured;
    measured.operation = test_->operation;
    measured.collective = from_name<Collective>(test_->operation);
    measured.bytes = test_->size_per_rank ? bytes * static_cast<double>(known_.place.ranks) : bytes;
    measured.seconds = {value.value / 1e6};
    measured.wrong = failed ? 1 : 0;
    add_measurement(imported_, run_, {line.number, std::move(measured)});
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  const Test* test_ = nullptr;
  Columns columns_;
  bool open_ = false;
  std::int64_t rows_ = 0, failed_ = 0, left_open_ = 0;
};

}  // namespace

const Importer osu{.id = "osu", .kind = ImporterKind::benchmark, .recognises = recognises, .read = read_lines<Reader>};

}  // namespace meshgauge
