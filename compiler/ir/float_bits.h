// File: compiler/ir/float_bits.h
//
// The bits of floating-point elements of every dtype, from and to double. Encoding rounds once, to
// nearest even; what does not fit becomes infinity (f8e4m3fn has none: NaN). Decoding is exact.
// A NaN keeps its sign and the upper bits of its payload and is quiet.
#ifndef SWAGE_COMPILER_IR_FLOAT_BITS_H_
#define SWAGE_COMPILER_IR_FLOAT_BITS_H_

#include <cstdint>

#include "compiler/ir/dtype.h"

namespace swage::ir {

// Widths of the fields of a float dtype (f16 has 5 and 10).
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // false only for f8e4m3fn, whose one NaN is all ones
};
FloatFormat FormatOf(DType dtype);

uint64_t EncodeFloat(DType dtype, double value);
double DecodeFloat(DType dtype, uint64_t bits);

bool IsNanBits(DType dtype, uint64_t bits);
bool IsInfBits(DType dtype, uint64_t bits);
uint64_t InfBits(DType dtype, bool negative);
// The quiet NaN that `nan` means in text: no sign, no other payload bit.
uint64_t QuietNanBits(DType dtype);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_FLOAT_BITS_H_
