#include "core/io/write_curve.hpp"

#include <nlohmann/json.hpp>

#include "core/io/write_message.hpp"
#include "core/io/write_value.hpp"
#include "core/price/algorithm.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

Json write_alternatives(const Profile& profile, const Cluster& cluster, const PricedTransfer& priced,
                        const std::vector<double>& sizes) {
  Json list = Json::array();
  for (const double bytes : sizes) {
    const auto all = alternatives(profile, cluster, priced.transfer.collective, bytes, priced.route);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (list.size() == i) {
        list.push_back({{"algorithm", name_of(all[i].choice.algorithm)},
                        {"protocol", name_of(all[i].choice.protocol)},
                        {"over_choice", Json::array()}});
      }
      list[i]["over_choice"].push_back(rounded_number(all[i].over_choice));
    }
  }
  return list;
}

}  // namespace

Json write_curve(const Scenario& scenario, const Profile& profile, const PricedTransfer& priced,
                 const std::vector<double>& sizes) {
  const Transfer& t = priced.transfer;
  const auto point = [&](double bytes) {
    return write_point(profile, scenario.cluster, t.collective, bytes, priced.route);
  };
  Json json;
  json["id"] = t.id;
  json["collective"] = name_of(t.collective);
  json["group"] = name_of(t.group);
  json["ranks"] = priced.route.size;
  json["ranks_per_node"] = priced.route.in_node();
  json["message"] = point(t.bytes / t.messages);
  Json& points = json["points"] = Json::array();
  for (const double bytes : sizes) points.push_back(point(bytes));
  json["alternatives"] = write_alternatives(profile, scenario.cluster, priced, sizes);
  return json;
}

}  // namespace meshgauge
