#include <nlohmann/json.hpp>

#include "core/catalog/embedded.hpp"
#include "core/io/handbook.hpp"
#include "core/io/parse.hpp"

namespace meshgauge {

// A test reads every case.
nlohmann::ordered_json handbook_cases() { return *parse_json(embedded::handbook_json).value; }

}  // namespace meshgauge
