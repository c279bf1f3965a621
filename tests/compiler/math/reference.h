// File: tests/compiler/math/reference.h
//
// Exact values of the float functions (MPFR, 160 bits), errors in units in the last place, and the
// arguments that the accuracy tests use.
#ifndef SWAGE_TESTS_COMPILER_MATH_REFERENCE_H_
#define SWAGE_TESTS_COMPILER_MATH_REFERENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/opcode.h"

namespace swage::math {

struct FunctionCase {
  ir::Opcode opcode;
  double max_double_ulp;  // sampled
  double low, high;       // where doubles are sampled densely, besides all over
};

// Every function with an error bound, or that is correctly rounded and no plain instruction.
const std::vector<FunctionCase>& FunctionCases();

// The bound of f32 that the op table states, over all floats (binary functions are sampled).
double MaxFloatUlp(ir::Opcode opcode);

// |got - f(x, y)| in units in the last place at the exact value. 0 where both are NaN or the same
// infinity (an overflow counts as infinite); infinity where only one is. Unary functions ignore y.
double UlpError(ir::Opcode opcode, double x, double y, double got);
double UlpErrorOfFloat(ir::Opcode opcode, float x, float y, float got);

// The exact value rounded to double: a reference for float that is fast enough for all of them.
// Unary functions only.
double ReferenceInDouble(ir::Opcode opcode, double x);

// |got - exact| in units in the last place of float.
double FloatUlps(float got, double exact);

// `count` random doubles: a third of all bit patterns, a third in [low, high], a third near
// multiples of pi/4 and near 1.
std::vector<double> SampledDoubles(const FunctionCase& function, int64_t count, uint64_t seed);

}  // namespace swage::math

#endif  // SWAGE_TESTS_COMPILER_MATH_REFERENCE_H_
