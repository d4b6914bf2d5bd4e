// A step's timeline as a trace file, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace meshgauge::cli {

/// Trace Event Format, JSON object form: a process for each stage; of it a thread for passes, one for the messages to
/// each neighbour, and one for what follows the last backward. Complete events ("X"), times in microseconds.
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
[[nodiscard]] std::string trace_text(const nlohmann::ordered_json& answer);

}  // namespace meshgauge::cli
