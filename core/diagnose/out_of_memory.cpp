#include "core/diagnose/out_of_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/diagnose/squeeze.hpp"

namespace meshgauge {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t longest_message = 900;  ///< squeezed
constexpr std::size_t longest_lead = 400;     ///< of the text before "Tried to allocate" that belongs to it
constexpr std::size_t longest_traceback = 8192;
constexpr std::string_view tried = "Triedtoallocate";  ///< squeezed; the CPU's allocator does not start a sentence

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_with(std::string_view text, std::string_view head) { return text.substr(0, head.size()) == head; }

struct Unit {
  std::string_view name;
  double bytes;
};
// MPS writes GB and means 2^30 (aten/src/ATen/mps/MPSAllocator.mm format_size).
constexpr auto units = std::to_array<Unit>({{"bytes", 1},
                                            {"KiB", 1024},
                                            {"MiB", 1048576},
                                            {"GiB", 1073741824},
                                            {"TiB", 1099511627776},
                                            {"KB", 1024},
                                            {"MB", 1048576},
                                            {"GB", 1073741824},
                                            {"byte", 1}});

/// The amount at the head of squeezed text.
std::optional<PrintedBytes> amount_at(std::string_view text) {
  constexpr std::size_t most_digits = 15;
  double digits = 0, unit_of_last = 1;
  std::size_t i = 0, count = 0;
  bool fraction = false;
  for (; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      if (++count > most_digits) return std::nullopt;
      digits = 10 * digits + (text[i] - '0');
      if (fraction) unit_of_last *= 10;
    } else if (text[i] == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  if (count == 0) return std::nullopt;
  for (const Unit& unit : units) {
    if (!starts_with(text.substr(i), unit.name)) continue;
    const double half = unit.bytes > 1 ? unit.bytes / unit_of_last / 2 : 0;
    return PrintedBytes{digits / unit_of_last * unit.bytes, half};
  }
  return std::nullopt;
}

std::optional<PrintedBytes> amount_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == npos ? std::nullopt : amount_at(text.substr(at + words.size()));
}

/// Where the amount begins that ends at `end`.
std::size_t amount_start(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at > 0 && ((text[at - 1] >= 'a' && text[at - 1] <= 'z') || (text[at - 1] >= 'A' && text[at - 1] <= 'Z'))) --at;
  while (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) --at;
  return at;
}

std::optional<PrintedBytes> amount_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == npos ? std::nullopt : amount_at(text.substr(amount_start(text, at)));
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == npos) return std::nullopt;
  std::int64_t number = 0;
  std::size_t count = 0;
  for (std::size_t i = at + words.size(); i < text.size() && is_digit(text[i]) && count < 10; ++i, ++count) {
    number = 10 * number + (text[i] - '0');
  }
  return count > 0 ? std::optional(number) : std::nullopt;
}

/// "Process 123 has 75.89 GiB memory in use." and "this process has ...", as often as they come.
std::vector<ProcessUse> processes_in(std::string_view text) {
  constexpr std::string_view in_use = "memoryinuse";
  constexpr std::size_t most = 32;
  std::vector<ProcessUse> processes;
  for (std::size_t at = text.find(in_use); at != npos && processes.size() < most; at = text.find(in_use, at + 1)) {
    const std::size_t start = amount_start(text, at);
    const auto bytes = amount_at(text.substr(start));
    const std::size_t name = text.substr(0, start).rfind("rocess");
    if (!bytes || name == npos) continue;
    processes.push_back({number_after(text.substr(name, start - name), "rocess"), *bytes});
  }
  return processes;
}

/// By the words nearest before the message, which may follow another one.
Accelerator accelerator_of(std::string_view message, std::string_view lead) {
  if (starts_with(message, "tried")) return Accelerator::cpu;
  struct Name {
    std::string_view words;
    Accelerator accelerator;
  };
  constexpr auto names = std::to_array<Name>({{"CUDAoutofmemory", Accelerator::cuda},
                                              {"HIPoutofmemory", Accelerator::hip},
                                              {"XPUoutofmemory", Accelerator::xpu},
                                              {"MPSbackendoutofmemory", Accelerator::mps}});
  Accelerator nearest = Accelerator::cuda;
  std::size_t last = 0;
  for (const Name& name : names) {
    const std::size_t at = lead.rfind(name.words);
    if (at == npos || at < last) continue;
    last = at;
    nearest = name.accelerator;
  }
  return nearest;
}

/// Wordings: c10/cuda/CUDACachingAllocator.cpp of 1.0 ("cached"), 1.4 ("reserved in total"), 2.1 ("total
/// capacty", "reserved by PyTorch but unallocated"); c10/xpu/XPUCachingAllocator.cpp;
/// c10/cuda/CUDAMallocAsyncAllocator.cpp; c10/core/CPUAllocator.
OutOfMemory read_message(std::string_view message, std::string_view lead, const PrintedBytes& requested) {
  OutOfMemory found;
  found.requested = requested;
  found.accelerator = accelerator_of(message, lead);
  const auto first = [](std::optional<PrintedBytes> a, std::optional<PrintedBytes> b) { return a ? a : b; };
  found.device = number_after(message, "GPU");
  found.capacity = first(first(amount_after(message, "totalcapacityof"), amount_after(message, "totalcapactyof")),
                         amount_before(message, "totalcapacity;"));
  found.free = first(amount_before(message, "isfree."), amount_before(message, "free;"));
  found.allowed = amount_before(message, "allowed;");
  found.allocated = first(amount_before(message, "isallocatedbyPyTorch"), amount_before(message, "alreadyallocated"));
  found.private_pools = amount_before(message, "allocatedinprivatepools");
  found.unallocated = amount_before(message, "isreservedbyPyTorchbutunallocated");
  const auto reserved = first(amount_before(message, "reservedintotal"), amount_before(message, "cached)"));
  if (!found.unallocated && reserved && found.allocated) {
    found.unallocated =
        PrintedBytes{std::max(0.0, reserved->bytes - found.allocated->bytes), reserved->half + found.allocated->half};
  }
  found.processes = processes_in(message);
  found.rounded_by_allocator = found.accelerator != Accelerator::cpu && found.accelerator != Accelerator::mps;
  if (found.accelerator == Accelerator::mps) {
    found.allocated = amount_after(lead, "MPSallocated:");
    found.allowed = amount_after(lead, "maxallowed:");
  }
  if (starts_with(message, "Allocationondevice")) {  // cudaMallocAsync takes the tensor's size as it is
    found.rounded_by_allocator = false;
    found.device = number_after(message, "Allocationondevice");
    found.allocated = amount_after(message, "Currentlyallocated:");
    found.capacity = amount_after(message, "Devicelimit:");
    found.free = amount_after(message, "Free(accordingtoCUDA):");
  }
  return found;
}

struct Frame {
  std::string_view words;
  AllocationPlace place;
};
constexpr auto frames = std::to_array<Frame>({
    {"cross_entropy", AllocationPlace::loss},
    {"log_softmax", AllocationPlace::loss},
    {"logsumexp", AllocationPlace::loss},
    {"lm_head", AllocationPlace::loss},
    {"logits", AllocationPlace::loss},
    {"CrossEntropy", AllocationPlace::loss},
    {"scaled_dot_product", AllocationPlace::attention},
    {"attn_weights", AllocationPlace::attention},
    {"attention_scores", AllocationPlace::attention},
    {"attention_probs", AllocationPlace::attention},
    {"matmul_result", AllocationPlace::attention},
    {"self_attn", AllocationPlace::attention},
    {"self_attention", AllocationPlace::attention},
    {"core_attention", AllocationPlace::attention},
    {"gate_proj", AllocationPlace::mlp},
    {"up_proj", AllocationPlace::mlp},
    {"down_proj", AllocationPlace::mlp},
    {"act_fn", AllocationPlace::mlp},
    {".mlp", AllocationPlace::mlp},
    {"all_gather", AllocationPlace::gather},
    {"allgather", AllocationPlace::gather},
    {"_unshard", AllocationPlace::gather},
    {"_alloc_storage", AllocationPlace::gather},
    {"fetch_sub_module", AllocationPlace::gather},
    {"optimizer.step", AllocationPlace::optimizer},
    {"_multi_tensor_", AllocationPlace::optimizer},
    {"_single_tensor_", AllocationPlace::optimizer},
    {"_foreach_", AllocationPlace::optimizer},
    {"exp_avg", AllocationPlace::optimizer},
    {"initialize_optimizer_states", AllocationPlace::optimizer},
    {"fp32_groups", AllocationPlace::optimizer},
    {"from_pretrained", AllocationPlace::load},
    {"load_state_dict", AllocationPlace::load},
    {".to(device", AllocationPlace::load},
});

AllocationPlace place_of(std::string_view traceback) {
  AllocationPlace place = AllocationPlace::unknown;
  std::size_t nearest = 0;
  for (const Frame& frame : frames) {
    const std::size_t at = traceback.rfind(frame.words);
    if (at == npos || (place != AllocationPlace::unknown && at < nearest)) continue;
    nearest = at;
    place = frame.place;
  }
  return place;
}

/// Of the line that holds `at`: "[rank3]:", "[default3]:", "3: ".
std::optional<std::int64_t> rank_of(std::string_view text, std::size_t at) {
  constexpr std::size_t longest_head = 200;
  const std::size_t line = text.substr(0, at).rfind('\n');
  const std::size_t start = line == npos ? 0 : line + 1;
  const std::string_view head = text.substr(start, std::min(at - start, longest_head));
  if (const auto rank = number_after(head, "[rank")) return rank;
  if (const auto rank = number_after(head, "[default")) return rank;
  std::size_t digits = 0;
  while (digits < head.size() && is_digit(head[digits])) ++digits;
  return digits > 0 && head.substr(digits, 2) == ": " ? number_after(head, "") : std::nullopt;
}

/// Position of the next word that a message starts with.
std::size_t next_anchor(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find_first_of("TtA", from); at != npos; at = text.find_first_of("TtA", at + 1)) {
    const std::string_view rest = text.substr(at);
    if (starts_with(rest, "Tried") || starts_with(rest, "tried") || starts_with(rest, "Allocation on")) return at;
  }
  return npos;
}

void add_message(std::string_view text, std::size_t at, std::size_t end, OutOfMemoryLog& log) {
  const std::string squeezed_message = squeezed(text, at, end, longest_message);
  const std::string_view message = squeezed_message;
  std::optional<PrintedBytes> requested;
  if (starts_with(message, "Allocationondevice")) {
    requested = amount_after(message, "Requested:");
  } else if (message.substr(0, tried.size()).substr(1) == tried.substr(1)) {
    requested = amount_at(message.substr(tried.size()));
  }
  if (!requested) return;
  const bool host = message[0] == 't';
  auto same = std::find_if(log.requests.begin(), log.requests.end(), [&](const OutOfMemory& other) {
    return other.requested == *requested && (other.accelerator == Accelerator::cpu) == host;
  });
  if (same != log.requests.end()) {
    ++same->messages;
  } else if (log.requests.size() < most_requests) {
    const std::string lead = squeezed(text, at - std::min(at, longest_lead), at, longest_lead);
    log.requests.push_back(read_message(message, lead, *requested));
    const std::size_t traceback = std::min(at, longest_traceback);
    same = log.requests.end() - 1;
    same->place = place_of(text.substr(at - traceback, traceback));
  } else {
    ++log.left_out;
    return;
  }
  const auto rank = rank_of(text, at);
  std::vector<std::int64_t>& ranks = same->ranks;
  if (rank && ranks.size() < most_ranks && std::find(ranks.begin(), ranks.end(), *rank) == ranks.end()) {
    ranks.push_back(*rank);
  }
}

}  // namespace

OutOfMemoryLog read_out_of_memory(std::string_view text) {
  OutOfMemoryLog log;
  for (std::size_t at = next_anchor(text, 0); at != npos;) {
    const std::size_t next = next_anchor(text, at + 1);
    add_message(text, at, next, log);
    at = next;
  }
  return log;
}

}  // namespace meshgauge
