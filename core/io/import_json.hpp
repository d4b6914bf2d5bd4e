// Importers of JSON: results of meshgauge-bench, and what nccl-tests writes with -J.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "core/calibrate/import/importer.hpp"

namespace meshgauge {

struct JsonImporter {
  std::string_view id;
  bool (*recognises)(const nlohmann::ordered_json&);
  void (*read)(const nlohmann::ordered_json&, const KnownPlace&, Imported&);
};

extern const JsonImporter bench_results;
extern const JsonImporter nccl_tests_json;

/// Those above; a new one is declared there and entered in the table of import.cpp.
[[nodiscard]] std::span<const JsonImporter* const> json_importers();

/// Members as they are, or what stands in for them where they are missing or of another type.
[[nodiscard]] double number_in(const nlohmann::ordered_json& object, std::string_view key, double fallback = 0);
/// Whole numbers from 0 to 2^53.
[[nodiscard]] std::int64_t count_in(const nlohmann::ordered_json& object, std::string_view key);
[[nodiscard]] std::string text_in(const nlohmann::ordered_json& object, std::string_view key);
[[nodiscard]] bool flag_in(const nlohmann::ordered_json& object, std::string_view key);
/// An empty list or object where there is none.
[[nodiscard]] const nlohmann::ordered_json& child_of(const nlohmann::ordered_json& object, std::string_view key);

}  // namespace meshgauge
