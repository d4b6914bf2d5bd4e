// What each kind of failure means, what to set and what to try.
#pragma once

#include <string_view>

#include "core/diagnose/nccl/finding.hpp"

namespace meshgauge::nccl {

/// Of one id; nothing to set where `variable` is empty, nothing to try where `command` is.
struct Advice {
  std::string_view id;
  std::string_view message;
  std::string_view source;
  std::string_view variable = {}, value = {}, why = {};
  std::string_view command = {}, tells = {};
  NcclSeverity severity = NcclSeverity::failure;
  bool consequence = false;
};

/// Null if there is none for the id.
[[nodiscard]] const Advice* advice_on(std::string_view id);

/// A finding with the advice on its id, which has to be there.
[[nodiscard]] NcclFinding advised(std::string_view id);

}  // namespace meshgauge::nccl
