#include "native/kernels/gpu.hpp"

#include "core/catalog/catalog.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {

std::optional<Gpu> gpu_of(const Runtime& runtime) {
  const CommonOptions& options = runtime.options;
  if (!options.system.empty()) {
    Result<Cluster> found = find_system(options.system, "--system");
    if (!found.ok()) throw BadInput("--system: " + found.issues.front().message);
    return found.value->gpu;
  }
  const bool named = !options.gpu.empty();
  if (!named && !runtime.device->is_gpu()) return std::nullopt;
  Result<Gpu> found = find_gpu(named ? options.gpu : runtime.device->name(), "--gpu");
  if (!found.ok() && named) throw BadInput("--gpu: " + found.issues.front().message);
  return found.value;
}

}  // namespace meshgauge::harness
