// File: compiler/passes/lossless.h
//
// Which conversions keep every value.
#ifndef SWAGE_COMPILER_PASSES_LOSSLESS_H_
#define SWAGE_COMPILER_PASSES_LOSSLESS_H_

#include "compiler/ir/dtype.h"

namespace swage::passes {

// Whether every value of `from` (infinities, signed zeros and denormals included; a NaN stays a
// NaN) converts to `to` and back unchanged.
bool IsLossless(ir::DType from, ir::DType to);

// Whether convert(convert(x as from, via), to) is convert(x, to) for every x.
bool SkipsVia(ir::DType from, ir::DType via, ir::DType to);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_LOSSLESS_H_
