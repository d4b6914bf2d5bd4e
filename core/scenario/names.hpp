// Enumerations and their names: the one list that reading, writing, help texts and the page share.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace meshgauge {

/// Specialise with `static constexpr std::array names{...}` in enumerator order. Names are JSON values.
template <class Enum>
struct EnumNames;

template <class Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum e) {
  return EnumNames<Enum>::names[static_cast<std::size_t>(e)];
}

template <class Enum>
[[nodiscard]] constexpr std::span<const std::string_view> all_names() {
  return EnumNames<Enum>::names;
}

template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> from_name(std::string_view name) {
  const auto names = all_names<Enum>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace meshgauge

/// Declares the names of an enumeration; use inside namespace meshgauge, right after the enumeration.
#define MESHGAUGE_NAMES(Enum, ...)                                               \
  template <>                                                                    \
  struct EnumNames<Enum> {                                                       \
    static constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__}); \
  }
