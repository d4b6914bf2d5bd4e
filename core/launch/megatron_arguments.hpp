// The argument array of a Megatron-LM job, and the model's part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/launch/configurations.hpp"
#include "core/launch/launch.hpp"

namespace meshgauge::launch {

/// Words of one argument array, a line for each flag.
struct MegatronArguments {
  std::string text;

  void section(std::string_view name) { text += "\n  # " + std::string(name) + '\n'; }
  void flag(std::string_view name) { text += "  --" + std::string(name) + '\n'; }
  void flag(std::string_view name, const std::string& value) {
    text += "  --" + std::string(name) + ' ' + value + '\n';
  }
  void flag(std::string_view name, std::int64_t value) { flag(name, std::to_string(value)); }
  void flag_if(bool on, std::string_view name) {
    if (on) flag(name);
  }
  void above_one(std::string_view name, std::int64_t value) {
    if (value > 1) flag(name, value);
  }
};

/// What of a model pretrain_gpt.py cannot do, and what it does not say.
void check_megatron_model(const ModelShape&, Findings&);
[[nodiscard]] Issues megatron_model_warnings(const ModelShape&);
void add_megatron_model(const Scenario&, MegatronArguments&);

}  // namespace meshgauge::launch
