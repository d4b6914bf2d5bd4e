// A collective or a kernel that was timed alone, as a line of JSON Lines.
#include "core/io/read_timing.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/io/parse.hpp"

namespace meshgauge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double most = 1e15;
constexpr FieldText seconds_field{"seconds", "seconds", 1e-9, 1e6, "", "One call."};
constexpr FieldText floor_field{"floor_seconds", "seconds", 0, 1, "0", "Least time that the test can show."};
constexpr FieldText operation_field{.key = "operation", .help = "The collective."};
constexpr FieldText bytes_field{"bytes", "bytes", 0, most, "", "As nccl-tests counts them."};
constexpr FieldText ranks_field{"ranks", "ranks", 2, limit::gpus, "", "Ranks of the group."};
constexpr FieldText per_node_field{"ranks_per_node", "ranks", 1, limit::gpus, "ranks", "Those in one node."};
constexpr FieldText op_field{.key = "op", .help = "What the kernel computes."};

/// Reads the members of one object; what no reader asked for is unknown.
class Members {
 public:
  Members(const Json& object, std::string path, Reading& reading)
      : object_(object), path_(std::move(path)), reading_(reading) {}

  template <class Set>
  void number(const FieldText& field, bool needed, Set set) {
    const Json* value = find(field, needed);
    if (value == nullptr) return;
    const auto number = number_in_range(*value, field, child_path(path_, field.key), reading_);
    if (number) set(*number);
  }
  void size(std::string_view key, double& slot) {
    number({key, "", 1, most, "", ""}, false, [&](double value) { slot = value; });
  }
  void flag(std::string_view key, bool& slot) {
    const FieldText field{.key = key};
    const Json* value = find(field, false);
    if (value != nullptr) slot = read_boolean(*value, field, child_path(path_, key), reading_).value_or(slot);
  }
  template <class Enum>
  void choice(const FieldText& field, bool needed, Enum& slot) {
    const Json* value = find(field, needed);
    if (value == nullptr) return;
    const auto choice = read_choice(*value, field, all_names<Enum>(), child_path(path_, field.key), reading_);
    if (choice) slot = static_cast<Enum>(*choice);
  }
  void report_others() {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        report_unknown(key, path_, known_, {}, reading_);
    }
  }

 private:
  const Json* find(const FieldText& field, bool needed) {
    known_.push_back(field.key);
    const auto found = object_.find(field.key);
    if (found != object_.end()) return &*found;
    if (needed) {
      reading_.fail(child_path(path_, field.key), std::string(field.key) + " is missing. The line needs it.");
    }
    return nullptr;
  }

  const Json& object_;
  std::string path_;
  Reading& reading_;
  std::vector<std::string_view> known_;
};

CollectiveCall read_collective(Members members) {
  CollectiveCall call;
  members.choice(operation_field, true, call.collective);
  members.number(bytes_field, true, [&](double value) { call.bytes = value; });
  members.number(ranks_field, true, [&](double value) { call.route.size = static_cast<std::int64_t>(value); });
  call.route.per_node = call.route.size;
  members.number(per_node_field, false, [&](double value) { call.route.per_node = static_cast<std::int64_t>(value); });
  members.report_others();
  return call;
}

KernelCall read_kernel(Members members) {
  KernelCall call;
  members.choice(op_field, true, call.op);
  members.choice({.key = "format", .help = "Of a product's operands."}, false, call.format);
  members.choice({.key = "pass", .help = "Of a grouped product."}, false, call.pass);
  members.choice({.key = "attention", .help = "Whose kernel."}, false, call.attention);
  members.size("m", call.m);
  members.size("n", call.n);
  members.size("k", call.k);
  members.size("groups", call.groups);
  members.size("batch", call.batch);
  members.size("heads", call.heads);
  members.size("kv_heads", call.kv_heads);
  members.size("head_dim", call.head_width);
  members.size("sequence", call.sequence);
  members.size("bytes", call.bytes);
  members.flag("causal", call.causal);
  members.flag("paged", call.paged);
  members.flag("block_scaled", call.block_scaled);
  members.flag("quantises_input", call.quantises_input);
  members.flag("sustained", call.sustained);
  members.report_others();
  return call;
}

/// The object at `key`, or none and an issue.
const Json* section(const Json& document, std::string_view key, const std::string& path, Reading& reading) {
  const auto found = document.find(key);
  const std::string at = child_path(path, key);
  if (found == document.end()) {
    reading.fail(at, std::string(key) + " is missing. Expected: an object.");
    return nullptr;
  }
  return expect_object(*found, key, at, reading) ? &*found : nullptr;
}

/// What each op cannot do without.
void check_kernel(const KernelCall& call, const std::string& path, Reading& reading) {
  const auto need = [&](double value, const char* key) {
    if (value <= 0) reading.fail(child_path(path, key), std::string(key) + " is missing. The line needs it.");
  };
  switch (call.op) {
    case KernelOp::gemm:
    case KernelOp::gemm_backward:
    case KernelOp::grouped_gemm:
      need(call.m, "m");
      need(call.n, "n");
      need(call.k, "k");
      break;
    case KernelOp::attention_forward:
    case KernelOp::attention_backward:
    case KernelOp::attention_both:
      need(call.heads, "heads");
      need(call.head_width, "head_dim");
      need(call.sequence, "sequence");
      break;
    case KernelOp::elementwise:
    case KernelOp::norm:
    case KernelOp::copy:
      need(call.bytes, "bytes");
      break;
    case KernelOp::optimizer:
      need(call.m, "m");
      break;
  }
}

}  // namespace

Timing read_timing(const Json& document, bool collective, const std::string& path, Reading& reading) {
  constexpr auto known = std::to_array<std::string_view>(
      {"id", "source", "family", "kind", "cluster", "collective", "kernel", "measured", "notes"});
  report_unknown_fields(document, path, known, reading);
  Timing timing;
  const std::string_view name = collective ? "collective" : "kernel";
  if (const Json* call = section(document, name, path, reading)) {
    const std::string at = child_path(path, name);
    if (collective) {
      timing.call = read_collective({*call, at, reading});
    } else {
      const KernelCall kernel = read_kernel({*call, at, reading});
      if (reading.issues.empty()) check_kernel(kernel, at, reading);
      timing.call = kernel;
    }
  }
  if (const Json* measured = section(document, "measured", path, reading)) {
    Members members(*measured, child_path(path, "measured"), reading);
    members.number(seconds_field, true, [&](double value) { timing.measured = {value}; });
    members.number(floor_field, false, [&](double value) { timing.floor = {value}; });
    members.report_others();
  }
  (void)section(document, "cluster", path, reading);
  return timing;
}

}  // namespace meshgauge
