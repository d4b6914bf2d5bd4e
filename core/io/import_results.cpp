// What `meshgauge-bench --json` writes (native/harness/results.hpp).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/calibrate/import/nccl_operation.hpp"
#include "core/io/import_json.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

bool recognises(const Json& document) {
  return document.is_object() && document.contains("schema_version") && child_of(document, "environment").is_object() &&
         child_of(document, "records").is_array() && document.contains("records");
}

Place place_of(const Json& environment) {
  Place place;
  place.gpu = text_in(environment, "device");
  place.library = text_in(environment, "library");
  place.ranks = count_in(environment, "ranks");
  place.ranks_per_node = count_in(environment, "ranks_per_node");
  place.cpu = !flag_in(environment, "gpu");
  if (!place.cpu && !flag_in(environment, "shares_gpu")) place.gpus_per_node = place.ranks_per_node;
  return place;
}

/// Where several ranks of a record work together, the others of the file may be more.
Place place_of(const Json& record, const Place& all) {
  Place place = all;
  if (const std::int64_t group = count_in(record, "group_size"); group > 0) {
    place.ranks = group;
    place.ranks_per_node = count_in(record, "ranks_per_node");
  }
  return place;
}

Seconds median_of(const Json& record) { return {number_in(record, "median_s")}; }

Measurement collective_of(const Json& record, const Place& all) {
  MeasuredCollective measured;
  const std::string name = text_in(record, "operation");
  const std::string_view known = operation_named(name);
  measured.operation = known.empty() ? name : std::string(known);
  measured.collective = priced_as(measured.operation);
  measured.place = place_of(record, all);
  measured.bytes = number_in(record, "bytes");
  measured.seconds = median_of(record);
  if (text_in(record, "timing") != "mean") {  // quantiles of a single mean say nothing
    measured.low = {number_in(record, "p5_s")};
    measured.high = {number_in(record, "p95_s")};
  }
  measured.type = text_in(record, "type");
  measured.in_place = flag_in(record, "in_place");
  measured.wrong = count_in(record, "wrong");
  measured.concurrent = std::max<std::int64_t>(1, count_in(record, "groups"));
  return {0, std::move(measured)};
}

std::optional<Measurement> gemm_of(const Json& record, const Place& all) {
  const std::optional<MatmulFormat> format = from_name<MatmulFormat>(text_in(record, "format"));
  if (!format) return std::nullopt;
  MeasuredKernel measured;
  const double groups = number_in(record, "groups", 1);
  measured.call = {.op = groups > 1 ? KernelOp::grouped_gemm : KernelOp::gemm,
                   .format = *format,
                   .m = number_in(record, "m"),
                   .n = number_in(record, "n"),
                   .k = number_in(record, "k"),
                   .groups = groups,
                   .sustained = true};
  measured.place = all;
  measured.seconds = median_of(record);
  measured.low = {number_in(record, "p5_s")};
  measured.high = {number_in(record, "p95_s")};
  return Measurement{0, std::move(measured)};
}

/// Names are those of native/kernels/stream.hpp. Copies inside a memory are kernels, others links.
std::optional<Measurement> copy_of(const Json& record, const Place& all) {
  const std::string transfer = text_in(record, "transfer");
  if (transfer == "copy" || transfer == "triad" || transfer == "device") {
    MeasuredKernel measured;
    measured.call.op = transfer == "triad" ? KernelOp::elementwise : KernelOp::copy;
    measured.call.bytes = number_in(record, "bytes");
    measured.place = all;
    measured.seconds = median_of(record);
    measured.low = {number_in(record, "p5_s")};
    measured.high = {number_in(record, "p95_s")};
    return Measurement{0, std::move(measured)};
  }
  MeasuredLink measured;
  measured.place = all;
  measured.bytes = number_in(record, "size");
  measured.bandwidth = {number_in(record, "algbw_bytes_per_s")};
  measured.both_directions = transfer == "both ways";
  if (transfer == "host to device" || transfer == "both ways") {
    measured.kind = LinkKind::host_to_device;
  } else if (transfer == "device to host") {
    measured.kind = LinkKind::device_to_host;
  } else if (transfer == "to the next GPU") {
    measured.kind = LinkKind::peer;
  } else {
    return std::nullopt;
  }
  return Measurement{0, std::move(measured)};
}

Measurement step_of(const Json& record, const Place& all) {
  MeasuredStep measured;
  measured.place = all;
  measured.seconds = median_of(record);
  measured.tokens_per_second = number_in(record, "tokens_per_second");
  measured.mfu = number_in(record, "mfu_causal");
  if (all.ranks > 0) measured.tokens_per_second_per_gpu = measured.tokens_per_second / static_cast<double>(all.ranks);
  return {0, std::move(measured)};
}

std::optional<Measurement> measurement_of(const Json& record, const Place& all) {
  const std::string kind = text_in(record, "kind");
  if (kind == "collective" && !text_in(record, "operation").empty()) return collective_of(record, all);
  if (kind == "gemm") return gemm_of(record, all);
  if (kind == "copy") return copy_of(record, all);
  if (kind == "step") return step_of(record, all);
  return std::nullopt;
}

void read(const Json& document, const KnownPlace& known, Imported& imported) {
  ImportedRun run;
  run.tool = bench_results.id;
  run.first_line = 1;
  run.place = place_of(child_of(document, "environment"));
  std::int64_t number = 0, wrong = 0;
  for (const Json& record : child_of(document, "records")) {
    ++number;
    std::optional<Measurement> measurement = measurement_of(record, run.place);
    if (!measurement || !(median_of(record).value > 0)) {
      const std::string kind = text_in(record, "kind");
      report_unread(imported, number, kind,
                    measurement ? "median_s is no time above 0."
                                : "A record of a kind, operation, format or transfer that is not known.");
      continue;
    }
    if (const auto* one = std::get_if<MeasuredCollective>(&measurement->what); one != nullptr && one->wrong > 0)
      ++wrong;
    measurement->line = number;
    add_measurement(imported, run, std::move(*measurement));
  }
  if (wrong > 0) run.notes.push_back("Times of wrong results: " + number_text(wrong) + '.');
  finish_run(run, known, GroupsOfRun::keep);
  imported.runs.push_back(std::move(run));
}

}  // namespace

const JsonImporter bench_results{.id = "meshgauge-bench", .recognises = recognises, .read = read};

}  // namespace meshgauge
