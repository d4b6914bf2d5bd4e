// The command `diagnose`: a log in, and out what went wrong. Of an out-of-memory message the tensor, what held the
// device and what would help; of NCCL's words what is wrong, what to set and what to try next.
#include "core/io/diagnose.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/catalog/catalog.hpp"
#include "core/compose/step.hpp"
#include "core/diagnose/candidates.hpp"
#include "core/diagnose/factors.hpp"
#include "core/diagnose/held.hpp"
#include "core/diagnose/out_of_memory.hpp"
#include "core/io/asked_scenario.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/read_value.hpp"
#include "core/io/stage_memory.hpp"
#include "core/io/try_remedies.hpp"
#include "core/io/write_diagnosis.hpp"
#include "core/io/write_nccl.hpp"
#include "core/io/write_scenario.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto request_fields = std::to_array<std::string_view>({"command", "text", "files", "scenario", "profile"});
constexpr std::size_t most_candidates = 8;  ///< of one request

/// What is known of the job: everything, its model, or nothing.
struct Job {  // NOLINT(bugprone-exception-escape): a moved document throws nothing
  std::optional<Resolution> resolution;
  std::optional<Profile> profile;  ///< with a resolution
  std::optional<ModelShape> model;
  Json model_document;
};

bool is_model_alone(const Json& scenario) {
  return std::all_of(scenario.items().begin(), scenario.items().end(), [](const auto& item) {
    return item.key() == "model" || item.key() == "schema_version" ||
           (item.value().is_object() && item.value().empty());
  });
}

/// A model alone is read as one of a scenario on any hardware: no size of a tensor depends on it.
void read_model_alone(const Json& scenario, Job& job, Reading& reading) {
  Json document = scenario;
  document["cluster"] = {{"gpu", catalog_ids(CatalogKind::gpus).front()}};
  document["training"] = {{"engine", "single"}};
  Result<Resolution> resolution = read_scenario(document);
  for (Issue& issue : resolution.issues) reading.issues.push_back(std::move(issue));
  if (resolution.ok()) job.model = std::move(resolution.value->scenario.model);
}

void read_job(const Json& request, Job& job, Reading& reading) {
  std::optional<AskedDocument> asked = read_asked_document(request, reading);
  if (!asked) return;
  Json& document = asked->document;
  if (document.contains("model") && is_model_alone(document)) return read_model_alone(document, job, reading);
  Result<Resolution> resolution = read_scenario(document);
  for (Issue& issue : resolution.issues) reading.issues.push_back(std::move(issue));
  const Cluster cluster = resolution.ok() ? resolution.value->scenario.cluster : Cluster{};
  job.profile = read_asked_profile(request, cluster, reading);
  job.resolution = std::move(resolution.value);
  job.model_document = std::move(document["model"]);
}

/// Tensors of the scenario, or of the model, or of whatever the catalog knows.
void add_candidates(const OutOfMemory& request, std::size_t index, const Job& job, const std::vector<Tensor>& tensors,
                    Json& candidates) {
  const std::size_t before = candidates.size();
  const auto full = [&] { return candidates.size() - before == most_candidates; };
  if (job.resolution) {
    for (const TensorMatch& match : matching(request, tensors)) {
      if (!full()) candidates.push_back(write_match(match, index));
    }
    if (candidates.size() > before) return;
  }
  const ModelShape* model = job.resolution ? &job.resolution->scenario.model : job.model ? &*job.model : nullptr;
  for (const Factorisation& found : model != nullptr ? factorise(request, *model) : factorise(request)) {
    if (!full()) candidates.push_back(write_factorisation(found, index));
  }
}

Json write_estimate(const Job& job) {
  const Scenario& s = job.resolution->scenario;
  const std::vector<StageMemory> stages = all_stages(s, job.profile->overhead);
  return write_need(s, *job.profile, stages[binding_stage(stages)]);
}

Result<Json> diagnose_text(std::string_view text, const Json& request) {
  Reading reading;
  Job job;
  if (request.contains("scenario")) read_job(request, job, reading);
  const OutOfMemoryLog log = read_out_of_memory(text);
  const NcclLog nccl = read_nccl_log(text);
  if (log.requests.empty() && nccl.lines == 0) {
    reading.fail("/text",
                 "There is no out-of-memory message of PyTorch in the text. Expected: \"Tried to allocate 2.00 GiB\" "
                 "or the like. Nor is there a line of NCCL. Expected: what NCCL_DEBUG=INFO prints.");
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  if (log.requests.empty()) {
    return Json{{"ok", true}, {"schema_version", schema_version}, {"kind", "nccl"}, {"nccl", write_nccl(nccl)}};
  }

  Json requests = Json::array(), candidates = Json::array();
  const std::vector<Tensor> tensors = job.resolution ? tensors_of(job.resolution->scenario) : std::vector<Tensor>{};
  for (const OutOfMemory& one : log.requests) {
    add_candidates(one, requests.size(), job, tensors, candidates);
    requests.push_back(write_request(one));
  }
  const OutOfMemory& first = log.requests.front();
  Json answer;
  answer["ok"] = true;
  answer["schema_version"] = schema_version;
  answer["kind"] = "out_of_memory";
  answer["known"] = job.resolution ? "scenario" : job.model ? "model" : "nothing";
  answer["requests"] = std::move(requests);
  answer["further_messages"] = log.left_out;
  answer["candidates"] = std::move(candidates);
  answer["held"] = write_held(first);
  answer["findings"] = write_findings(first);
  answer["estimate"] = job.resolution ? write_estimate(job) : Json(nullptr);
  answer["remedies"] =
      job.resolution ? try_remedies(job.resolution->scenario, job.model_document, *job.profile) : Json::array();
  answer["nccl"] = nccl.lines == 0 ? Json(nullptr) : write_nccl(nccl);
  return answer;
}

}  // namespace

Result<Json> diagnose_files(std::span<const NamedText> files, const Json& request) {
  if (files.size() == 1) return diagnose_text(files[0].text, request);
  std::string joined;
  Json names = Json::array();
  std::int64_t line = 1;
  for (const NamedText& file : files) {
    names.push_back({{"name", file.name}, {"first_line", line}});
    const auto start = static_cast<std::ptrdiff_t>(joined.size());
    joined += file.text;
    if (!joined.empty() && joined.back() != '\n') joined += '\n';
    line += std::count(joined.begin() + start, joined.end(), '\n');
  }
  Result<Json> answer = diagnose_text(joined, request);
  if (answer.ok()) (*answer.value)["files"] = std::move(names);
  return answer;
}

Result<Json> diagnose_command(const Json& request) {
  Reading reading;
  report_unknown_fields(request, "", request_fields, reading);
  std::vector<NamedText> files;
  const auto text = request.find("text");
  if (request.contains("files")) {
    files = read_named_texts(request, reading);
    if (text != request.end()) reading.fail("/text", "text stands beside files. Expected: one of them.");
  } else if (text == request.end() || !text->is_string()) {
    reading.fail("/text", "text is " + (text == request.end() ? "missing" : shown(*text)) +
                              ". Expected: a string, the text that holds the message.");
  } else {
    files.push_back({{}, text->get_ref<const std::string&>()});
  }
  if (!reading.issues.empty()) return std::move(reading.issues);
  return diagnose_files(files, request);
}

}  // namespace meshgauge
