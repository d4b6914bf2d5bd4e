// The commands of the module that pages load: the table of the core, and with it the others, is not linked. Nor are the
// handbook's cases, 14 KB compressed, which the page has as a file of its own.
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/command_table.hpp"
#include "core/io/commands.hpp"
#include "core/io/handbook.hpp"

namespace meshgauge {

std::span<const Command> command_table() {
  static constexpr auto table = std::to_array<Command>({
      {"estimate", estimate_command},
      {"catalog", catalog_command},
      {"describe", describe_command},
  });
  return table;
}

nlohmann::ordered_json handbook_cases() { return nlohmann::ordered_json::array(); }

}  // namespace meshgauge
