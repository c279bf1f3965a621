// File: compiler/evaluator/shape_binding.h
//
// Symbolic shapes at run time: the symbols of a module are solved from the shapes of its arguments,
// and every other shape then becomes static.
#ifndef SWAGE_COMPILER_EVALUATOR_SHAPE_BINDING_H_
#define SWAGE_COMPILER_EVALUATOR_SHAPE_BINDING_H_

#include <string>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/shape.h"

namespace swage::evaluator {

// Solves declared[i] == actual[i] for every i; `actual` is static. Dims with one unknown symbol are
// solved first and may make others solvable. An error names the argument ("[evaluate] argument 2
// ...") when dtype, rank, structure or an extent does not fit, or what could not be solved.
Status BindShapes(absl::Span<const ir::Shape> declared, absl::Span<const ir::Shape> actual,
                  ir::SymbolBinding* binding);

// `shape` with every dim evaluated; an error for an unbound symbol or a negative extent.
StatusOr<ir::Shape> StaticShape(const ir::Shape& shape, const ir::SymbolBinding& binding);

// The value of a dim that must be known by now.
StatusOr<int64_t> StaticDim(ir::Dim dim, const ir::SymbolBinding& binding);

// The extents of a static array.
std::vector<int64_t> Extents(const ir::Shape& shape);

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_SHAPE_BINDING_H_
