// File: tests/runtime/same_names.h
//
// Two source files whose static functions have the same names and types but do different things:
// same_names.inc, included by same_names_a.cc and same_names_b.cc.
#ifndef SWAGE_TESTS_RUNTIME_SAME_NAMES_H_
#define SWAGE_TESTS_RUNTIME_SAME_NAMES_H_

#include <vector>

#include "runtime/swage.h"

namespace swage {

// One function of any argument, for both files.
inline constexpr auto kKindOf = [](Tensor x, auto kind) { return x * KindNumber(kind); };

// x through a lambda at namespace scope, a class in a nameless namespace, a lambda in a static
// function, a function pointer, and kKindOf with an enum of a nameless namespace.
std::vector<float> AllOfA(Tensor x);
std::vector<float> AllOfB(Tensor x);

}  // namespace swage

#endif  // SWAGE_TESTS_RUNTIME_SAME_NAMES_H_
