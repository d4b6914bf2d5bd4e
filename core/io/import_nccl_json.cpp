// What nccl-tests writes with -J (its src/util.cu, versions 1 to 3). Keys that a version lacks stay open.
#include <nlohmann/json.hpp>

#include "core/calibrate/import/nccl_devices.hpp"
#include "core/calibrate/import/nccl_operation.hpp"
#include "core/io/import_json.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

bool recognises(const Json& document) {
  return document.is_object() && child_of(document, "config").is_object() && document.contains("results") &&
         child_of(document, "results").is_array();
}

NcclDevices devices_of(const Json& config) {
  NcclDevices devices;
  for (const Json& device : child_of(config, "devices")) {
    devices.add({.rank = count_in(device, "rank"),
                 .group = count_in(device, "group"),
                 .host = 0,
                 .address = std::to_string(count_in(device, "device")) + text_in(device, "device_hex")},
                text_in(device, "hostname"), text_in(device, "device_info"));
  }
  return devices;
}

/// The program's name, if the arguments are kept: they lead with it.
std::string_view named_operation(const Json& document) {
  for (const Json& argument : child_of(document, "args")) {
    if (!argument.is_string()) continue;
    const std::string_view operation = operation_in_command(argument.get_ref<const std::string&>());
    if (!operation.empty()) return operation;
  }
  return {};
}

class Reader {
 public:
  Reader(const KnownPlace& known, Imported& imported) : known_(known), imported_(imported) {}

  void read(const Json& document) {
    const Json& config = child_of(document, "config");
    run_.tool = nccl_tests_json.id;
    run_.first_line = 1;
    const NcclLayout layout = layout_of(devices_of(config), run_.place, run_.notes);
    if (const std::int64_t version = count_in(document, "nccl_version"); version > 0) {
      run_.place.library = "NCCL " + nccl_version_text(version);
    }
    if (count_in(config, "graph") > 0) run_.notes.emplace_back("Launched as CUDA graphs (-G).");
    columns_.known = columns_.redop = columns_.root = columns_.counts_wrong = true;
    std::int64_t number = 0;
    for (const Json& result : child_of(document, "results")) take(result, ++number);
    if (run_.place.ranks == 0) run_.place.ranks = shape_.ranks_of_size() > 1 ? shape_.ranks_of_size() : 0;
    finish(named_operation(document), layout.groups);
  }

 private:
  void take(const Json& result, std::int64_t number) {
    NcclRow row;
    const std::string type = text_in(result, "type"), redop = text_in(result, "redop"), root = text_in(result, "root");
    row.bytes = count_in(result, "size");
    row.count = count_in(result, "count");
    row.type = type;
    row.width = nccl_type_width(type);
    row.redop = redop;
    const std::string_view root_word = trimmed(root);  // printed as text, with blanks
    row.root = root_word == "-1" ? -1 : count_of(root_word).value_or(-1);
    if (row.width == 0 || redop.empty())
      return report_unread(imported_, number, type, "A result without a known type and redop.");
    if (row.bytes == 0) {
      ++empty_;
      return;
    }
    for (const bool in_place : {false, true}) {
      const Json& half = child_of(result, in_place ? "in_place" : "out_of_place");
      if (!half.empty()) keep(row, half, in_place, number);
    }
    shape_.take(row, columns_);
  }

  void keep(NcclRow& row, const Json& half, bool in_place, std::int64_t number) {
    const double microseconds = number_in(half, "time");
    if (!(microseconds > 0)) {
      return report_unread(imported_, number, row.type,
                           half.contains("cpu_time") ? "The processor's time (-C), not the collective's."
                                                     : "The time is no number above 0.");
    }
    NcclHalf& printed = row.halves[static_cast<std::size_t>(row.found++)];
    printed = {.time = {microseconds, 0},
               .algbw = {number_in(half, "alg_bw"), 0},
               .busbw = {number_in(half, "bus_bw"), 0},
               .wrong = half.contains("nwrong") && half["nwrong"].is_number() ? std::optional(number_in(half, "nwrong"))
                                                                              : std::nullopt,
               .in_place = in_place};
    MeasuredCollective measured;
    measured.bytes = static_cast<double>(row.bytes);
    measured.seconds = {microseconds / 1e6};
    measured.type = row.type;
    measured.in_place = in_place;
    measured.wrong = count_in(half, "nwrong");
    add_measurement(imported_, run_, {number, std::move(measured)});
  }

  void finish(std::string_view named, std::int64_t groups) {
    settle_operation(run_, shape_, named, known_);
    if (run_.place.ranks == 1) leave_out_single_rank(imported_, run_, 1);
    for (Measurement& measurement : run_.measurements) {
      std::get<MeasuredCollective>(measurement.what).concurrent = groups;
    }
    if (empty_ > 0) run_.notes.push_back(empty_rows_note(empty_));
    finish_run(run_, known_);
    imported_.runs.push_back(std::move(run_));
  }

  const KnownPlace& known_;
  Imported& imported_;
  ImportedRun run_;
  NcclColumns columns_;
  NcclShape shape_;
  std::int64_t empty_ = 0;
};

void read(const Json& document, const KnownPlace& known, Imported& imported) { Reader(known, imported).read(document); }

}  // namespace

const JsonImporter nccl_tests_json{.id = "nccl-tests-json", .recognises = recognises, .read = read};

}  // namespace meshgauge
