#include "native/collectives/sweep.hpp"

namespace meshgauge::harness {
namespace {

/// The members of the world that give the same colour, in order.
Membership join_by_colour(Runtime& runtime, int colour) {
  Membership member;
  const std::vector<std::string> colours = runtime.gather(std::to_string(colour));
  std::vector<int> nodes;
  std::vector<std::string> seen;
  for (std::size_t r = 0; r < colours.size(); ++r) {
    if (colours[r] == std::to_string(colour)) nodes.push_back(runtime.node_of[r]);
    if (std::find(seen.begin(), seen.end(), colours[r]) == seen.end()) seen.push_back(colours[r]);
  }
  member.split = runtime.world->split(colour, runtime.rank);
  member.group = member.split.get();
  member.colour = colour;
  member.groups = static_cast<int>(seen.size());
  member.route = route_of(nodes);
  return member;
}

}  // namespace

Membership join_group(Runtime& runtime, const CollectiveFlags& flags) {
  const Grouping grouping = grouping_of(flags.split, runtime.size);
  const std::optional<int> colour = colour_of_environment(runtime.rank);
  if (flags.split.empty() && !colour) {
    Membership all;
    all.group = runtime.world.get();
    all.grouping = grouping;
    all.route = route_of(runtime.node_of);
    return all;
  }
  Membership member = join_by_colour(runtime, flags.split.empty() ? *colour : grouping.colour(runtime.rank));
  member.grouping = grouping;
  member.takes_part = !flags.one_group || member.colour == 0;
  return member;
}

}  // namespace meshgauge::harness
