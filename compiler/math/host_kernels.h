// File: compiler/math/host_kernels.h
//
// The typed inner loops behind host_elementwise. Each is found by opcode and compute dtype (small
// floats have been widened to f32) and runs over dense arrays.
#ifndef SWAGE_COMPILER_MATH_HOST_KERNELS_H_
#define SWAGE_COMPILER_MATH_HOST_KERNELS_H_

#include <cstdint>

#include "compiler/ir/dtype.h"
#include "compiler/math/ops.h"

namespace swage::math {

using HostKernel = void (*)(const void* const* in, void* out, int64_t n,
                            const ElementwiseAttrs& attrs);

// Ops of one element type (kMap, kPredicate, kCompare in IEEE or integer order). One function per
// group of dtypes, each in its own file, since these are many instances. nullptr: not defined.
HostKernel FindFloatKernel(ir::Opcode opcode, const ElementwiseAttrs& attrs);
HostKernel FindDoubleKernel(ir::Opcode opcode, const ElementwiseAttrs& attrs);
HostKernel FindSignedKernel(ir::Opcode opcode, ir::DType dtype, const ElementwiseAttrs& attrs);
HostKernel FindUnsignedKernel(ir::Opcode opcode, ir::DType dtype, const ElementwiseAttrs& attrs);

// Ops on bits: select by element size; reduce-precision and the total order of floats by dtype.
HostKernel FindSelectKernel(int bytes);
HostKernel FindReducePrecisionKernel(ir::DType dtype);
HostKernel FindTotalOrderKernel(ir::DType dtype, const ElementwiseAttrs& attrs);

// Conversion from one dtype to any other; both as stored.
HostKernel FindConvertKernel(ir::DType from, ir::DType to);

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_HOST_KERNELS_H_
