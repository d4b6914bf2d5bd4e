// The catalog files as text, compiled in by the build (core/cmake/embed_text.cmake).
#pragma once

#include <string_view>

namespace meshgauge::embedded {

extern const std::string_view bus_bandwidth_json;
extern const std::string_view models_json;
extern const std::string_view gpus_json;
extern const std::string_view systems_json;
extern const std::string_view handbook_json;
extern const std::string_view published_json;

}  // namespace meshgauge::embedded
