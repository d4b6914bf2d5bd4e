#include "core/io/profile_tables.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/io/parse.hpp"
#include "core/io/write_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_entries = 4096, most_points = 4096;
constexpr double most_bytes = 1e15, most_seconds = 1e6, least_ratio = 0.001, most_ratio = 1000;
constexpr double largest = 1e15;

constexpr FieldText collective_field{.key = "collective", .help = "Which one."};
constexpr FieldText format_field{.key = "format", .help = "Of the product's operands."};
constexpr FieldText ranks_field{"ranks", "ranks", 2, limit::gpus, "", "Of the group."};
constexpr FieldText per_node_field{"ranks_per_node", "ranks", 1, limit::gpus, "", "Of the group."};
constexpr FieldText spread_field{"spread", "", 0, 100, "", "Nine of ten measurements lie within this of the curve."};
constexpr FieldText bytes_field{"bytes", "bytes", 1e-3, most_bytes, "", "As nccl-tests counts them."};
constexpr FieldText modelled_field{"modelled", "seconds", 1e-12, most_seconds, "", "Without the curve."};
constexpr FieldText measured_field{"measured", "seconds", 1e-12, most_seconds, "", "On the curve."};
constexpr FieldText ratio_field{"ratio", "", least_ratio, most_ratio, "", "Measured over modelled time."};

/// The members of one entry: each is asked for, others are unknown.
class Entry {
 public:
  Entry(const Json& object, std::string path, Reading& reading)
      : object_(object), path_(std::move(path)), reading_(reading) {
    good_ = expect_object(object, "The entry", path_, reading);
  }
  double number(const FieldText& field) {
    const Json* value = find(field.key);
    const auto number = value != nullptr ? number_in_range(*value, field, at(field.key), reading_) : std::nullopt;
    good_ = good_ && number.has_value();
    return number.value_or(0);
  }
  std::int64_t whole(const FieldText& field) {
    const Json* value = find(field.key);
    const auto number = value != nullptr ? integer_in_range(*value, field, at(field.key), reading_) : std::nullopt;
    good_ = good_ && number.has_value();
    return number.value_or(0);
  }
  std::size_t choice(const FieldText& field, std::span<const std::string_view> names) {
    const Json* value = find(field.key);
    const auto index = value != nullptr ? read_choice(*value, field, names, at(field.key), reading_) : std::nullopt;
    good_ = good_ && index.has_value();
    return index.value_or(0);
  }
  const Json* find(std::string_view key) {
    if (!object_.is_object()) return nullptr;
    asked_.push_back(key);
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    reading_.fail(path_, std::string(key) + " is missing.");
    good_ = false;
    return nullptr;
  }
  [[nodiscard]] std::string at(std::string_view key) const { return child_path(path_, key); }
  void fail(std::string_view key, std::string message) {
    reading_.fail(at(key), std::move(message));
    good_ = false;
  }
  /// Whether all that was asked for is there, and nothing else.
  [[nodiscard]] bool good() {
    if (object_.is_object()) {
      for (const auto& [key, value] : object_.items()) {
        if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
        report_unknown(key, path_, asked_, {}, reading_);
        good_ = false;
      }
    }
    return good_;
  }

 private:
  const Json& object_;
  std::string path_;
  Reading& reading_;
  bool good_ = true;
  std::vector<std::string_view> asked_;
};

bool rises(const CurvePoint& a, const CurvePoint& b) {
  return a.bytes < b.bytes && a.modelled < b.modelled && a.measured <= b.measured;
}

std::vector<CurvePoint> read_points(const Json& list, const std::string& path, Entry& entry, Reading& reading) {
  std::vector<CurvePoint> points;
  if (!list.is_array() || list.empty() || list.size() > most_points) {
    entry.fail("points", "points is " + shown(list) + ". Expected: 1 to " +
                             number_text(static_cast<std::int64_t>(most_points)) +
                             " lists of bytes, modelled seconds, measured seconds.");
    return points;
  }
  const bool good = read_items(list.size(), "points", path, reading, [&](std::size_t i, const std::string& at) {
    const Json& item = list[i];
    if (!item.is_array() || item.size() != 3) {
      reading.fail(at, "The point is " + shown(item) + ". Expected: bytes, modelled seconds, measured seconds.");
      return false;
    }
    const auto bytes = number_in_range(item[0], bytes_field, at + "/0", reading);
    const auto modelled = number_in_range(item[1], modelled_field, at + "/1", reading);
    const auto measured = number_in_range(item[2], measured_field, at + "/2", reading);
    if (!bytes || !modelled || !measured) return false;
    const CurvePoint point{*bytes, {*modelled}, {*measured}};
    if (!points.empty() && !rises(points.back(), point)) {
      reading.fail(at,
                   "The point does not lie above the one before. Bytes and modelled seconds have to rise, measured "
                   "seconds must not fall.");
      return false;
    }
    points.push_back(point);
    return true;
  });
  if (!good) entry.fail("points", "points cannot be used.");
  return points;
}

auto key_of(const CollectiveCurve& c) { return std::tuple(c.collective, c.ranks, c.ranks_per_node); }

bool read_curve(const Json& value, const std::string& path, std::vector<CollectiveCurve>& curves, Reading& reading) {
  Entry entry(value, path, reading);
  CollectiveCurve curve;
  curve.collective = static_cast<Collective>(entry.choice(collective_field, all_names<Collective>()));
  curve.ranks = entry.whole(ranks_field);
  curve.ranks_per_node = entry.whole(per_node_field);
  curve.spread = entry.number(spread_field);
  if (const Json* points = entry.find("points")) {
    curve.points = read_points(*points, entry.at("points"), entry, reading);
  }
  if (entry.good() && curve.ranks_per_node > curve.ranks) {
    entry.fail("ranks_per_node", "ranks_per_node is above ranks.");
  }
  if (entry.good()) curves.push_back(std::move(curve));
  return entry.good();
}

bool read_product(const Json& value, const std::string& path, std::vector<ProductPoint>& products, Reading& reading) {
  Entry entry(value, path, reading);
  const auto side = [&](std::string_view key) { return entry.number({key, "", 1, largest, "", ""}); };
  ProductPoint p;
  p.format = static_cast<MatmulFormat>(entry.choice(format_field, all_names<MatmulFormat>()));
  p.m = side("m");
  p.n = side("n");
  p.k = side("k");
  p.ratio = entry.number(ratio_field);
  if (entry.good()) products.push_back(p);
  return entry.good();
}

bool read_run_point(const Json& value, const std::string& path, std::vector<RunPoint>& runs, Reading& reading) {
  Entry entry(value, path, reading);
  const auto amount = [&](std::string_view key) { return entry.number({key, "", 1, largest, "", ""}); };
  RunPoint p;
  p.tokens = amount("tokens");
  p.hidden = amount("hidden");
  p.parameters = amount("parameters");
  p.ranks = amount("ranks");
  p.communication = entry.number({"communication", "", 0, 1, "", ""});
  p.ratio = entry.number(ratio_field);
  if (entry.good()) runs.push_back(p);
  return entry.good();
}

}  // namespace

void read_profile_table(std::string_view key, const Json& value, const std::string& path, MeasuredTables& tables,
                        Reading& reading) {
  if (!value.is_array() || value.size() > most_entries) {
    reading.fail(path, std::string(key) + " is " + shown(value) + ". Expected: a list of up to " +
                           number_text(static_cast<std::int64_t>(most_entries)) + " entries.");
    return;
  }
  MeasuredTables read;
  (void)read_items(value.size(), key, path, reading, [&](std::size_t i, const std::string& at) {
    if (key == "collectives") return read_curve(value[i], at, read.collectives, reading);
    if (key == "products") return read_product(value[i], at, read.products, reading);
    return read_run_point(value[i], at, read.runs, reading);
  });
  if (key == "products") tables.products = std::move(read.products);
  if (key == "runs") tables.runs = std::move(read.runs);
  if (key != "collectives") return;
  auto& curves = read.collectives;
  std::sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
  for (std::size_t i = 1; i < curves.size(); ++i) {
    if (key_of(curves[i - 1]) != key_of(curves[i])) continue;
    reading.fail(path, "There are two curves of " + std::string(name_of(curves[i].collective)) + " over " +
                           number_text(curves[i].ranks) + " ranks, " + number_text(curves[i].ranks_per_node) +
                           " a node. Keep one.");
  }
  tables.collectives = std::move(curves);
}

void write_profile_tables(const MeasuredTables& tables, Json& document) {
  const auto put = [&](const char* key, Json list) {
    if (!list.empty()) document[key] = std::move(list);
  };
  Json curves = Json::array(), products = Json::array(), runs = Json::array();
  for (const CollectiveCurve& c : tables.collectives) {
    Json points = Json::array();
    for (const CurvePoint& p : c.points) {
      points.push_back({exact_number(p.bytes), p.modelled.value, p.measured.value});
    }
    curves.push_back({{"collective", name_of(c.collective)},
                      {"ranks", c.ranks},
                      {"ranks_per_node", c.ranks_per_node},
                      {"spread", c.spread},
                      {"points", std::move(points)}});
  }
  for (const ProductPoint& p : tables.products) {
    products.push_back({{"format", name_of(p.format)},
                        {"m", exact_number(p.m)},
                        {"n", exact_number(p.n)},
                        {"k", exact_number(p.k)},
                        {"ratio", p.ratio}});
  }
  for (const RunPoint& p : tables.runs) {
    runs.push_back({{"tokens", exact_number(p.tokens)},
                    {"hidden", exact_number(p.hidden)},
                    {"parameters", exact_number(p.parameters)},
                    {"ranks", exact_number(p.ranks)},
                    {"communication", p.communication},
                    {"ratio", p.ratio}});
  }
  put("collectives", std::move(curves));
  put("products", std::move(products));
  put("runs", std::move(runs));
}

}  // namespace meshgauge
