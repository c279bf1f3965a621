// File: compiler/math/elementwise_check.h
//
// What both dispatchers (host and LLVM) check before they run an elementwise op.
#ifndef SWAGE_COMPILER_MATH_ELEMENTWISE_CHECK_H_
#define SWAGE_COMPILER_MATH_ELEMENTWISE_CHECK_H_

#include <span>

#include "base/status.h"
#include "compiler/math/ops.h"

namespace swage::math {

// The dtype in which an op on `dtype` computes: f32 for small floats, else itself.
inline ir::DType ComputeDType(ir::DType dtype) {
  return ir::IsSmallFloat(dtype) ? ir::DType::kF32 : dtype;
}

// Ok if `opcode` is elementwise and takes operands of these dtypes to `out_dtype`.
Status CheckElementwise(ir::Opcode opcode, ir::DType out_dtype,
                        std::span<const ir::DType> operand_dtypes, const ElementwiseAttrs& attrs);

// The kind of an elementwise opcode's functor; kMap for others.
ops::OpKind KindOfElementwise(ir::Opcode opcode);

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_ELEMENTWISE_CHECK_H_
