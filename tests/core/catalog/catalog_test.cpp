// The catalog: its files as a whole, and finding entries by the names that people use.
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/catalog/embedded.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

using nlohmann::json;

std::string id_of(CatalogKind kind, std::string_view name) {
  const Result<CatalogEntry> entry = find_entry(kind, name, "/x");
  return entry.ok() ? std::string(entry.value->id) : entry.issues.at(0).message;
}
std::string model(std::string_view name) { return id_of(CatalogKind::models, name); }
std::string gpu(std::string_view name) { return id_of(CatalogKind::gpus, name); }
std::string system(std::string_view name) { return id_of(CatalogKind::systems, name); }

std::string_view file_of(CatalogKind kind) {
  return kind == CatalogKind::models ? embedded::models_json
         : kind == CatalogKind::gpus ? embedded::gpus_json
                                     : embedded::systems_json;
}

constexpr std::array all_kinds{CatalogKind::models, CatalogKind::gpus, CatalogKind::systems};

}  // namespace

TEST_CASE("Reading a catalog line by line finds what parsing the whole file finds") {
  constexpr std::array<std::size_t, 3> expected{185, 48, 64};
  for (const CatalogKind kind : all_kinds) {
    const json file = json::parse(file_of(kind));
    const std::vector<CatalogEntry> entries = catalog_entries(kind);
    CHECK(entries.size() >= expected[static_cast<std::size_t>(kind)]);
    REQUIRE(entries.size() == file["entries"].size());
    REQUIRE(catalog_ids(kind).size() == entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      CHECK(entries[i].id == file["entries"][i]["id"].get<std::string>());
      CHECK(catalog_ids(kind)[i] == entries[i].id);
    }
  }
}

TEST_CASE("Every catalog entry carries its sources in full") {
  for (const CatalogKind kind : all_kinds) {
    for (const CatalogEntry& entry : catalog_entries(kind)) {
      INFO(entry.json);
      const json object = json::parse(entry.json, nullptr, false);
      REQUIRE(object.is_object());
      REQUIRE_FALSE(object["source"].empty());
      for (const json& source : object["source"].is_array() ? object["source"] : json::array({object["source"]})) {
        const auto text = source.get<std::string>();
        CHECK(text.size() > 6);
        CHECK(text.find('{') == std::string::npos);
      }
    }
  }
}

TEST_CASE("The sources table of a catalog file has no entry that nothing refers to") {
  for (const CatalogKind kind : all_kinds) {
    const std::string_view file = file_of(kind);
    const json parsed = json::parse(file);
    for (const auto& [key, text] : parsed["sources"].items()) {
      INFO(key);
      CHECK(file.find("{" + key + "}") != std::string_view::npos);
      CHECK_FALSE(text.get<std::string>().empty());
    }
  }
}

TEST_CASE("No two catalog entries answer to the same name") {
  for (const CatalogKind kind : all_kinds) {
    std::set<std::string> names;
    const json file = json::parse(file_of(kind));
    for (const json& entry : file["entries"]) {
      CHECK(names.insert(entry["id"].get<std::string>()).second);
      if (!entry.contains("aliases")) continue;
      for (const json& alias : entry["aliases"]) {
        INFO(alias);
        CHECK(names.insert(alias.get<std::string>()).second);
        CHECK(id_of(kind, alias.get<std::string>()) == entry["id"].get<std::string>());
      }
    }
  }
}

TEST_CASE("Models are found by Hugging Face repository names") {
  CHECK(model("meta-llama/Llama-2-7b-hf") == "llama-2-7b");
  CHECK(model("meta-llama/Llama-2-70b-chat-hf") == "llama-2-70b");
  CHECK(model("meta-llama/Meta-Llama-3-8B-Instruct") == "llama-3-8b");
  CHECK(model("meta-llama/Llama-3.1-405B") == "llama-3.1-405b");
  CHECK(model("meta-llama/Llama-4-Scout-17B-16E-Instruct") == "llama-4-scout");
  CHECK(model("huggyllama/llama-7b") == "llama-7b");
  CHECK(model("Qwen/Qwen2.5-7B") == "qwen2.5-7b");
  CHECK(model("Qwen/Qwen3-235B-A22B-Instruct-2507") == "qwen3-235b-a22b");
  CHECK(model("Qwen/Qwen1.5-MoE-A2.7B-Chat") == "qwen1.5-moe-a2.7b");
  CHECK(model("mistralai/Mistral-7B-v0.1") == "mistral-7b");
  CHECK(model("mistralai/Mistral-7B-Instruct-v0.3") == "mistral-7b-v0.3");
  CHECK(model("mistralai/Mixtral-8x7B-v0.1") == "mixtral-8x7b");
  CHECK(model("mistralai/Mixtral-8x7B-Instruct-v0.1") == "mixtral-8x7b");
  CHECK(model("mistralai/Mistral-Nemo-Instruct-2407") == "mistral-nemo-12b");
  CHECK(model("deepseek-ai/DeepSeek-V3") == "deepseek-v3");
  CHECK(model("deepseek-ai/DeepSeek-V3-0324") == "deepseek-v3");
  CHECK(model("deepseek-ai/deepseek-moe-16b-base") == "deepseek-moe-16b");
  CHECK(model("moonshotai/Kimi-K2-Instruct-0905") == "kimi-k2");
  CHECK(model("google/gemma-3-27b-it") == "gemma-3-27b");
  CHECK(model("google-bert/bert-base-uncased") == "bert-base");
  CHECK(model("google-t5/t5-base") == "t5-base");
  CHECK(model("google/vit-large-patch16-224") == "vit-l-16");
  CHECK(model("EleutherAI/gpt-neox-20b") == "gpt-neox-20b");
  CHECK(model("EleutherAI/pythia-6.9b-deduped") == "pythia-6.9b");
  CHECK(model("openai-community/gpt2-xl") == "gpt2-1.5b");
  CHECK(model("bigscience/bloom") == "bloom-176b");
  CHECK(model("allenai/OLMo-2-1124-13B-Instruct") == "olmo2-13b");
  CHECK(model("microsoft/Phi-3-mini-4k-instruct") == "phi-3-mini");
  CHECK(model("tiiuae/falcon-180B") == "falcon-180b");
  CHECK(model("THUDM/chatglm3-6b") == "chatglm3-6b");
  CHECK(model("zai-org/GLM-4.5-Air") == "glm-4.5-air");
  CHECK(model("CohereForAI/c4ai-command-r-v01") == "command-r-35b");
  CHECK(model("databricks/dbrx-base") == "dbrx");
  CHECK(model("openai/gpt-oss-20b") == "gpt-oss-20b");
  CHECK(model("MiniMaxAI/MiniMax-Text-01") == "minimax-text-01");
}

TEST_CASE("The repository that an entry's sources name finds the entry") {
  int found = 0;
  for (const CatalogEntry& entry : catalog_entries(CatalogKind::models)) {
    constexpr std::string_view before = "mirrors HF ";
    const std::size_t at = entry.json.find(before);
    if (at == std::string::npos) continue;
    const std::string repository =
        entry.json.substr(at + before.size(), entry.json.find(' ', at + before.size()) - at - before.size());
    INFO(repository);
    CHECK(model(repository) == entry.id);
    ++found;
  }
  CHECK(found >= 50);
}

TEST_CASE("Models are found by short names, without regard to case") {
  CHECK(model("gpt2") == "gpt2-124m");
  CHECK(model("llama-1-7b") == "llama-7b");
  CHECK(model("LLaMA-7B") == "llama-7b");
  CHECK(model("llama_2_7b") == "llama-2-7b");
  CHECK(model("VIT-BIGG-14") == "vit-bigG-14");
}

TEST_CASE("GPUs are found by short names and by the names that drivers report") {
  CHECK(gpu("h100") == "h100-sxm-80gb");
  CHECK(gpu("a100-80gb") == "a100-sxm-80gb");
  CHECK(gpu("b200") == "b200-sxm-180gb");
  CHECK(gpu("NVIDIA A100-SXM4-40GB") == "a100-sxm-40gb");
  CHECK(gpu("NVIDIA A100 80GB PCIe") == "a100-pcie-80gb");
  CHECK(gpu("NVIDIA H100 80GB HBM3") == "h100-sxm-80gb");
  CHECK(gpu("NVIDIA H100 PCIe") == "h100-pcie-80gb");
  CHECK(gpu("Tesla V100-SXM2-32GB") == "v100-sxm2-32gb");
  CHECK(gpu("NVIDIA GeForce RTX 4090") == "rtx-4090");
  CHECK(gpu("NVIDIA RTX 6000 Ada Generation") == "rtx-6000-ada");
  CHECK(gpu("AMD Instinct MI300X") == "mi300x");
  CHECK(gpu("NVIDIA GH200 480GB") == "gh200-96gb");
}

TEST_CASE("Systems are found by the provider's instance names") {
  CHECK(system("DGX H100") == "dgx-h100");
  CHECK(system("p5.48xlarge") == "aws-p5.48xlarge");
  CHECK(system("Standard_ND96isr_H100_v5") == "azure-nd96isr-h100-v5");
  CHECK(system("a3-megagpu-8g") == "gcp-a3-megagpu-8g");
  CHECK(system("BM.GPU.H100.8") == "oci-bm.gpu.h100.8");
}

TEST_CASE("A name that can only mean one entry finds it, however its words are joined or cut short") {
  CHECK(model("llama3-8b") == "llama-3-8b");
  CHECK(model("meta-llama/Meta-Llama-3-8B") == "llama-3-8b");
  CHECK(model("EleutherAI/gpt-j-6B") == "gpt-j-6b");
  CHECK(model("FacebookAI/roberta-base") == "roberta-base");
  CHECK(model("facebook/opt-350m") == "opt-350m");
  CHECK(model("google/flan-t5-xl") == "flan-t5-xl");
  CHECK(model("microsoft/phi-1_5") == "phi-1.5");
  CHECK(model("qwen3-235b") == "qwen3-235b-a22b");
  CHECK(model("kimi") == "kimi-k2");
  CHECK(system("dgxh100") == "dgx-h100");
  CHECK(system("gb200") == "gb200-nvl72");
  CHECK(model("opt-1").starts_with("unknown model"));
  CHECK(gpu("rtx-6000").starts_with("unknown GPU"));  // the RTX 6000 of Turing is not that of Ada
}

TEST_CASE("A name that several entries begin with, or contain, is answered with those") {
  CHECK(model("bert") == "unknown model \"bert\"; did you mean \"bert-base\" or \"bert-large\"?");
  CHECK(model("t5") ==
        "unknown model \"t5\"; did you mean \"t5-small\", \"t5-base\", \"t5-large\", \"t5-3b\", \"t5-11b\", "
        "\"flan-t5-base\", \"flan-t5-large\", \"flan-t5-xl\" or \"flan-t5-xxl\"?");
  CHECK(model("phi-3") == "unknown model \"phi-3\"; did you mean \"phi-3-mini\", \"phi-3-small\" or \"phi-3-medium\"?");
  CHECK(model("llama3").find("did you mean \"llama-3-8b\", \"llama-3-70b\", \"llama-3.1-8b\"") != std::string::npos);
  CHECK(model("llama").find("\"llama-4-scout\" or \"llama-4-maverick\"?") != std::string::npos);  // the newest
  CHECK(system("h100").find("did you mean \"dgx-h100\", \"hgx-h100\", ") != std::string::npos);
}

TEST_CASE("An unknown name is answered with the nearest known ones") {
  CHECK(model("lama3-8b") == "unknown model \"lama3-8b\"; did you mean \"llama-3-8b\"?");
  CHECK(model("Qwen/Qwen2.5-8B") ==
        "unknown model \"Qwen/Qwen2.5-8B\"; did you mean \"qwen2.5-3b\" or \"qwen2.5-7b\"?");
  CHECK(gpu("h101") == "unknown GPU \"h101\"; did you mean \"h100-sxm-80gb\"?");
  CHECK(system("dgx-h10") == "unknown system \"dgx-h10\"; did you mean \"dgx-h100\"?");
}

TEST_CASE("A name like no other gets no suggestion, however long or empty it is") {
  CHECK(model("wombat") == "unknown model \"wombat\"; the catalog has none with a similar name");
  CHECK(model("") == "unknown model \"\"; the catalog has none with a similar name");
  CHECK(gpu("x") == "unknown GPU \"x\"; the catalog has none with a similar name");
  const std::string message = model(std::string(1'000'000, 'a'));
  CHECK(message.size() < 200);
  const Result<ModelShape> result = find_model("wombat", "/model");
  REQUIRE(result.issues.size() == 1);
  CHECK(result.issues[0].path == "/model");
}

TEST_CASE("A model's entry says in words what its count rests on") {
  for (const CatalogEntry& entry : catalog_entries(CatalogKind::models)) {
    INFO(entry.id);
    const json object = json::parse(entry.json);
    const auto basis = object["params_basis"].get<std::string>();
    CHECK(basis.starts_with("counted from the shape; "));
    const bool equal = basis.find("equal to the published number") != std::string::npos;
    CHECK((!equal || object["published"]["precision"] == "exact"));
    CHECK((!equal || !object["published"].contains("mismatch")));
  }
}

TEST_CASE("A GPU's datasheet becomes rates in base units") {
  const Result<Gpu> h100 = find_gpu("h100-sxm-80gb", "/cluster/gpu");
  REQUIRE(h100.ok());
  // NVIDIA H100 datasheet: 989.4 dense BF16 TFLOP/s, 3.35 TB/s, NVLink 900 GB/s both ways, PCIe 5 x16, 700 W.
  CHECK(h100.value->bf16.value == Approx(989.4e12));
  CHECK(h100.value->fp8.value == Approx(1978.9e12));
  CHECK(h100.value->hbm.value == Approx(3350e9));
  CHECK(h100.value->nvlink.value == Approx(450e9));
  CHECK(h100.value->pcie.value == Approx(63e9));
  CHECK(h100.value->power_watts == 700);
  CHECK(h100.value->multiprocessors == 132);
  CHECK(h100.value->memory.value == Approx(79.11 * 1073741824));  // device query, openxla/xla h100_sxm.txtpb
  CHECK(h100.value->architecture == "Hopper");
  CHECK(h100.value->source.find("h100_sxm.txtpb") != std::string::npos);
}

TEST_CASE("Every GPU has memory, a bandwidth and a 16-bit rate, and only what the format supports") {
  for (const std::string_view id : catalog_ids(CatalogKind::gpus)) {
    INFO(id);
    const Result<Gpu> found = find_gpu(id, "/x");
    REQUIRE(found.ok());
    CHECK(found.value->id == id);
    CHECK(found.value->memory.value >= 14e9);
    CHECK(found.value->hbm.value >= 300e9);
    CHECK(std::max(found.value->fp16.value, found.value->bf16.value) >= 20e12);
    CHECK(found.value->measured_bf16.value <= found.value->bf16.value);
  }
  CHECK(find_gpu("v100", "/x").value->bf16.value == 0);
  CHECK(find_gpu("a100", "/x").value->fp8.value == 0);
  CHECK(find_gpu("mi300x", "/x").value->nvlink.value == Approx(448e9));  // Infinity Fabric
}

TEST_CASE("A system becomes one node with its links and price") {
  const Result<Cluster> p5 = find_system("aws-p5.48xlarge", "/cluster/system");
  REQUIRE(p5.ok());
  CHECK(p5.value->gpu.id == "h100-sxm-80gb");
  CHECK(p5.value->gpus == 8);
  CHECK(p5.value->gpus_per_node == 8);
  CHECK(p5.value->intra_topology == "nvswitch");
  CHECK(p5.value->inter_type == "EFA");
  CHECK(p5.value->intra.bandwidth.value == Approx(450e9));
  CHECK(p5.value->inter.bandwidth.value == Approx(50e9));  // 3,200 Gb/s a node
  CHECK(p5.value->intra.latency.value == 0);
  REQUIRE(p5.value->usd_per_gpu_hour);
  CHECK(*p5.value->usd_per_gpu_hour == Approx(6.88));
  CHECK(p5.value->source.find("on-demand list") != std::string::npos);
  CHECK(p5.value->source.find("2026-11-09") != std::string::npos);
}

TEST_CASE("Every system names a known GPU and both links") {
  for (const std::string_view id : catalog_ids(CatalogKind::systems)) {
    INFO(id);
    const Result<Cluster> found = find_system(id, "/x");
    REQUIRE(found.ok());
    CHECK(found.value->system == id);
    CHECK_FALSE(found.value->gpu.id.empty());
    CHECK(found.value->intra.bandwidth.value > 10e9);
    CHECK(found.value->inter.bandwidth.value > 0.1e9);
    CHECK(found.value->intra.bandwidth.value >= found.value->inter.bandwidth.value);
  }
}

}  // namespace meshgauge
