#include "native/collectives/nccl_tests_json.hpp"

namespace meshgauge::harness {

NcclTestsJson::NcclTestsJson(const CollectiveFlags& f, const std::vector<RankLine>& ranks) {
  using Json = nlohmann::ordered_json;
  Json devices = Json::array();
  for (const RankLine& r : ranks) {
    devices.push_back({{"rank", r.rank},
                       {"group", r.group},
                       {"pid", r.pid},
                       {"hostname", r.host},
                       {"device", r.device},
                       {"device_hex", r.address},
                       {"device_info", r.name}});
  }
  document_ = {{"version", 3}, {"start_time", time_of_day()}, {"args", Json::array()}, {"env", Json::array()}};
  document_["config"] = {
      {"nthreads", f.threads},
      {"ngpus", f.gpus},
      {"minimum_bytes", f.least},
      {"maximum_bytes", f.most},
      {f.factor > 1 ? "step_factor" : "step_bytes", f.factor > 1 ? static_cast<std::size_t>(f.factor) : f.step},
      {"warmup_iters", f.warm_up},
      {"iterations", f.iterations},
      {"aggregated_iterations", f.aggregated},
      {"validation", f.checks},
      {"graph", f.graph_launches},
      {"blocking_collectives", f.blocking != Blocking::none},
      {"per_iter_timing", f.each_iteration},
      {"per_iter_skip", f.skipped},
      {"devices", std::move(devices)}};
}

void NcclTestsJson::start_row(Operation op, const Request& request, int iterations) {
  rows_.push_back({{"size", request.layout.bytes()},
                   {"count", request.layout.count},
                   {"type", name_of(request.layout.type)},
                   {"redop", reduces(op) ? name_of(request.reduce_op) : "none"},
                   {"root", std::to_string(has_root(op) ? request.root : -1)},
                   {"actual_iterations", iterations},
                   {"experiment_name", ""}});
}

void NcclTestsJson::add_half(bool in_place, const Measured& measured, bool cpu_time, double algbw, double busbw,
                             std::optional<std::int64_t> wrong) {
  rows_.back()[in_place ? "in_place" : "out_of_place"] = {{cpu_time ? "cpu_time" : "time", measured.seconds * 1e6},
                                                          {"alg_bw", algbw / 1e9},
                                                          {"bus_bw", busbw / 1e9},
                                                          {"nwrong", nullptr}};
  if (wrong) rows_.back()[in_place ? "in_place" : "out_of_place"]["nwrong"] = *wrong;
}

std::string NcclTestsJson::text(std::int64_t wrong, double mean_bandwidth, std::optional<double> least_bandwidth) {
  document_["results"] = rows_;
  document_["out_of_bounds"] = {{"count", wrong}, {"okay", wrong == 0}};
  document_["average_bus_bandwidth"] = {{"bandwidth", mean_bandwidth / 1e9}, {"okay", "unchecked"}};
  if (least_bandwidth) document_["average_bus_bandwidth"]["okay"] = !too_slow(mean_bandwidth, least_bandwidth);
  document_["end_time"] = time_of_day();
  return document_.dump(1) + '\n';
}

}  // namespace meshgauge::harness
