#include "native/kernels/shapes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/count/flops_ops.hpp"
#include "core/io/read_scenario.hpp"
#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/options.hpp"

namespace meshgauge::harness {
namespace {

std::size_t side_of(std::string_view flag, std::string_view text, std::string_view shape) {
  constexpr std::size_t most = std::size_t{1} << 24U;
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < 1 || value > most) {
    throw BadInput(std::string(flag) + ": " + in_quotes(shape) +
                   " is no shape. Expected: MxNxK, or GROUPS*MxNxK, of whole numbers from 1 to " +
                   number_text(static_cast<std::int64_t>(most)) + '.');
  }
  return value;
}

/// The flag that sets what the core found a problem with.
std::string flag_of(const std::string& path) {
  constexpr auto flags = std::to_array<std::array<std::string_view, 2>>({
      {"/model", "--model"},
      {"/parallelism/tensor_parallel_size", "--tp"},
      {"/parallelism/expert_parallel_size", "--ep"},
      {"/training/micro_batch_size", "--micro-batch"},
      {"/training/sequence_length", "--seq"},
  });
  for (const auto& [known, flag] : flags) {
    if (path.rfind(known, 0) == 0) return std::string(flag);
  }
  return path;
}

Scenario scenario_of(const ModelFlags& flags) {
  constexpr const char* any_gpu = "h100-sxm-80gb";  // a scenario has one, though shapes do not depend on it
  nlohmann::ordered_json document = {
      {"schema_version", 1},
      {"model", flags.model},
      {"cluster", {{"gpu", any_gpu}, {"gpus", flags.tensor_parallel * flags.expert_parallel}}},
      {"parallelism",
       {{"tensor_parallel_size", flags.tensor_parallel}, {"expert_parallel_size", flags.expert_parallel}}},
      {"training", {{"engine", "megatron"}, {"micro_batch_size", flags.micro_batch}}}};
  if (flags.sequence > 0) document["training"]["sequence_length"] = flags.sequence;
  const Result<Resolution> read = read_scenario(document);
  if (read.ok()) return read.value->scenario;
  std::string text;
  for (const Issue& issue : read.issues) {
    text += (text.empty() ? "" : " ") + flag_of(issue.path) + ": " + issue.message;
  }
  throw BadInput(text);
}

std::size_t whole(double value) { return static_cast<std::size_t>(std::llround(value)); }

void add(std::vector<ProductShape>& list, ProductShape shape) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  const auto same = [&](const ProductShape& other) { return other.same_numbers(shape); };
  if (std::none_of(list.begin(), list.end(), same)) list.push_back(std::move(shape));
}

/// Of y = x w the gradients are dx = dy w^T, m x k by depth n, and dw = dy^T x, n x k by depth m.
void add_passes(std::vector<ProductShape>& list, const Op& op) {
  const std::size_t m = whole(op.m), n = whole(op.n), k = whole(op.k), groups = whole(op.groups);
  const std::string id = op.id;
  add(list, {m, n, k, groups, id + " forward"});
  add(list, {m, k, n, groups, id + " input gradient"});
  add(list, {n, k, m, groups, id + " weight gradient"});
}

}  // namespace

std::vector<ProductShape> shapes_of_text(std::string_view flag, const std::string& text) {
  std::vector<ProductShape> list;
  for (const std::string_view shape : parts_of(text, ',')) {
    const std::size_t star = shape.find('*');
    const std::size_t groups = star == std::string_view::npos ? 1 : side_of(flag, shape.substr(0, star), shape);
    const std::vector<std::string_view> sides =
        parts_of(star == std::string_view::npos ? shape : shape.substr(star + 1), 'x');
    if (sides.size() != 3) (void)side_of(flag, "", shape);
    list.push_back(
        {side_of(flag, sides[0], shape), side_of(flag, sides[1], shape), side_of(flag, sides[2], shape), groups, ""});
  }
  return list;
}

std::vector<ProductShape> products_of(const ModelFlags& flags) {
  const Scenario scenario = scenario_of(flags);
  std::vector<ProductShape> products;
  const auto visit = [&](const Op& op) {
    if (op.kind == OpKind::gemm || op.kind == OpKind::grouped_gemm) add_passes(products, op);
  };
  const StageShape stage = whole_model(scenario.model);
  for_each_layer_kind(scenario.model, stage, [&](LayerKind kind, AttentionKind attention, std::int64_t) {
    layer_ops(scenario, kind, attention, visit);
  });
  if (stage.mtp_layers > 0) mtp_ops(scenario, visit);
  head_ops(scenario, visit);
  embedding_ops(scenario, visit);
  return products;
}

std::vector<ProductShape> usual_shapes(bool gpu) {
  std::vector<ProductShape> list;
  for (std::size_t side = gpu ? 512 : 64; side <= (gpu ? 16384U : 2048U); side *= 2)
    add(list, {side, side, side, 1, ""});
  const auto add_linear = [&](std::size_t rows, std::size_t hidden) {
    add(list, {rows, 4 * hidden, hidden, 1, ""});
    add(list, {rows, hidden, 4 * hidden, 1, ""});
    add(list, {4 * hidden, hidden, rows, 1, ""});
  };
  for (const std::size_t hidden :
       gpu ? std::array<std::size_t, 3>{2048, 4096, 8192} : std::array<std::size_t, 3>{256, 768, 1024}) {
    add_linear(gpu ? 8192 : 512, hidden);
  }
  if (!gpu) {  // the sizes of steps that take milliseconds
    for (const std::size_t hidden : {128, 256, 512}) add_linear(128, hidden);
  }
  return list;
}

}  // namespace meshgauge::harness
