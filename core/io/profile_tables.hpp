// The measured tables of a profile document: curves of collectives, products, runs.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/io/read_value.hpp"
#include "core/price/measured.hpp"

namespace meshgauge {

inline constexpr std::array<std::string_view, 3> profile_table_keys{"collectives", "products", "runs"};

/// Reads the table that `key` names into `tables`, which it replaces.
void read_profile_table(std::string_view key, const nlohmann::ordered_json& value, const std::string& path,
                        MeasuredTables& tables, Reading&);

/// Puts the tables that hold something into the document. What is read back is what was written, bit by bit.
void write_profile_tables(const MeasuredTables&, nlohmann::ordered_json& document);

}  // namespace meshgauge
