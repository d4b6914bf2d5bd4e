#include "core/search/exclusions.hpp"

#include <algorithm>

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// The search alone asks for this: groups that lie unevenly over nodes are legal, but none has a reason to be.
void check_node(const Scenario& s, Findings& findings) {
  const std::int64_t t = s.parallelism.tensor, node = s.cluster.gpus_per_node;
  if (s.cluster.nodes() == 1 || node % t == 0 || t % node == 0) return;
  findings.add(path::tensor, "tensor_parallel_size " + number_text(t) + " lies unevenly over nodes of " +
                                 number_text(node) + " GPUs. Set a divisor or a multiple of " + number_text(node) +
                                 '.');
}

constexpr Rule node_rule{"node_size", "tensor-parallel groups fill nodes evenly", Dimension::tensor, check_node};

}  // namespace

Exclusions::Exclusions() {
  for_each_rule([&](const Rule& rule) { rules_.push_back({.rule = rule}); });
  rules_.push_back({.rule = node_rule});
}

bool Exclusions::keeps(Dimension dimension, const Scenario& s) {
  bool keeps = true;
  for (Counted& counted : rules_) {
    if (counted.rule.last != dimension) continue;
    Findings findings;
    counted.rule.check(s, findings);
    if (findings.none()) continue;
    if (counted.count == 0) counted.first = std::move(findings).take().front();
    ++counted.count;
    keeps = false;
  }
  return keeps;
}

std::vector<Exclusion> Exclusions::list() const {
  std::vector<Exclusion> list;
  for (const Counted& c : rules_) {
    if (c.count > 0) list.push_back({c.rule.id, c.rule.text, c.count, c.first});
  }
  std::stable_sort(list.begin(), list.end(), [](const Exclusion& a, const Exclusion& b) { return a.count > b.count; });
  return list;
}

Issues Exclusions::broken(Dimension dimension, const Scenario& s) {
  Findings findings;
  for_each_rule([&](const Rule& rule) {
    if (rule.last == dimension) rule.check(s, findings);
  });
  return std::move(findings).take();
}

}  // namespace meshgauge
