#include "core/diagnose/held.hpp"

#include <algorithm>
#include <string_view>

#include "core/diagnose/candidates.hpp"
#include "core/scenario/rounding.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

constexpr double large_share = 0.1;                  ///< of the device: fragmentation worth a word, other processes too
constexpr double print_noise = 0.02 * 1073741824.0;  ///< sums of amounts that are rounded to 0.01 GiB

double value_of(const std::optional<PrintedBytes>& amount) { return amount ? amount->bytes : 0; }

/// What the process that failed holds, context included. In a container it does not know its own number: it is then
/// the smallest process that can hold what PyTorch reserved.
std::optional<double> own_use(const OutOfMemory& request) {
  const double reserved = value_of(request.allocated) + value_of(request.unallocated);
  std::optional<double> own;
  for (const ProcessUse& process : request.processes) {
    if (!process.id) return process.bytes.bytes;
    const bool can_be = process.bytes.bytes + print_noise >= reserved;
    if (can_be && (!own || process.bytes.bytes < *own)) own = process.bytes.bytes;
  }
  return own;
}

/// What the message says of processes other than this one.
double others_named(const OutOfMemory& request) {
  double named = 0;
  for (const ProcessUse& process : request.processes) named += process.bytes.bytes;
  return std::max(0.0, named - own_use(request).value_or(0));
}

double held_by(const std::vector<HeldPart>& parts, std::string_view id) {
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const HeldPart& one) { return one.id == id; });
  return part == parts.end() ? 0 : part->bytes.value;
}

}  // namespace

std::vector<HeldPart> held_parts(const OutOfMemory& request) {
  std::vector<HeldPart> parts;
  const auto add = [&](const char* id, const char* name, double bytes) {
    if (bytes > 0) parts.push_back({id, name, {bytes}});
  };
  const double allocated = value_of(request.allocated), pools = value_of(request.private_pools);
  const double unallocated = value_of(request.unallocated), reserved = allocated + unallocated;
  add("tensors", "Tensors", allocated - pools);
  add("private_pools", "Private pools (CUDA graphs)", pools);
  add("unallocated", "Reserved by PyTorch, in no tensor", unallocated);
  if (request.capacity && request.free) {
    const double used = request.capacity->bytes - request.free->bytes;
    const std::optional<double> own = own_use(request);
    const double mine = std::min(own.value_or(reserved), used);
    if (request.allocated) {
      add("outside", "CUDA context, NCCL and libraries", mine - reserved);
    } else {
      add("process", "This process, not told by what", mine - reserved);
    }
    const double others = std::min(others_named(request), used - mine);
    if (others > print_noise) add("others", "Other processes", others);
    const double unnamed = used - mine - others;
    if (unnamed > print_noise) add("unnamed", "In use, not told by what", unnamed);
    add("free", "Free", request.free->bytes);
  }
  return parts;
}

std::string size_words(double bytes) {
  struct Unit {
    double bytes;
    const char* name;
  };
  for (const Unit& unit : {Unit{1073741824, " GiB"}, Unit{1048576, " MiB"}, Unit{1024, " KiB"}}) {
    if (bytes >= unit.bytes) return number_text(round_significant(bytes / unit.bytes, 3)) + unit.name;
  }
  return number_text(bytes) + " bytes";
}

std::vector<Finding> findings(const OutOfMemory& request) {
  std::vector<Finding> list;
  const double asked = request.requested.bytes, free = value_of(request.free);
  const double unallocated = value_of(request.unallocated), capacity = value_of(request.capacity);
  if (request.accelerator == Accelerator::cpu) {
    list.push_back({"host_memory", "The request is for host memory, not for memory of a GPU."});
  }
  if (request.capacity && asked > capacity) {
    list.push_back(
        {"larger_than_device", "The request alone is larger than the device: freeing other memory cannot help."});
  }
  if (is_small_segment(request)) {
    list.push_back({"small_segment", "PyTorch asks for " + size_words(asked) +
                                         " for any small tensor: the device was full before, and this size names no "
                                         "tensor."});
  }
  const bool large = capacity > 0 && unallocated > large_share * capacity;
  const bool enough = request.free && unallocated + free >= asked && unallocated > print_noise && asked <= capacity;
  if (large || enough) {
    list.push_back({"fragmentation", size_words(unallocated) +
                                         " is reserved by PyTorch but in no tensor: fragmentation. Set "
                                         "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."});
    if (enough) {
      list.push_back({"fragmentation_decides", "Free and unallocated memory together would have held the request."});
    }
  }
  const std::vector<HeldPart> parts = held_parts(request);
  const auto worth_a_word = [&](double bytes) {
    return bytes > print_noise && (bytes > large_share * capacity || bytes + free >= asked);
  };
  if (const double others = held_by(parts, "others"); worth_a_word(others)) {
    list.push_back(
        {"other_processes", "Other processes hold " + size_words(others) + " of this device. nvidia-smi lists them."});
  }
  if (const double unnamed = held_by(parts, "unnamed"); worth_a_word(unnamed)) {
    list.push_back({"unnamed", "The message does not say what holds " + size_words(unnamed) +
                                   " of this device: this process or others. nvidia-smi lists them."});
  }
  if (request.allowed) {
    list.push_back({"memory_limit", "This process may hold no more than " + size_words(request.allowed->bytes) +
                                        " of the device: a limit that the program sets."});
  }
  if (request.private_pools) {
    list.push_back({"private_pools", size_words(request.private_pools->bytes) +
                                         " is in private pools: CUDA graphs keep it from other tensors."});
  }
  if (request.free && free >= asked && !request.allowed) {
    list.push_back({"was_free",
                    "More was free than asked for: another process or rank may have taken it meanwhile, or "
                    "the free memory is not in one piece."});
  }
  return list;
}

}  // namespace meshgauge
