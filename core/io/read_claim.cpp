// A claim about a training run as a request states it.
#include "core/io/read_claim.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/catalog/catalog.hpp"
#include "core/claim/judge.hpp"
#include "core/count/flops.hpp"
#include "core/count/parameters.hpp"
#include "core/io/parse.hpp"
#include "core/io/read_scenario.hpp"
#include "core/io/read_value.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double smallest = 1e-9;

constexpr auto numbers = std::to_array<ClaimField>({
    {{"parameters", "", 1, 1e18, "the model's", "Parameters of the model."}, Fact::parameters},
    {{"active_parameters", "", 1, 1e18, "all",
      "Parameters that one token touches: fewer than all in a mixture of experts."},
     Fact::active_parameters},
    {{"tokens", "tokens", 1, limit::tokens, "none", "Tokens that are trained on, repetitions included."}, Fact::tokens},
    {{"gpus", "GPUs", 1, limit::gpus, "none", "GPUs of the job."}, Fact::gpus},
    {{"days", "days", smallest, 1e6, "none", "Length of the run."}, Fact::days},
    {{"hours", "hours", smallest, 1e7, "none", "Length of the run."}, Fact::days, 1.0 / 24},
    {{"gpu_hours", "GPU hours", smallest, 1e13, "none", "GPUs times hours."}, Fact::gpu_hours},
    {{"tokens_per_second", "tokens/s", smallest, 1e15, "none", "Rate of the whole job."}, Fact::tokens_per_second},
    {{"tokens_per_second_per_gpu", "tokens/s", smallest, 1e12, "none", "Rate of one GPU."},
     Fact::tokens_per_second_per_gpu},
    {{"tflops_per_gpu", "TFLOP/s", smallest, 1e9, "none", "Rate of one GPU."}, Fact::tflops_per_gpu},
    {{"mfu", "", smallest, 10, "none", "Model FLOPs over the dense peak, as a share: 0.4 for 40 %."}, Fact::mfu},
});

constexpr FieldText precision_text{.key = "precision",
                                   .fallback = "bf16; fp16, else fp32, where the GPU has none",
                                   .help = "Number format of the matrix products."};
constexpr FieldText sequence_text{"sequence_length",
                                  "tokens",
                                  1,
                                  limit::sequence,
                                  "attention is left out",
                                  "Tokens of one sequence: with a model, attention is counted too."};
constexpr auto words = std::to_array<FieldText>({
    {.key = "model", .fallback = "none", .help = "Model of the catalog, or its config.json: gives the parameters."},
    {.key = "gpu", .fallback = "the system's", .help = "GPU of the catalog."},
    {.key = "system", .fallback = "none", .help = "Server type of the catalog: gives the GPU."},
    precision_text,
    sequence_text,
});

void read_numbers(const Json& request, StatedClaim& stated, Reading& reading) {
  std::array<std::string_view, fact_count> said{};
  for (const ClaimField& field : numbers) {
    const auto value = request.find(field.text.key);
    if (value == request.end()) continue;
    const std::string path = '/' + std::string(field.text.key);
    std::optional<double> number;
    if (field.fact == Fact::gpus) {
      const auto whole = integer_in_range(*value, field.text, path, reading);
      if (whole) number = static_cast<double>(*whole);
    } else {
      number = number_in_range(*value, field.text, path, reading);
    }
    if (!number) continue;
    const auto i = static_cast<std::size_t>(field.fact);
    if (!said[i].empty()) {
      reading.fail(path,
                   std::string(field.text.key) + " is given beside " + std::string(said[i]) + ". Keep one of them.");
      continue;
    }
    said[i] = field.text.key;
    stated.claim.given[i] = *number * field.scale;
  }
}

/// The GPU by either name.
void read_gpu(const Json& request, StatedClaim& stated, Reading& reading) {
  constexpr std::size_t longest_name = 200;
  const auto name_at = [&](const char* key) -> std::optional<std::string> {
    const auto value = request.find(key);
    if (value == request.end()) return std::nullopt;
    const FieldText text{.key = key};
    auto name = read_string(*value, text, std::string("/") + key, reading);
    if (name && name->size() > longest_name) name->resize(longest_name);  // no name is as long
    return name;
  };
  const auto gpu = name_at("gpu"), system = name_at("system");
  if (gpu && system) {
    return reading.fail("/gpu",
                        "gpu is " + in_quotes(*gpu) + " beside system " + in_quotes(*system) + ". Keep one of them.");
  }
  const auto add = [&](Issues issues) { reading.issues.insert(reading.issues.end(), issues.begin(), issues.end()); };
  if (gpu) {
    Result<Gpu> found = find_gpu(*gpu, "/gpu");
    add(found.issues);
    stated.gpu = std::move(found.value);
  } else if (system) {
    Result<Cluster> found = find_system(*system, "/system");
    add(found.issues);
    if (found.ok()) stated.gpu = std::move(found.value->gpu);
  }
}

void read_words(const Json& request, StatedClaim& stated, Reading& reading) {
  read_gpu(request, stated, reading);
  if (request.contains("model")) stated.model = read_model(request, reading);
  if (const auto value = request.find("sequence_length"); value != request.end()) {
    const auto number = integer_in_range(*value, sequence_text, "/sequence_length", reading);
    stated.sequence = static_cast<double>(number.value_or(0));
  }
  if (stated.gpu && stated.gpu->bf16.value == 0) {
    stated.precision = stated.gpu->fp16.value > 0 ? Precision::fp16 : Precision::fp32;
  }
  if (const auto value = request.find("precision"); value != request.end()) {
    const auto choice = read_choice(*value, precision_text, all_names<Precision>(), "/precision", reading);
    if (choice) stated.precision = static_cast<Precision>(*choice);
  }
}

/// What a known model says itself.
void take_model(StatedClaim& stated) {
  auto& given = stated.claim.given;
  const auto parameters = static_cast<std::size_t>(Fact::parameters);
  stated.stated_parameters = given[parameters];
  given[parameters] = total_parameters(*stated.model);
  auto& active = given[static_cast<std::size_t>(Fact::active_parameters)];
  if (!active) active = active_parameters(*stated.model);
  if (stated.sequence == 0) return;
  Scenario one;
  one.model = *stated.model;
  one.training.sequence_length = static_cast<std::int64_t>(stated.sequence);
  const StepFlops::Token token = step_flops(one).token;
  stated.claim.shape = {.matrices = token.matrices, .causal_core = token.causal_core};
}

void check_together(StatedClaim& stated, Reading& reading) {
  const auto& given = stated.claim.given;
  const auto all = given[static_cast<std::size_t>(Fact::parameters)];
  const auto active = given[static_cast<std::size_t>(Fact::active_parameters)];
  if (all && active && *active > *all) {
    reading.fail("/active_parameters", "active_parameters is " + number_text(*active) + ". Allowed: at most the " +
                                           number_text(*all) + " parameters of the model.");
  }
  if (stated.sequence > 0 && !stated.model) {
    stated.warnings.push_back(
        {"/sequence_length", "sequence_length has no effect without a model: attention needs its shape."});
  }
}

/// Nothing follows from too little; a list of what would do helps more than an empty answer.
void check_enough(const StatedClaim& stated, Reading& reading) {
  const Consequences all = consequences_of(stated.claim);
  const bool news = std::any_of(all.derived.begin(), all.derived.end(), [](const Derived& d) {
    return d.fact != Fact::active_parameters && d.fact != Fact::flops_per_token;
  });
  if (news) return;
  reading.fail("",
               "Nothing follows from what is given. Give more: parameters or model, a gpu, and two of tokens, gpus "
               "with days, tokens_per_second, tflops_per_gpu and mfu.");
}

}  // namespace

std::span<const ClaimField> claim_numbers() { return numbers; }
std::span<const FieldText> claim_words() { return words; }

Result<StatedClaim> read_claim(const Json& request) {
  Reading reading;
  StatedClaim stated;
  std::vector<std::string_view> known{"command"};
  for (const ClaimField& field : numbers) known.push_back(field.text.key);
  for (const FieldText& text : words) known.push_back(text.key);
  report_unknown_fields(request, "", known, reading);
  read_numbers(request, stated, reading);
  read_words(request, stated, reading);
  if (stated.model) take_model(stated);
  check_together(stated, reading);
  if (stated.gpu) stated.claim.peak_tflops = ceiling_of(*stated.gpu, stated.precision).peak_tflops;
  if (reading.issues.empty()) check_enough(stated, reading);
  if (!reading.issues.empty()) return std::move(reading.issues);
  return stated;
}

}  // namespace meshgauge
