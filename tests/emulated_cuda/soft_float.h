// File: tests/emulated_cuda/soft_float.h
//
// The arithmetic of translated code that LLVM has no operation for: fused multiply-add and
// conversions of f16 and bf16 with one rounding, directed rounding, and the approximate functions,
// which here are the libm result in double rounded once (a card may differ by what the PTX manual
// allows).
#ifndef SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_
#define SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_

#include <cstdint>
#include <vector>

#include "tests/emulated_cuda/runtime_calls.h"

namespace swage::emulated_cuda {

enum class SmallFloat { kHalf, kBfloat };

// Exact.
double SmallToDouble(SmallFloat format, uint16_t bits);
// Rounded to nearest even (`toward_zero` false) or truncated; NaN becomes 0x7fff.

uint16_t DoubleToSmall(SmallFloat format, double value, bool toward_zero = false);
// a * b + c with one rounding.
uint16_t SmallFma(SmallFloat format, uint16_t a, uint16_t b, uint16_t c);

// What translated code may call.
const std::vector<RuntimeCall>& MathCalls();

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_
