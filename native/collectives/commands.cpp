#include "native/collectives/commands.hpp"

#include "native/collectives/flags.hpp"
#include "native/collectives/sweep.hpp"

namespace meshgauge::harness {

int run_collective(std::string_view name, std::span<const std::string> arguments) {
  const Operation op = *from_name<Operation>(name);
  CollectiveFlags flags;
  if (const auto status = read_collective_flags(op, arguments, flags)) return *status;
  return with_ranks(flags.common, [&](Runtime& runtime) { return Sweep(runtime, op, flags).run(); });
}

}  // namespace meshgauge::harness
