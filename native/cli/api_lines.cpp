// Answers requests from standard input, one JSON text a line, with one line each.
#include <iostream>
#include <string>

#include "core/io/api.hpp"

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string request; std::getline(std::cin, request);) std::cout << meshgauge::api(request) << '\n';
  return std::cout.flush() ? 0 : 3;
}
