// The fields of a scenario as one plain list.
#include "core/scenario/fields.hpp"

#include <type_traits>

namespace meshgauge {
namespace {

/// Appends what a visit shows.
class Lister {
 public:
  Lister(std::string prefix, std::vector<FieldInfo>& list) : prefix_(std::move(prefix)), list_(list) {}

  template <class Request, class T, class Written>
  void operator()(const FieldText& text, std::optional<T> Request::*, Written) {
    FieldInfo info{.path = prefix_ + std::string(text.key), .type = "object", .text = text, .options = {}};
    if constexpr (std::is_enum_v<T>) {
      info.type = "enum";
      const auto names = all_names<T>();
      info.options.assign(names.begin(), names.end());
    } else if constexpr (std::is_same_v<T, RecomputeRequest>) {
      info.type = "enum";
      const auto names = all_names<Recompute>();
      info.options.assign(names.begin(), names.end());
    } else {
      info.type = type_name(T{});
    }
    list_.push_back(std::move(info));
    if constexpr (std::is_same_v<T, RecomputeRequest>) add_recompute(list_.back().path);
  }

 private:
  static std::string_view type_name(std::int64_t) { return "integer"; }
  static std::string_view type_name(double) { return "number"; }
  static std::string_view type_name(bool) { return "boolean"; }
  static std::string_view type_name(const std::string&) { return "string"; }
  static std::string_view type_name(const std::vector<std::int64_t>&) { return "array"; }

  void add_recompute(const std::string& path) {
    const auto methods = all_names<RecomputeMethod>();
    list_.push_back({path + "/method", "enum", recompute_method_field, {methods.begin(), methods.end()}});
    list_.push_back({path + "/layers", "integer", recompute_layers_field, {}});
    FieldInfo modules{path + "/modules", "array", recompute_modules_field, {}};
    for (const RecomputeModule& module : recompute_modules) modules.options.push_back(module.name);
    list_.push_back(std::move(modules));
  }

  std::string prefix_;
  std::vector<FieldInfo>& list_;
};

}  // namespace

std::optional<RecomputeRequest> written::recompute(const Scenario& s) {
  const Training& t = s.training;
  RecomputeRequest request{.kind = t.recompute, .method = {}, .layers = {}, .modules = {}};
  if (t.recompute == Recompute::full) {
    request.method = t.recompute_method;
    request.layers = t.recompute_layers;
  } else if (t.recompute == Recompute::selective) {
    request.modules = t.recompute_modules;
  }
  return request;
}

std::vector<FieldInfo> scenario_fields() {
  std::vector<FieldInfo> list;
  constexpr auto version = static_cast<double>(schema_version);
  list.push_back({"/schema_version", "integer",
                  FieldText{"schema_version", "", version, version, "1", "Version of this format."}, {}});
  list.push_back({"/model", "string",
                  FieldText{.key = "model", .fallback = "none: name a model",
                            .help = "Model of the catalog, or an object with the keys of a Hugging Face config.json."},
                  {}});
  cluster_fields(Lister{"/cluster/", list});
  parallelism_fields(Lister{"/parallelism/", list});
  training_fields(Lister{"/training/", list});
  return list;
}

}  // namespace meshgauge
