// File: compiler/math/host_elementwise.h
//
// Elementwise ops over dense host arrays: what the evaluator and constant folding run. The op table
// says which functor an opcode has; the typed inner loops are instances of it over HostBuilder.
//
//   const HostOperand operands[] = {{a}, {b, /*is_scalar=*/true}};
//   const ir::DType types[] = {ir::DType::kF32, ir::DType::kF32};
//   SWAGE_RETURN_IF_ERROR(EvalElementwise(ir::Opcode::kAdd, ir::DType::kF32, types, {}, operands,
//   out, n));
//
// The result may be written over an operand of at least the result's element size. Errors:
// InvalidArgument (an op that the dtype does not have, operands that do not fit), Unimplemented
// (complex types).
#ifndef SWAGE_COMPILER_MATH_HOST_ELEMENTWISE_H_
#define SWAGE_COMPILER_MATH_HOST_ELEMENTWISE_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/opcode.h"
#include "compiler/math/ops.h"

namespace swage::math {

struct HostOperand {
  const void* data;
  bool is_scalar = false;  // one element stands for all
};

// out[i] = op(operands[0][i], operands[1][i] ...) for i in [0, n).
Status EvalElementwise(ir::Opcode opcode, ir::DType out_dtype,
                       std::span<const ir::DType> operand_dtypes, const ElementwiseAttrs& attrs,
                       std::span<const HostOperand> operands, void* out, int64_t n);

// out[i] = in[i] as another dtype.
Status ConvertElements(ir::DType from, ir::DType to, const void* in, void* out, int64_t n);

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_HOST_ELEMENTWISE_H_
