// Model shapes from Hugging Face config.json objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/issue.hpp"
#include "core/scenario/model_shape.hpp"

namespace meshgauge {

/// The shape that a config.json describes, with the defaults that transformers has for the keys a family leaves out.
/// `path` is the JSON pointer of the object, for issues. Keys that say nothing of the shape are ignored. A model_type
/// that is not known is an issue; a config that names none is read as a decoder if the usual keys suffice.
[[nodiscard]] Result<ModelShape> read_huggingface(const nlohmann::ordered_json& config, std::string_view path);

}  // namespace meshgauge
