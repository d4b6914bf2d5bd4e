// Counts every allocation of the program that links allocations.cpp.
#pragma once

#include <cstddef>

extern std::size_t allocations;
