// Numbers as people write them: 4096, 8k, 1.4T, 1e12, 128 K.
#pragma once

#include <optional>
#include <string_view>

namespace meshgauge::cli {

enum class Scale {
  count,    ///< k = 1,000, M, B (or G), T: parameters, tokens, GPUs
  sequence  ///< as count, but k = 1,024: sequence lengths
};

/// Nothing if the text is no number. Signs, decimals and exponents are read; groups may be split by ',' or '_'.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Scale);

/// "61.3GiB", "512 MiB", "66 GB", "65e9": bytes.
[[nodiscard]] std::optional<double> parse_bytes(std::string_view text);

/// Seconds: "21d", "70 h", "3 weeks", "90 min"; a plain number is in units of `unit` seconds.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text, double unit);

/// "46.2%", "0.462".
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

}  // namespace meshgauge::cli
