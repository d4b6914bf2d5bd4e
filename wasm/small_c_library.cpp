// What the JSON library needs of the C library, small: a snprintf for \u%04x (the C library's brings long double along, 4 KB
// compressed), and a strtod.
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "wasm/nearest_double.hpp"

extern "C" int snprintf(char* to, std::size_t size, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::size_t length = 0;
  const auto put = [&](char c) {
    if (length + 1 < size) to[length] = c;
    ++length;
  };
  for (std::string_view rest = format; !rest.empty();) {
    if (rest.front() != '%') {
      put(rest.front());
      rest.remove_prefix(1);
      continue;
    }
    if (rest.substr(0, 4) != "%04x") std::abort();
    const unsigned value = va_arg(values, unsigned);
    for (int shift = 12; shift >= 0; shift -= 4) put("0123456789abcdef"[value >> shift & 15U]);
    rest.remove_prefix(4);
  }
  va_end(values);
  if (size > 0) to[length < size ? length : size - 1] = '\0';
  return static_cast<int>(length);
}

// What the JSON library reads numbers with.
extern "C" double strtod(const char* text, char** end) {
  const char* rest = nullptr;
  const double value = meshgauge::wasm::nearest_double(text, &rest);
  if (end) *end = const_cast<char*>(rest);
  return value;
}

// libc++'s std::string names them beside strtod; nothing calls them.
extern "C" float strtof(const char* /*text*/, char** /*end*/) { std::abort(); }
extern "C" long double strtold(const char* /*text*/, char** /*end*/) { std::abort(); }
