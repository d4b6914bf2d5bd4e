#include "core/io/write_band.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/write_value.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

/// The verdict of all bands, or that it depends on the algorithm. What no ring reaches went through the switches.
std::string_view verdict_of(const std::vector<Band>& bands, BytesPerSecond measured) {
  if (bands.empty()) return "unknown";
  const BandVerdict first = verdict_on(bands.front(), measured);
  const bool same =
      std::all_of(bands.begin(), bands.end(), [&](const Band& band) { return verdict_on(band, measured) == first; });
  const bool in_switch = first == BandVerdict::normal && verdict_on(bands.back(), measured) == BandVerdict::high;
  return same || in_switch ? name_of(first) : "depends";
}

Json write_one(const Band& band, const BandRow* row) {
  Json sources = Json::array();
  for (const PublishedCurve& curve : band.published_by) {
    sources.push_back({{"id", curve.id}, {"gpu", curve.gpu}, {"source", curve.source}});
  }
  Json json;
  json["algorithm"] = band.algorithm.empty() ? Json(nullptr) : Json(band.algorithm);
  json["verdict"] = row == nullptr ? Json(nullptr) : Json(name_of(verdict_on(band, {row->bus})));
  json["low"] = rounded_number(band.normal.low.value);
  json["high"] = rounded_number(band.normal.high.value);
  json["published_low"] = band.published ? rounded_number(band.published->low.value) : Json(nullptr);
  json["published_high"] = band.published ? rounded_number(band.published->high.value) : Json(nullptr);
  json["model"] = rounded_number(band.expected.value);
  json["model_low"] = rounded_number(band.modelled.low.value);
  json["model_high"] = rounded_number(band.modelled.high.value);
  json["published"] = std::move(sources);
  return json;
}

}  // namespace

Json write_band(const BandReport& report, const Profile& profile) {
  const BandQuestion& question = report.question;
  const BandRow* const judged = report.rows.empty() ? nullptr : &report.rows.back();
  const std::vector<Band> bands = bands_of(profile, report.cluster, question);
  Json list = Json::array(), rows = Json::array(), causes = Json::array();
  for (const Band& band : bands) list.push_back(write_one(band, judged));
  for (const BandRow& row : report.rows) {
    BandQuestion at = question;
    at.bytes = row.bytes;
    const std::vector<Band> there = bands_of(profile, report.cluster, at);
    Json one = {{"bytes", exact_number(row.bytes)}, {"bus_bytes_per_second", rounded_number(row.bus)}};
    if (!there.empty()) {
      one["low"] = rounded_number(there.back().normal.low.value);
      one["high"] = rounded_number(there.front().normal.high.value);
      one["verdict"] = verdict_of(there, {row.bus});
    }
    rows.push_back(std::move(one));
  }
  if (judged != nullptr) {
    for (const BandCause& cause : causes_of(profile, report.cluster, question, {judged->bus})) {
      causes.push_back(
          {{"id", cause.id}, {"message", cause.message}, {"command", cause.command}, {"source", cause.source}});
    }
  }
  Json json;
  json["name"] = report.name.empty() ? Json(nullptr) : Json(report.name);
  json["line"] = report.line == 0 ? Json(nullptr) : Json(report.line);
  json["gpu"] = report.cluster.gpu.name;
  json["network"] = question.route.spans_nodes() ? Json(report.cluster.inter_type) : Json(nullptr);
  json["network_bytes_per_second"] =
      question.route.spans_nodes() ? rounded_number(report.cluster.inter.bandwidth.value) : Json(nullptr);
  json["collective"] = name_of(question.collective);
  json["ranks"] = question.route.size;
  json["ranks_per_node"] = question.route.in_node();
  json["in_switch"] = question.in_switch ? Json(*question.in_switch) : Json(nullptr);
  json["bytes"] = exact_number(question.bytes);
  json["bus_bytes_per_second"] = judged == nullptr ? Json(nullptr) : rounded_number(judged->bus);
  json["verdict"] = judged == nullptr ? Json(nullptr) : Json(verdict_of(bands, {judged->bus}));
  json["bands"] = std::move(list);
  json["rows"] = std::move(rows);
  json["causes"] = std::move(causes);
  return json;
}

}  // namespace meshgauge
