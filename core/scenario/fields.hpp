// The fields of a scenario, once: key, unit, range, default and help. Reading, writing, `describe` and the command
// line's help all walk these tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/scenario/request.hpp"
#include "core/scenario/scenario.hpp"

namespace meshgauge {

inline constexpr std::int64_t schema_version = 1;

struct FieldText {
  std::string_view key = {};
  std::string_view unit = {};      ///< empty: a plain number or a word
  double min = 0, max = 0;         ///< equal: no range
  std::string_view fallback = {};  ///< what an omitted field becomes
  std::string_view help = {};

  [[nodiscard]] constexpr bool ranged() const { return min < max; }
};

/// Upper ends of the ranges. Products of them stay finite in a double.
namespace limit {
inline constexpr double gpus = 1e6;
inline constexpr double pipeline = 1024;  // every stage is listed in the answer
inline constexpr double virtual_pipeline = 128;
inline constexpr double layers = 100000;
inline constexpr double sequence = 1e9;
inline constexpr double micro_batch = 1e6;
inline constexpr double global_batch = 1e9;
inline constexpr double memory = 1e15;
inline constexpr double rate = 1e15;
inline constexpr double seconds = 1;
inline constexpr double usd = 1e6;
inline constexpr double watts = 1e5;
inline constexpr double load_factor = 1e4;
inline constexpr double tokens = 1e18;
inline constexpr double lora_rank = 65536;
inline constexpr double hours = 1e12;
inline constexpr double wait = 1e7;  // seconds, four months
inline constexpr double slowdown = 100;
inline constexpr double power = 10;
inline constexpr double elements = 1e15;
inline constexpr double share = 1;
}  // namespace limit

/// An enumeration in a request, without its type: its words, and how to set the one at an index.
template <class Request>
struct Choice {
  std::span<const std::string_view> names;
  void (*set)(Request&, std::size_t);
};

/// Where a request holds a field.
template <class Request>
using Slot = std::variant<std::optional<std::int64_t> Request::*, std::optional<double> Request::*,
                          std::optional<bool> Request::*, std::optional<std::string> Request::*,
                          std::optional<std::vector<std::int64_t>> Request::*,
                          std::optional<RecomputeRequest> Request::*, Choice<Request>>;

/// What a resolved scenario writes for a field; enumerations as their word.
using Written = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, RecomputeRequest,
                             std::string_view>;

template <class Request>
struct Field {
  FieldText text;
  Slot<Request> slot;
  std::optional<Written> (*written)(const Scenario&);  ///< nothing: the field is left out
};

[[nodiscard]] std::span<const Field<ClusterRequest>> cluster_fields();
[[nodiscard]] std::span<const Field<ParallelismRequest>> parallelism_fields();
[[nodiscard]] std::span<const Field<TrainingRequest>> training_fields();
[[nodiscard]] std::span<const Field<RunRequest>> run_fields();

/// The parts of a recompute object.
inline constexpr FieldText recompute_method_field{.key = "method",
                                                  .fallback = "uniform",
                                                  .help =
                                                      "Full recompute: uniform checkpoints every n layers, block "
                                                      "recomputes the first n layers of each chunk."};
inline constexpr FieldText recompute_layers_field{"layers",      "layers", 1,
                                                  limit::layers, "1",      "Full recompute: the n of the method."};
inline constexpr FieldText recompute_modules_field{
    .key = "modules", .fallback = "core_attention", .help = "Selective recompute: what is dropped in each layer."};

struct RecomputeModule {
  std::string_view name;
  bool RecomputeModules::*flag;
};
inline constexpr auto recompute_modules = std::to_array<RecomputeModule>({
    {"core_attention", &RecomputeModules::core_attention},
    {"layernorm", &RecomputeModules::layernorm},
    {"mlp", &RecomputeModules::mlp},
    {"moe_activation", &RecomputeModules::moe_activation},
    {"mla_up_projection", &RecomputeModules::mla_up_projection},
    {"operators", &RecomputeModules::operators},
});

/// A field as `describe` and help texts show it.
struct FieldInfo {
  std::string path;       ///< JSON pointer
  std::string_view type;  ///< integer, number, boolean, enum, string, array, object
  FieldText text;
  std::vector<std::string_view> options;  ///< of an enum, or of an array's items
};

/// Every field of a scenario document in order.
[[nodiscard]] std::vector<FieldInfo> scenario_fields();

}  // namespace meshgauge
