#include "core/diagnose/factors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/catalog/catalog.hpp"
#include "core/count/parameters.hpp"
#include "core/count/stage.hpp"

namespace meshgauge {
namespace {

constexpr double likely_of_one = 0.02;   ///< most chance of a tensor of the model that was named
constexpr double likely_of_many = 0.01;  ///< of the some hundred vocabularies and sizes of the catalog
constexpr double most_units = 16777216;
constexpr double roundest = 4096;           ///< numbers of tokens that are rounder are no likelier
constexpr std::size_t most_models = 3;      ///< named for one vocabulary
constexpr std::size_t most_of_catalog = 6;  ///< tensors

struct Solution {
  double units = 0;
  double chance = 0;
};

/// The roundest whole number of units whose bytes are in the range. Of numbers that are no rounder, one in
/// `granularity` units would be in a range of a unit: the chance.
std::optional<Solution> solve(const SizeRange& range, double bytes_per_unit) {
  const double low = std::max(1.0, std::ceil(range.low / bytes_per_unit));
  const double high = std::floor(range.high / bytes_per_unit);
  if (high < low || high > most_units) return std::nullopt;
  double granularity = 1;
  while (granularity < roundest && std::ceil(low / (2 * granularity)) * 2 * granularity <= high) granularity *= 2;
  const double width = (range.high - range.low) / bytes_per_unit;
  return Solution{std::ceil(low / granularity) * granularity, width / granularity};
}

class Collector {
 public:
  Collector(const OutOfMemory& request, std::string models, double most_chance)
      : request_(request), range_(possible_sizes(request)), models_(std::move(models)), most_chance_(most_chance) {}

  /// `unit` elements for each of an unknown number that the formula calls `symbol`.
  void solved(const LineText& text, AllocationPlace place, double unit, const char* symbol,
              const std::vector<Value>& values) {
    for (const double w : {2.0, 4.0}) {
      const auto solution = unit > 0 ? solve(range_, w * unit) : std::nullopt;
      if (!solution || solution->chance > most_chance_) continue;
      std::vector<Value> all = values;
      all.push_back({symbol, solution->units});
      keep(text, place, w, solution->units * unit * w, std::move(all), solution->chance);
    }
  }
  /// A size that nothing is unknown of but the number of ranks it is cut over.
  void fixed(const LineText& text, AllocationPlace place, double elements, double ranks,
             const std::vector<Value>& values) {
    for (const double w : {2.0, 4.0}) {
      const double bytes = w * elements / ranks;
      if (!range_.holds(bytes)) continue;
      const double chance = (range_.high - range_.low) / bytes * ranks;
      keep(text, place, w, bytes, values, chance);
    }
  }

  std::vector<Factorisation> found;

 private:
  void keep(const LineText& text, AllocationPlace place, double w, double bytes, std::vector<Value> values,
            double chance) {
    values.push_back({"w", w});
    const Closeness closeness = bytes == request_.requested.bytes ? Closeness::exact : Closeness::rounded;
    std::string name = std::string(text.name) + (w == 2 ? ", 16 bit" : ", fp32");
    found.push_back({{text.id, std::move(name), text.formula, text.source, place, 0, bytes, std::move(values)},
                     closeness,
                     models_,
                     chance});
  }

  const OutOfMemory& request_;
  SizeRange range_;
  std::string models_;
  double most_chance_;
};

/// Numbers of ranks that parameters are cut over.
constexpr std::int64_t most_ranks = 1024;

void add_parameters(const ModelShape& model, bool cut, Collector& out) {
  const double M = total_parameters(model);
  out.fixed({"model", "All parameters, or their gradients, in one flat copy", "M * w", "shape of the model"},
            AllocationPlace::optimizer, M, 1, {{"M", M}});
  if (!cut) return;
  for (std::int64_t ranks = 2; ranks <= most_ranks; ranks *= 2) {
    const auto d = static_cast<double>(ranks);
    out.fixed({"model_partition", "A rank's flat partition of all parameters", "M / d * w",
               "ZeRO, arXiv:1910.02054 section 3"},
              AllocationPlace::optimizer, M, d, {{"M", M}, {"d", d}});
  }
}

void add_logits(double vocab, Collector& out) {
  out.solved({"logits", "Logits, or a copy or gradient of them", "T * V * w",
              "torch.nn.functional.cross_entropy: fp32 copy, log-softmax, gradient"},
             AllocationPlace::loss, vocab, "T", {{"V", vocab}});
}

void add_embedding(const ModelShape& model, Collector& out) {
  const auto V = static_cast<double>(model.vocab), e = static_cast<double>(model.token_width());
  out.fixed({"embedding", "Embedding or head, its gathered copy or gradient", "V * e * w", "shape of the model"},
            AllocationPlace::gather, V * e, 1, {{"V", V}, {"e", e}});
}

/// b a s^2: only its product is known; the longest sequence of the model's that gives whole sequences is shown.
void add_scores(const OutOfMemory& request, const ModelShape& model, Collector& out) {
  const auto a = static_cast<double>(model.heads);
  if (!(a > 0)) return;
  constexpr std::int64_t shortest = 256;
  std::int64_t length = shortest;
  while (2 * length <= std::max<std::int64_t>(model.max_sequence, 4096)) length *= 2;
  const SizeRange range = possible_sizes(request);
  for (; length >= shortest; length /= 2) {
    const auto s = static_cast<double>(length);
    const auto found = solve(range, 2 * a * s * s);
    if (!found) continue;
    return out.solved({"scores", "Attention scores, or a copy or gradient of them", "b * a * s * s * w",
                       "transformers eager_attention_forward"},
                      AllocationPlace::attention, a * s * s, "b", {{"a", a}, {"s", s}});
  }
}

void sort(const OutOfMemory& request, std::vector<Factorisation>& found) {
  const auto elsewhere = [&](const Factorisation& f) {
    return request.place != AllocationPlace::unknown && f.tensor.place != request.place;
  };
  std::stable_sort(found.begin(), found.end(), [&](const Factorisation& a, const Factorisation& b) {
    if (elsewhere(a) != elsewhere(b)) return elsewhere(b);
    return a.closeness != b.closeness ? a.closeness < b.closeness : a.chance < b.chance;
  });
}

/// Models of one shape, counted as they come.
struct Named {
  std::string models;
  std::size_t count = 0;

  void add(const std::string& id) {
    ++count;
    if (count <= most_models) models += (count > 1 ? ", " : "") + id;
    if (count == most_models + 1) models += " and others";
  }
};

bool same_tensor(const Tensor& a, const Tensor& b) {
  const auto same_value = [](const Value& x, const Value& y) { return x.value == y.value; };
  return a.id == std::string_view(b.id) &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same_value);
}

/// What the whole catalog may have allocated; models of one shape together.
class Catalogue {
 public:
  void add(std::vector<Factorisation> of_model, const std::string& model) {
    for (Factorisation& one : of_model) {
      if (one.chance > likely_of_many) continue;
      std::size_t i = 0;
      while (i < found_.size() && !same_tensor(found_[i].tensor, one.tensor)) ++i;
      if (i == found_.size()) {
        found_.push_back(std::move(one));
        names_.emplace_back();
      }
      names_[i].add(model);
    }
  }
  [[nodiscard]] std::vector<Factorisation> take() {
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].models = names_[i].models;
    return std::move(found_);
  }

 private:
  std::vector<Factorisation> found_;
  std::vector<Named> names_;
};

/// The number with the fewest digits in the range: 7e9 of 6.9994e9 to 7.0021e9.
double shortest_in(double low, double high) {
  double unit = 1;
  while (unit < high) unit *= 10;
  while (unit > 1 && std::ceil(low / unit) * unit > high) unit /= 10;
  return std::ceil(low / unit) * unit;
}

/// Whatever the model: so many parameters of 4 bytes, or twice as many of 2. That it fits says nothing, only whoever
/// knows the model's size can tell.
void add_any_model(const OutOfMemory& request, std::vector<Factorisation>& found) {
  constexpr double fewest = 1e8, most = 2e12;  // of models that are trained on GPUs
  const SizeRange range = possible_sizes(request);
  for (const double w : {4.0, 2.0}) {
    const double M = shortest_in(range.low / w, range.high / w);
    if (M < fewest || M > most) continue;
    found.push_back({{"any_model",
                      std::string("All parameters of a model of M, or their gradients, in one flat copy") +
                          (w == 4 ? ", fp32" : ", 16 bit"),
                      "M * w",
                      "ZeRO, arXiv:1910.02054 section 3",
                      AllocationPlace::optimizer,
                      0,
                      M * w,
                      {{"M", M}, {"w", w}}},
                     Closeness::rounded,
                     {},
                     1});
  }
}

}  // namespace

std::vector<Factorisation> factorise(const OutOfMemory& request, const ModelShape& model) {
  if (is_small_segment(request)) return {};
  Collector out(request, model.id, likely_of_one);
  const auto h = static_cast<double>(model.hidden), f = static_cast<double>(model.ffn);
  if (model.vocab > 0) {
    add_logits(static_cast<double>(model.vocab), out);
    add_embedding(model, out);
  }
  add_parameters(model, true, out);
  add_scores(request, model, out);
  constexpr const char* source = "Korthikanti et al. 2022, arXiv:2205.05198 section 4.1";
  out.solved({"hidden", "Hidden states, or a gradient of them", "T * h * w", source}, AllocationPlace::mlp, h, "T",
             {{"h", h}});
  out.solved({"mlp", "MLP: one of its wide tensors", "T * f * w", source}, AllocationPlace::mlp, f, "T", {{"f", f}});
  if (model.gated()) {
    out.solved({"mlp_gate_up", "MLP: gate and up projection in one", "2 * T * f * w", source}, AllocationPlace::mlp,
               2 * f, "T", {{"f", f}});
  }
  sort(request, out.found);
  return std::move(out.found);
}

std::vector<Factorisation> factorise(const OutOfMemory& request) {
  if (is_small_segment(request)) return {};
  Catalogue catalogue;
  for (const std::string_view id : catalog_ids(CatalogKind::models)) {
    const Result<ModelShape> model = find_model(id, "");
    if (!model.ok()) continue;
    Collector out(request, {}, likely_of_many);
    add_parameters(*model.value, false, out);
    if (model.value->vocab > 0) {
      add_embedding(*model.value, out);
      add_logits(static_cast<double>(model.value->vocab), out);
    }
    catalogue.add(std::move(out.found), model.value->id);
  }
  std::vector<Factorisation> found = catalogue.take();
  sort(request, found);
  found.erase(found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most_of_catalog)), found.end());
  add_any_model(request, found);
  sort(request, found);
  return found;
}

}  // namespace meshgauge
