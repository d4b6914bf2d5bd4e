// The fields as one plain list, which `describe` and help texts show.
#include "core/scenario/fields.hpp"

namespace meshgauge {
namespace {

struct TypeName {
  template <class R>
  std::string_view operator()(std::optional<std::int64_t> R::*) const {
    return "integer";
  }
  template <class R>
  std::string_view operator()(std::optional<double> R::*) const {
    return "number";
  }
  template <class R>
  std::string_view operator()(std::optional<bool> R::*) const {
    return "boolean";
  }
  template <class R>
  std::string_view operator()(std::optional<std::string> R::*) const {
    return "string";
  }
  template <class R>
  std::string_view operator()(std::optional<std::vector<std::int64_t>> R::*) const {
    return "array";
  }
  template <class Other>
  std::string_view operator()(const Other&) const {
    return "enum";
  }
};

void add_recompute(const std::string& path, std::vector<FieldInfo>& list) {
  const auto methods = all_names<RecomputeMethod>();
  list.push_back({path + "/method", "enum", recompute_method_field, {methods.begin(), methods.end()}});
  list.push_back({path + "/layers", "integer", recompute_layers_field, {}});
  FieldInfo modules{path + "/modules", "array", recompute_modules_field, {}};
  for (const RecomputeModule& module : recompute_modules) modules.options.push_back(module.name);
  list.push_back(std::move(modules));
}

template <class Request>
void add_section(const std::string& prefix, std::span<const Field<Request>> fields, std::vector<FieldInfo>& list) {
  for (const Field<Request>& field : fields) {
    const std::string path = prefix + std::string(field.text.key);
    FieldInfo info{path, std::visit(TypeName{}, field.slot), field.text, {}};
    if (const auto* words = std::get_if<Choice<Request>>(&field.slot)) {
      info.options.assign(words->names.begin(), words->names.end());
    }
    const bool is_recompute = std::holds_alternative<std::optional<RecomputeRequest> Request::*>(field.slot);
    if (is_recompute) info.options.assign(all_names<Recompute>().begin(), all_names<Recompute>().end());
    list.push_back(std::move(info));
    if (is_recompute) add_recompute(path, list);
  }
}

}  // namespace

std::vector<FieldInfo> scenario_fields() {
  std::vector<FieldInfo> list;
  constexpr auto version = static_cast<double>(schema_version);
  list.push_back({"/schema_version",
                  "integer",
                  FieldText{"schema_version", "", version, version, "1", "Version of this format."},
                  {}});
  list.push_back({"/model",
                  "string",
                  FieldText{.key = "model",
                            .fallback = "none: name a model",
                            .help = "Model of the catalog, or an object with the keys of a Hugging Face config.json."},
                  {}});
  add_section("/cluster/", cluster_fields(), list);
  add_section("/parallelism/", parallelism_fields(), list);
  add_section("/training/", training_fields(), list);
  add_section("/run/", run_fields(), list);
  return list;
}

}  // namespace meshgauge
