// File: tests/emulated_cuda/soft_float.h
//
// The arithmetic of translated code that LLVM has no operation for: fused multiply-add and
// conversions of f16 and bf16 with one rounding, directed rounding, and the approximate functions,
// which here are the libm result in double rounded once (a card may differ by what the PTX manual
// allows).
#ifndef SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_
#define SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/emulated_cuda/runtime_calls.h"

namespace swage::emulated_cuda {

enum class SmallFloat { kHalf, kBfloat };

// Exact.
double SmallToDouble(SmallFloat format, uint16_t bits);

// The first argument of emu_op_*.
enum SoftOp : int32_t { kSoftAdd, kSoftSub, kSoftMul, kSoftDiv, kSoftSqrt, kSoftFma };

// The number of a PTX rounding (or "") for the calls that take one.
inline uint64_t RoundingMode(std::string_view rounding) {
  return rounding == "rz" ? 1 : rounding == "rm" ? 2 : rounding == "rp" ? 3 : 0;
}

// What translated code may call.
const std::vector<RuntimeCall>& MathCalls();

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_SOFT_FLOAT_H_
