#include "core/io/write_profile.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "core/io/profile_fields.hpp"
#include "core/io/profile_tables.hpp"

namespace meshgauge {

nlohmann::ordered_json write_profile(const Profile& profile, const Profile& defaults) {
  Profile own = profile, other = defaults;
  std::vector<double> known;
  profile_fields(other, [&](const FieldText&, double& value) { known.push_back(value); });
  nlohmann::ordered_json document;
  document["schema_version"] = schema_version;
  document["name"] = profile.name;
  std::size_t i = 0;
  profile_fields(own, [&](const FieldText& text, double& value) {
    if (value != known[i++]) document[std::string(text.key)] = value;
  });
  write_profile_tables(profile.measured, document);
  return document;
}

}  // namespace meshgauge
