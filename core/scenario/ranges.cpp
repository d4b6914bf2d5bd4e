// Ranges of single values, before anything is computed with them.
#include "core/scenario/ranges.hpp"

#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// Says what is out of range in `value`.
void check(const FieldText& text, const std::string& path, double value, Issues& issues) {
  if (!in_range(text, value)) issues.push_back({path, range_message(text, number_text(value))});
}
void check(const FieldText& text, const std::string& path, std::int64_t value, Issues& issues) {
  check(text, path, static_cast<double>(value), issues);
}
void check(const FieldText& text, const std::string& path, const std::vector<std::int64_t>& values, Issues& issues) {
  constexpr std::size_t enough = 200;  // more than an answer lists
  for (std::size_t i = 0; i < values.size() && issues.size() < enough; ++i) {
    check(text, path + '/' + std::to_string(i), values[i], issues);
  }
}

template <class T>
void drop_if_out(const FieldText& text, const std::string& section, std::optional<T>& value, ScenarioRequest& request,
                 Issues& issues) {
  if (!value) return;
  const std::string path = section + std::string(text.key);
  const std::size_t before = issues.size();
  check(text, path, *value, issues);
  if (issues.size() == before) return;
  request.unread.push_back(path);
  value.reset();
}

template <class Request>
void drop_in_section(const std::string& prefix, std::span<const Field<Request>> fields, Request& section,
                     ScenarioRequest& request, Issues& issues) {
  for (const Field<Request>& field : fields) {
    if (!field.text.ranged()) continue;
    if (const auto* whole = std::get_if<std::optional<std::int64_t> Request::*>(&field.slot)) {
      drop_if_out(field.text, prefix, section.**whole, request, issues);
    } else if (const auto* number = std::get_if<std::optional<double> Request::*>(&field.slot)) {
      drop_if_out(field.text, prefix, section.**number, request, issues);
    } else if (const auto* list = std::get_if<std::optional<std::vector<std::int64_t>> Request::*>(&field.slot)) {
      drop_if_out(field.text, prefix, section.**list, request, issues);
    }
  }
}

}  // namespace

bool in_range(const FieldText& text, double value) { return value >= text.min && value <= text.max; }

std::string range_text(const FieldText& text) { return number_text(text.min) + " to " + number_text(text.max); }

std::string range_message(const FieldText& text, std::string_view shown) {
  return std::string(text.key) + " is " + std::string(shown) + ". Allowed: " + range_text(text) + '.';
}

Issues drop_out_of_range(ScenarioRequest& request) {
  Issues issues;
  drop_in_section("/cluster/", cluster_fields(), request.cluster, request, issues);
  drop_in_section("/parallelism/", parallelism_fields(), request.parallelism, request, issues);
  drop_in_section("/training/", training_fields(), request.training, request, issues);
  drop_in_section("/run/", run_fields(), request.run, request, issues);
  if (auto& recompute = request.training.recompute) {
    const std::size_t before = issues.size();
    drop_if_out(recompute_layers_field, "/training/recompute/", recompute->layers, request, issues);
    if (issues.size() > before) request.unread.emplace_back("/training/recompute");
  }
  return issues;
}

}  // namespace meshgauge
