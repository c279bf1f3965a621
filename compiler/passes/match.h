// File: compiler/passes/match.h
//
// Questions that rewrites ask of instructions and dims.
#ifndef SWAGE_COMPILER_PASSES_MATCH_H_
#define SWAGE_COMPILER_PASSES_MATCH_H_

#include <optional>

#include "compiler/ir/instruction.h"

namespace swage::passes {

// The constant whose value every element of `x` is: a constant of one element (or a small one of
// equal elements), seen through broadcasts and other ops that only move elements. Its element 0 is
// the value. Null where there is none.
const ir::Literal* UniformLiteral(const ir::Instruction& x);

// Whether every element of `x` is this value, bit for bit: 0.0 does not match -0.0. For complex
// numbers both parts count.
bool IsUniform(const ir::Instruction& x, double value);
// Whether all bits of every element are ones (pred: true).
bool IsAllOnes(const ir::Instruction& x);
// The value of every element of an integer array.
std::optional<int64_t> UniformInteger(const ir::Instruction& x);
// The value of every element of a float array, when it is a finite power of two with a sign.
std::optional<double> UniformPowerOfTwo(const ir::Instruction& x);

// Like `x`, with a constant behind it: a canonical right-hand side.
bool IsConstantLike(const ir::Instruction& x);

bool IsOp(const ir::Instruction* x, ir::Opcode opcode);
bool IsEmpty(const ir::Shape& shape);  // a dim is 0
// Whether dimension `d` is in the list.
bool Has(const ir::DimList& list, int64_t d);

// Least and largest value of an integer dtype, as the bits of an int64 (u64's largest is -1).
int64_t LeastInteger(ir::DType dtype);
int64_t LargestInteger(ir::DType dtype);
// a < b in the order of an integer dtype.
bool IntegerLess(ir::DType dtype, int64_t a, int64_t b);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_MATCH_H_
