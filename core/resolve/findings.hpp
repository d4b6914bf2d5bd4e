// Collects what is wrong with a scenario, less what merely follows from fields that could not be read.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/issue.hpp"

namespace meshgauge {

/// JSON pointers of the fields that rules speak of.
namespace path {
inline constexpr const char* model = "/model";
inline constexpr const char* hardware = "/cluster/gpu";  ///< system or gpu, whichever was named
inline constexpr const char* gpus = "/cluster/gpus";
inline constexpr const char* gpus_per_node = "/cluster/gpus_per_node";
inline constexpr const char* memory = "/cluster/memory_bytes";
inline constexpr const char* inter_rate = "/cluster/inter_node_bytes_per_second";
inline constexpr const char* tensor = "/parallelism/tensor_parallel_size";
inline constexpr const char* sequence_parallel = "/parallelism/sequence_parallel";
inline constexpr const char* pipeline = "/parallelism/pipeline_parallel_size";
inline constexpr const char* virtual_pipeline = "/parallelism/virtual_pipeline_size";
inline constexpr const char* schedule = "/parallelism/pipeline_schedule";
inline constexpr const char* stage_layers = "/parallelism/stage_layers";
inline constexpr const char* pipeline_layout = "/parallelism/pipeline_layout";
inline constexpr const char* context = "/parallelism/context_parallel_size";
inline constexpr const char* context_kind = "/parallelism/context_parallel_kind";
inline constexpr const char* expert = "/parallelism/expert_parallel_size";
inline constexpr const char* expert_tensor = "/parallelism/expert_tensor_parallel_size";
inline constexpr const char* data = "/parallelism/data_parallel_size";
inline constexpr const char* zero_stage = "/parallelism/zero_stage";
inline constexpr const char* reshard = "/parallelism/reshard_after_forward";
inline constexpr const char* engine = "/training/engine";
inline constexpr const char* engine_version = "/training/engine_version";
inline constexpr const char* replicas = "/parallelism/data_parallel_replicate_size";
inline constexpr const char* micro_batch_group = "/parallelism/micro_batch_group_size";
inline constexpr const char* peft = "/training/peft";
inline constexpr const char* optimizer_offload = "/training/optimizer_offload";
inline constexpr const char* hpz = "/training/zero_hpz_partition_size";
inline constexpr const char* quantized_weights = "/training/zero_quantized_weights";
inline constexpr const char* quantized_gradients = "/training/zero_quantized_gradients";
inline constexpr const char* precision = "/training/precision";
inline constexpr const char* gradient_dtype = "/training/gradient_dtype";
inline constexpr const char* sequence = "/training/sequence_length";
inline constexpr const char* micro_batch = "/training/micro_batch_size";
inline constexpr const char* global_batch = "/training/global_batch_size";
inline constexpr const char* recompute = "/training/recompute";
inline constexpr const char* attention = "/training/attention";
inline constexpr const char* load_factor = "/training/moe_load_factor";
}  // namespace path

class Findings {
 public:
  /// `unread`: pointers of what was given but could not be read; a section stands for all its fields.
  explicit Findings(std::span<const std::string> unread = {}) : unread_(unread) {}

  /// Whether all of these fields hold what the user meant, so that a rule on them says something new.
  [[nodiscard]] bool known(std::initializer_list<const char*> paths) const {
    if (unread_.empty()) return true;
    for (const std::string_view path : paths) {
      for (const std::string_view bad : unread_) {
        const bool inside = path.size() > bad.size() && path.substr(0, bad.size()) == bad && path[bad.size()] == '/';
        if (path == bad || inside) return false;
      }
    }
    return true;
  }
  void add(std::string path, std::string message) { issues_.push_back({std::move(path), std::move(message)}); }
  [[nodiscard]] bool none() const { return issues_.empty(); }
  [[nodiscard]] Issues take() && { return std::move(issues_); }

 private:
  std::span<const std::string> unread_;
  Issues issues_;
};

}  // namespace meshgauge
