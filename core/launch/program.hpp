// The programs in plain Python: what of a scenario they can do, and their settings.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/launch/launch.hpp"
#include "core/launch/settings.hpp"

namespace meshgauge::launch {

/// Fields that settings.py says, whatever wraps the model.
inline constexpr auto program_fields = std::to_array<std::string_view>({"/parallelism/data_parallel_size",
                                                                        "/training/engine",
                                                                        "/training/engine_version",
                                                                        "/training/precision",
                                                                        "/training/optimizer",
                                                                        "/training/sequence_length",
                                                                        "/training/micro_batch_size",
                                                                        "/training/global_batch_size",
                                                                        "/training/recompute",
                                                                        "/training/attention",
                                                                        "/training/kernels",
                                                                        "/training/tokens",
                                                                        "/training/expandable_segments",
                                                                        "/training/peft",
                                                                        "/training/objective",
                                                                        "/training/loss",
                                                                        "/training/dropout",
                                                                        "/training/optimizer_offload",
                                                                        "/training/parameter_offload",
                                                                        "/parallelism/zero_stage"});

/// Those and what a target carries of its own.
template <class... Own>
constexpr auto program_fields_and(Own... own) {
  std::array<std::string_view, std::size(program_fields) + sizeof...(own)> fields{own...};
  std::copy(std::begin(program_fields), std::end(program_fields), fields.begin() + sizeof...(own));
  return fields;
}

/// What model.py and its loops cannot do. `precisions` and `optimizers` are those of the target.
void check_program(const Scenario&, std::span<const Precision> precisions, std::span<const Optimizer> optimizers,
                   Findings&);

/// settings.py, model.py and the file of the loop, which is `path`.
[[nodiscard]] std::vector<LaunchFile> program_files(const Scenario&, std::string_view path);

/// What of the model is left out in model.py.
[[nodiscard]] Issues program_warnings(const Scenario&);

/// Steps of the run; 100 if its length is not said.
[[nodiscard]] std::int64_t steps_of(const Scenario&);
/// Of an example to begin with, written where a target asks for one.
inline constexpr std::string_view learning_rate = "3.0e-4";

/// An error on one field: "precision is fp8, which ... Allowed: ...".
void reject(std::string_view pointer, std::string_view value, std::span<const std::string_view> allowed,
            Findings& findings);

template <class Enum>
void allow_only(std::string_view pointer, Enum value, std::span<const Enum> allowed, Findings& findings) {
  std::vector<std::string_view> names;
  for (const Enum one : allowed) {
    if (one == value) return;
    names.push_back(name_of(one));
  }
  reject(pointer, name_of(value), names, findings);
}

}  // namespace meshgauge::launch
