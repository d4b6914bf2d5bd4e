// Where requests hold fields and what a resolved scenario writes for them: pieces of the tables of fields.
#pragma once

#include <array>
#include <type_traits>

#include "core/scenario/fields.hpp"

namespace meshgauge {

template <class Member>
struct MemberOf;
template <class R, class T>
struct MemberOf<std::optional<T> R::*> {
  using Request = R;
  using Value = T;
};

template <auto Member>
constexpr auto choice() {
  using Request = typename MemberOf<decltype(Member)>::Request;
  using Enum = typename MemberOf<decltype(Member)>::Value;
  return Choice<Request>{all_names<Enum>(),
                         [](Request& request, std::size_t i) { request.*Member = static_cast<Enum>(i); }};
}

template <auto Section, auto Member>
std::optional<Written> member(const Scenario& s) {
  const auto& value = s.*Section.*Member;
  if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
    return name_of(value);
  } else {
    return value;
  }
}

inline std::optional<Written> some(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}
inline std::optional<Written> positive(double value) {
  if (value <= 0) return std::nullopt;
  return value;
}

}  // namespace meshgauge
