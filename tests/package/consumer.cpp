// Asks the installed library one question and checks that it knows its engines.
#include <core/io/api.hpp>
#include <iostream>
#include <string>

int main() {
  const std::string answer = meshgauge::api(R"({"command": "describe"})");
  std::cout << answer.substr(0, 200) << '\n';
  return answer.find("megatron") == std::string::npos ? 1 : 0;
}
