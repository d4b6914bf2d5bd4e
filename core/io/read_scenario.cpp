// A scenario document to a resolved scenario: every problem of it at once.
#include "core/io/read_scenario.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "core/catalog/catalog.hpp"
#include "core/io/huggingface.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/fields.hpp"
#include "core/scenario/ranges.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_name = 200;  ///< of anything in the catalog

constexpr auto sections =
    std::to_array<std::string_view>({"schema_version", "model", "cluster", "parallelism", "training", "run"});

/// Where a field of this name lives, for one that stands in the wrong section.
std::string home_of(std::string_view key, const Reading& reading) {
  if (reading.issues.size() > most_issues) return {};  // nobody will read it
  for (const FieldInfo& field : scenario_fields()) {
    const std::size_t slash = field.path.rfind('/');
    if (field.text.key == key) return field.path.substr(0, slash + 1) + std::string(key);
  }
  return {};
}

std::optional<RecomputeModules> read_modules(const Json& value, const std::string& path, Reading& reading) {
  std::vector<std::string_view> names;
  names.reserve(recompute_modules.size());
  for (const RecomputeModule& module : recompute_modules) names.push_back(module.name);
  if (!value.is_array()) {
    reading.fail(path, "modules is " + shown(value) + ". Expected: a list of " + list_text(names) + '.');
    return std::nullopt;
  }
  RecomputeModules modules;
  const bool good = read_items(value.size(), "modules", path, reading, [&](std::size_t i, const std::string& at) {
    const auto choice = read_choice(value[i], recompute_modules_field, names, at, reading);
    if (choice) modules.*recompute_modules[*choice].flag = true;
    return choice.has_value();
  });
  if (!good) return std::nullopt;
  return modules;
}

std::optional<RecomputeRequest> read_recompute_object(const Json& object, const std::string& path, Reading& reading) {
  constexpr auto known = std::to_array<std::string_view>({"method", "layers", "modules"});
  const std::size_t issues_before = reading.issues.size();
  RecomputeRequest request;
  for (const auto& [key, value] : object.items()) {
    const std::string at = child_path(path, key);
    if (key == "method") {
      const auto choice = read_choice(value, recompute_method_field, all_names<RecomputeMethod>(), at, reading);
      if (choice) request.method = static_cast<RecomputeMethod>(*choice);
    } else if (key == "layers") {
      request.layers = integer_in_range(value, recompute_layers_field, at, reading);
    } else if (key == "modules") {
      request.modules = read_modules(value, at, reading);
    } else {
      report_unknown(key, path, known, {}, reading);
    }
  }
  const bool full = object.contains("method") || object.contains("layers");
  if (full && object.contains("modules")) {
    reading.issues.push_back({path, "recompute has method or layers (full) and modules (selective). Keep one kind."});
  } else if (object.empty()) {
    reading.issues.push_back(
        {path, "recompute is an empty object. Allowed: method and layers (full), or modules (selective)."});
  }
  if (reading.issues.size() > issues_before) {
    reading.unread.push_back(path);
    return std::nullopt;
  }
  request.kind = full ? Recompute::full : Recompute::selective;
  return request;
}

std::optional<RecomputeRequest> read_recompute(const Json& value, const FieldText& text, const std::string& path,
                                               Reading& reading) {
  if (value.is_object()) return read_recompute_object(value, path, reading);
  const auto choice = read_choice(value, text, all_names<Recompute>(), path, reading);
  if (!choice) {
    reading.issues.back().message += " Or an object with method and layers (full), or with modules (selective).";
    return std::nullopt;
  }
  return RecomputeRequest{.kind = static_cast<Recompute>(*choice), .method = {}, .layers = {}, .modules = {}};
}

/// Reads a value into the slot of its field.
template <class Request>
void read_field(const Json& value, const Field<Request>& field, const std::string& path, Request& request,
                Reading& reading) {
  const FieldText& text = field.text;
  if (const auto* whole = std::get_if<std::optional<std::int64_t> Request::*>(&field.slot)) {
    request.** whole = read_integer(value, text, path, reading);
  } else if (const auto* number = std::get_if<std::optional<double> Request::*>(&field.slot)) {
    request.** number = read_number(value, text, path, reading);
  } else if (const auto* flag = std::get_if<std::optional<bool> Request::*>(&field.slot)) {
    request.** flag = read_boolean(value, text, path, reading);
  } else if (const auto* string = std::get_if<std::optional<std::string> Request::*>(&field.slot)) {
    request.** string = read_string(value, text, path, reading);
  } else if (const auto* list = std::get_if<std::optional<std::vector<std::int64_t>> Request::*>(&field.slot)) {
    request.** list = read_integers(value, text, path, reading);
  } else if (const auto* recompute = std::get_if<std::optional<RecomputeRequest> Request::*>(&field.slot)) {
    request.** recompute = read_recompute(value, text, path, reading);
  } else if (const auto* choice = std::get_if<Choice<Request>>(&field.slot)) {
    if (const auto i = read_choice(value, text, choice->names, path, reading)) choice->set(request, *i);
  }
}

template <class Request>
void read_section(const Json& document, std::string_view name, std::span<const Field<Request>> fields, Request& request,
                  Reading& reading) {
  const auto section = document.find(name);
  if (section == document.end()) return;
  const std::string path = '/' + std::string(name);
  if (section->is_null() && name == "cluster") return;  // the missing hardware is said
  if (!expect_object(*section, name, path, reading)) return;
  std::vector<std::string_view> known;
  known.reserve(fields.size());
  for (const Field<Request>& field : fields) known.push_back(field.text.key);
  for (const auto& [key, value] : section->items()) {
    const auto at = std::find(known.begin(), known.end(), key);
    if (at == known.end()) {
      report_unknown(key, path, known, home_of(key, reading), reading);
    } else {
      read_field(value, fields[static_cast<std::size_t>(at - known.begin())], child_path(path, key), request, reading);
    }
  }
}

/// The value, or nothing and the issues of a lookup.
template <class T>
std::optional<T> take(Result<T> result, Reading& reading) {
  for (Issue& issue : result.issues) reading.issues.push_back(std::move(issue));
  return std::move(result.value);
}

/// What the catalog says of a name, for one that is too long to be looked for.
Issue no_such(std::string_view what, std::string_view name, std::string_view path) {
  return {std::string(path),
          "unknown " + std::string(what) + ' ' + in_quotes(name) + "; the catalog has none with a similar name"};
}

/// Multimodal models are counted without their other towers.
void note_left_out(const Json& document, Issues& notes) {
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return;
  for (const char* key : {"vision_config", "audio_config", "vision_tower_config", "visual", "speech_config"}) {
    if (!model->contains(key)) continue;
    notes.push_back(
        {"/model/" + std::string(key), std::string(key) + " is left out: the language model alone is counted."});
  }
}

/// A node of a GPU that is named without a system: its fabric inside, an assumed network between.
Cluster cluster_of(Gpu gpu) {
  Cluster cluster;
  cluster.name = gpu.name;
  cluster.source = gpu.source;
  cluster.intra_topology = gpu.nvlink.value > 0 ? "nvswitch" : "pcie-switch";
  cluster.intra.bandwidth = gpu.nvlink.value > 0 ? gpu.nvlink : gpu.pcie;
  cluster.inter.bandwidth = assumed_network;
  cluster.gpu = std::move(gpu);
  return cluster;
}

void look_up_hardware(ScenarioRequest& request, Reading& reading) {
  const ClusterRequest& cluster = request.cluster;
  const auto unread = [&](const char* path) {
    return std::find(reading.unread.begin(), reading.unread.end(), path) != reading.unread.end();
  };
  const auto too_long = [&](const char* what, const std::string& name, const char* path) {
    if (name.size() > longest_name) reading.issues.push_back(no_such(what, name, path));
    return name.size() > longest_name;
  };
  if (cluster.system && cluster.gpu) {
    reading.issues.push_back({"/cluster/gpu", "gpu is " + in_quotes(*cluster.gpu) + " beside system " +
                                                  in_quotes(*cluster.system) + ". Keep one of them."});
  } else if (cluster.system) {
    if (!too_long("system", *cluster.system, "/cluster/system")) {
      request.hardware = take(find_system(*cluster.system, "/cluster/system"), reading);
    }
  } else if (cluster.gpu && *cluster.gpu == cpu_id) {
    request.hardware = cpu_ranks();
  } else if (cluster.gpu) {
    if (too_long("GPU", *cluster.gpu, "/cluster/gpu")) return;
    auto gpu = take(find_gpu(*cluster.gpu, "/cluster/gpu"), reading);
    if (gpu) request.hardware = cluster_of(std::move(*gpu));
  } else if (!unread("/cluster") && !unread("/cluster/system") && !unread("/cluster/gpu")) {
    reading.issues.push_back({"/cluster", "The cluster names no hardware. Set system or gpu to an id of the catalog."});
  }
}

void read_version(const Json& document, Reading& reading) {
  const auto version = document.find("schema_version");
  if (version == document.end()) return;
  constexpr FieldText text{.key = "schema_version", .help = ""};
  const auto number = read_integer(*version, text, "/schema_version", reading);
  if (number && *number != schema_version) {
    reading.fail("/schema_version",
                 "schema_version is " + number_text(*number) + ". Allowed: " + number_text(schema_version) + '.');
  }
}

}  // namespace

std::optional<ModelShape> read_model(const Json& document, Reading& reading) {
  const auto model = document.find("model");
  if (model == document.end()) {
    reading.issues.push_back({"/model", "model is missing. Name a model of the catalog, or paste its config.json."});
    return std::nullopt;
  }
  if (model->is_object()) return take(read_huggingface(*model, "/model"), reading);
  if (!model->is_string()) {
    reading.issues.push_back({"/model", "model is " + shown(*model) +
                                            ". Expected: a catalog id, or an object with the "
                                            "keys of a config.json."});
    return std::nullopt;
  }
  const auto& name = model->get_ref<const std::string&>();
  if (name.size() > longest_name) {
    reading.issues.push_back(no_such("model", name, "/model"));
    return std::nullopt;
  }
  return take(find_model(name, "/model"), reading);
}

ScenarioRequest read_request(const Json& document, Reading& reading) {
  ScenarioRequest request;
  if (!expect_object(document, "The scenario", "", reading)) return request;
  for (const auto& [key, value] : document.items()) {
    if (std::find(std::begin(sections), std::end(sections), key) == std::end(sections)) {
      report_unknown(key, "", sections, home_of(key, reading), reading);
    }
  }
  read_version(document, reading);
  request.model = read_model(document, reading);
  note_left_out(document, request.notes);
  read_section(document, "cluster", cluster_fields(), request.cluster, reading);
  read_section(document, "parallelism", parallelism_fields(), request.parallelism, reading);
  read_section(document, "training", training_fields(), request.training, reading);
  read_section(document, "run", run_fields(), request.run, reading);
  look_up_hardware(request, reading);
  request.unread = reading.unread;
  return request;
}

Result<Resolution> read_scenario(const Json& document) {
  Reading reading;
  const ScenarioRequest request = read_request(document, reading);
  if (!document.is_object()) return std::move(reading.issues);

  Result<Resolution> resolution = resolve(request);
  for (Issue& issue : resolution.issues) reading.issues.push_back(std::move(issue));
  if (!reading.issues.empty()) return std::move(reading.issues);
  return resolution;
}

ScenarioRequest read_layout(const Json& document, const LayoutFields& fields, Reading& reading) {
  constexpr auto layout_sections = std::to_array<std::string_view>({"cluster", "parallelism", "training"});
  ScenarioRequest request;
  if (!expect_object(document, "A layout", "", reading)) return request;
  report_unknown_fields(document, "", layout_sections, reading);
  read_section<ClusterRequest>(document, "cluster", fields.cluster, request.cluster, reading);
  read_section<ParallelismRequest>(document, "parallelism", fields.parallelism, request.parallelism, reading);
  read_section<TrainingRequest>(document, "training", fields.training, request.training, reading);
  for (Issue& issue : drop_out_of_range(request)) reading.issues.push_back(std::move(issue));
  return request;
}

Result<Cluster> read_cluster(const Json& section) {
  Reading reading;
  ScenarioRequest request;
  read_section(Json{{"cluster", section}}, "cluster", cluster_fields(), request.cluster, reading);
  look_up_hardware(request, reading);
  for (Issue& issue : drop_out_of_range(request)) reading.issues.push_back(std::move(issue));
  if (!reading.issues.empty()) return std::move(reading.issues);
  Cluster cluster = resolve_cluster(request);
  cluster.gpus = request.cluster.gpus.value_or(cluster.gpus_per_node);
  return cluster;
}

}  // namespace meshgauge
