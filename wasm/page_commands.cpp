// The commands of the module that pages load: the table of the core, and with it the others, is not linked. Nor are the
// handbook's cases, 14 KB compressed, which the page has as a file of its own, nor what reads measured tables: no page
// has a measured profile without the module that calibrates.
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/command_table.hpp"
#include "core/io/commands.hpp"
#include "core/io/handbook.hpp"
#include "core/io/profile_tables.hpp"

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

Result<nlohmann::ordered_json> find_case(std::string_view /*id*/, std::string_view path) {
  return Issues{{std::string(path), "No handbook."}};
}

void read_profile_table(std::string_view key, const nlohmann::ordered_json& /*value*/, const std::string& path,
                        MeasuredTables& /*tables*/, Reading& reading) {
  reading.fail(path, std::string(key) + " needs meshgauge-all.wasm.");
}

}  // namespace meshgauge
