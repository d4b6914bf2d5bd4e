#include "native/harness/model.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/io/parse.hpp"
#include "core/io/read_profile.hpp"
#include "core/io/read_scenario.hpp"
#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

std::string first_message(const Issues& issues) { return issues.empty() ? "" : issues.front().message; }

}  // namespace

std::optional<Model> model_of(const Runtime& runtime) {
  const CommonOptions& options = runtime.options;
  const bool named = !options.system.empty() || !options.gpu.empty();
  const bool cpu = !named && !runtime.device->is_gpu();
  if (cpu && options.profile.empty()) return std::nullopt;
  nlohmann::ordered_json section = {{"gpus", runtime.size}};
  if (!options.system.empty()) {
    section["system"] = options.system;
  } else {
    section["gpu"] = named ? options.gpu : cpu ? std::string(cpu_id) : runtime.device->name();
    section["gpus_per_node"] = runtime.local_size;
  }
  Result<Cluster> cluster = read_cluster(section);
  if (!cluster.ok()) {
    if (named) throw BadInput((options.system.empty() ? "--gpu: " : "--system: ") + first_message(cluster.issues));
    return std::nullopt;
  }
  Profile profile = default_profile(*cluster.value);
  if (options.profile.empty()) return Model{std::move(*cluster.value), std::move(profile)};
  std::ifstream file(options.profile, std::ios::binary);
  if (!file) throw BadInput("--profile " + in_quotes(options.profile) + " cannot be read.");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<nlohmann::ordered_json> document = parse_json(text);
  if (!document.ok()) throw BadInput("--profile " + in_quotes(options.profile) + ": " + first_message(document.issues));
  Result<Profile> measured = read_profile(*document.value, "", std::move(profile));
  if (!measured.ok()) throw BadInput("--profile " + in_quotes(options.profile) + ": " + first_message(measured.issues));
  return Model{std::move(*cluster.value), std::move(*measured.value)};
}

}  // namespace meshgauge::harness
