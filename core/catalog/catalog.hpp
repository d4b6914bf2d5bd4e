// Known models, GPUs and systems: found by id, alias or Hugging Face repository name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/issue.hpp"
#include "core/scenario/cluster.hpp"
#include "core/scenario/model_shape.hpp"
#include "core/scenario/names.hpp"

namespace meshgauge {

enum class CatalogKind { models, gpus, systems };
MESHGAUGE_NAMES(CatalogKind, "models", "gpus", "systems");

/// An entry as the catalog file has it, all fields and sources included.
struct CatalogEntry {
  std::string_view id;
  std::string json;
};

/// All entries in file order.
[[nodiscard]] std::vector<CatalogEntry> catalog_entries(CatalogKind);
[[nodiscard]] std::vector<std::string_view> catalog_ids(CatalogKind);

/// Exact but for case, owner and release suffixes. No such name: one issue at `path` that names the nearest ids.
[[nodiscard]] Result<CatalogEntry> find_entry(CatalogKind, std::string_view name, std::string_view path);

[[nodiscard]] Result<ModelShape> find_model(std::string_view name, std::string_view path);
[[nodiscard]] Result<Gpu> find_gpu(std::string_view name, std::string_view path);
/// A cluster of one node. Link latencies are left 0: they are the price profile's.
[[nodiscard]] Result<Cluster> find_system(std::string_view name, std::string_view path);

}  // namespace meshgauge
