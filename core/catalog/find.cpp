// Finding catalog entries by name.
#include <algorithm>
#include <array>
#include <span>

#include "core/catalog/catalog.hpp"
#include "core/catalog/embedded.hpp"
#include "core/catalog/lines.hpp"
#include "core/catalog/names.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

struct Kind {
  std::string_view file;
  std::string_view singular;
  std::span<const std::string_view> noise;  ///< words of a name that say nothing of the shape
  bool by_age = false;                      ///< the newest are last, and most likely meant
  bool by_start = false;  ///< "qwen3-235b" can only be qwen3-235b-a22b; an "rtx-6000" is not the rtx-6000-ada
};

constexpr std::size_t most_shown = 9;

constexpr auto model_noise = std::to_array<std::string_view>(
    {"hf", "chat", "instruct", "base", "it", "pt", "meta", "preview", "deduped", "bf16", "fp8", "####"});
constexpr auto gpu_noise = std::to_array<std::string_view>(
    {"nvidia", "amd", "intel", "google", "huawei", "tesla", "geforce", "instinct", "generation", "gpu"});
constexpr auto system_noise = std::to_array<std::string_view>({"nvidia", "standard"});

Kind describe(CatalogKind kind) {
  switch (kind) {
    case CatalogKind::gpus:
      return {embedded::gpus_json, "GPU", gpu_noise};
    case CatalogKind::systems:
      return {embedded::systems_json, "system", system_noise, false, true};
    default:
      return {embedded::models_json, "model", model_noise, true, true};
  }
}

/// `score` is twice the distance, less one where the known name starts with the unknown one.
struct Suggestion {
  std::string_view id;
  std::size_t score = 0;
};

std::vector<Suggestion> nearest(std::string_view file, std::string_view name) {
  const std::size_t limit = std::min(std::max<std::size_t>(2, name.size() / 3), name.size() - 1);
  std::vector<Suggestion> best;
  for_each_entry(file, [&](const EntryLine& entry) {
    std::size_t score = 2 * limit + 1;
    for_each_name(entry, [&](std::string_view known) {
      const std::size_t distance = name_distance(name, known, limit);
      const bool same_start = known.starts_with(name) && known.size() > name.size() && known[name.size()] == '-';
      score = std::min(score, 2 * distance - (same_start && distance > 0 ? 1 : 0));
    });
    if (score > 2 * limit) return;
    if (!best.empty() && score < best.front().score) best.clear();
    if (best.empty() || score == best.front().score) best.push_back({entry.id, score});
  });
  return best;
}

/// The entries that have the words of a name in one of their names, at its start if there are such.
std::vector<Suggestion> with_words(std::string_view file, std::string_view name) {
  std::vector<Suggestion> starting, containing;
  if (letters_and_digits(name).size() < 2) return {};
  for_each_entry(file, [&](const EntryLine& entry) {
    WordPlace best = WordPlace::none;
    for_each_name(entry, [&](std::string_view known) { best = std::max(best, place_of_words(name, known)); });
    if (best == WordPlace::start) starting.push_back({entry.id});
    if (best == WordPlace::inside) containing.push_back({entry.id});
  });
  return starting.empty() ? containing : starting;
}

/// The only entry of which `fits(known name)` holds; none if there are several.
template <class Fits>
EntryLine only_entry(std::string_view file, Fits fits) {
  EntryLine found;
  std::size_t entries = 0;
  for_each_entry(file, [&](const EntryLine& entry) {
    bool any = false;
    for_each_name(entry, [&](std::string_view known) { any = any || fits(known); });
    if (!any) return;
    found = entry;
    ++entries;
  });
  return entries == 1 ? found : EntryLine{};
}

/// What a name can only mean, though it is written otherwise: without its separators, or without its last words.
EntryLine unmistakable(const Kind& kind, std::string_view name) {
  const std::string letters = letters_and_digits(name);
  if (letters.size() < 2) return {};
  const EntryLine same =
      only_entry(kind.file, [&](std::string_view known) { return letters == letters_and_digits(known); });
  if (!same.id.empty() || !kind.by_start) return same;
  return only_entry(kind.file, [&](std::string_view known) {
    return known.size() > name.size() && known[name.size()] == '-' && same_name(name, known.substr(0, name.size()));
  });
}

std::string unknown(const Kind& kind, std::string_view name, const std::vector<std::string>& names) {
  std::string text = "unknown " + std::string(kind.singular) + " " + in_quotes(name);
  std::vector<Suggestion> best;
  if (!names.empty() && !names.back().empty()) {
    best = with_words(kind.file, names.back());
    if (best.empty()) best = nearest(kind.file, names.back());
  }
  if (best.empty()) return text + "; the catalog has none with a similar name";
  const std::size_t shown = std::min(best.size(), most_shown);
  const std::size_t first = kind.by_age ? best.size() - shown : 0;
  for (std::size_t i = 0; i < shown; ++i) {
    text += i == 0 ? "; did you mean " : i + 1 == shown ? " or " : ", ";
    text += in_quotes(best[first + i].id);
  }
  return text + "?";
}

}  // namespace

std::vector<CatalogEntry> catalog_entries(CatalogKind kind) {
  const std::string_view file = describe(kind).file;
  std::vector<CatalogEntry> entries;
  for_each_entry(file, [&](const EntryLine& entry) {
    entries.push_back({entry.id, expand_sources(file, entry.json)});
  });
  return entries;
}

std::vector<std::string_view> catalog_ids(CatalogKind kind) {
  std::vector<std::string_view> ids;
  for_each_entry(describe(kind).file, [&](const EntryLine& entry) { ids.push_back(entry.id); });
  return ids;
}

Result<CatalogEntry> find_entry(CatalogKind catalog, std::string_view name, std::string_view path) {
  const Kind kind = describe(catalog);
  const std::vector<std::string> names = spellings(name, kind.noise);
  for (const std::string& spelling : names) {
    EntryLine found;
    for_each_entry(kind.file, [&](const EntryLine& entry) {
      for_each_name(entry, [&](std::string_view known) {
        if (found.id.empty() && same_name(spelling, known)) found = entry;
      });
    });
    if (!found.id.empty()) return CatalogEntry{found.id, expand_sources(kind.file, found.json)};
  }
  const EntryLine meant = names.empty() ? EntryLine{} : unmistakable(kind, names.back());
  if (!meant.id.empty()) return CatalogEntry{meant.id, expand_sources(kind.file, meant.json)};
  return Issues{{std::string(path), unknown(kind, name, names)}};
}

}  // namespace meshgauge
