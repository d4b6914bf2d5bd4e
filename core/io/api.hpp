// The one door: JSON text in, JSON text out. CLI and WASM both go through it.
#pragma once

#include <string>
#include <string_view>

namespace meshgauge {

/// Request `{"command": "estimate" | "validate" | "calibrate" | "check" | "diagnose" | "import" | "catalog" |
/// "describe", ...}`; response `{"ok": true, ...}` or `{"ok": false, "issues": [{"path", "message"}]}`. Never throws;
/// equal requests give equal bytes on every platform.
[[nodiscard]] std::string api(std::string_view request_json);

}  // namespace meshgauge
