#include "core/io/command_table.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/io/commands.hpp"

namespace meshgauge {

std::span<const Command> command_table() {
  static constexpr auto table = std::to_array<Command>({
      {"estimate", estimate_command},
      {"plan", plan_command},
      {"advise", advise_command},
      {"solve", solve_command},
      {"validate", validate_command},
      {"calibrate", calibrate_command},
      {"band", band_command},
      {"check", check_command},
      {"diagnose", diagnose_command},
      {"import", import_command},
      {"launch", launch_command},
      {"read_config", read_config_command},
      {"groups", groups_command},
      {"batch", batch_command},
      {"catalog", catalog_command},
      {"curve", curve_command},
      {"describe", describe_command},
      {"detail", detail_command},
  });
  return table;
}

}  // namespace meshgauge
