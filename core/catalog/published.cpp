// Training runs whose speed was published.
#include "core/catalog/published.hpp"

#include "core/catalog/embedded.hpp"
#include "core/catalog/json_text.hpp"
#include "core/catalog/lines.hpp"

namespace meshgauge {

std::vector<PublishedRun> published_runs() {
  std::vector<PublishedRun> runs;
  for_each_entry(embedded::published_json, [&](const EntryLine& line) {
    const std::string text = expand_sources(embedded::published_json, line.json);
    const JsonText entry{text};
    PublishedRun run;
    run.id = entry.at("id").string();
    run.name = entry.at("name").string();
    run.gpu = entry.at("gpu").string();
    run.precision = from_name<Precision>(entry.at("precision").string()).value_or(Precision::bf16);
    run.parameters = entry.at("parameters_b").number() * giga;
    run.active_parameters = entry.at("active_b").number() * giga;
    run.gpus = entry.at("gpus").number();
    run.sequence = entry.at("sequence").number();
    run.tokens_per_second_per_gpu = entry.at("tokens_per_second_per_gpu").number();
    run.mfu_six_n = entry.at("mfu_six_n").number();
    run.mfu_causal = entry.at("mfu_causal").number();
    run.source = entry.at("source").string();
    runs.push_back(std::move(run));
  });
  return runs;
}

}  // namespace meshgauge
