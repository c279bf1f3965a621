// File: runtime/weights.h
//
// Tensors that a jit function captured are weights: their elements never change, so what is slow to
// read in a program is brought into another order once, and kept with the tensor.
//
//   MarkWeights(captured, computation);                        // before the program is compiled
//   SWAGE_ASSIGN_OR_RETURN(program, WithWeights(captured, program));   // before it runs
//
// Only tensors in memory of Swage's own: what from_blob and from_dlpack wrap may be changed by its
// owner.
#ifndef SWAGE_RUNTIME_WEIGHTS_H_
#define SWAGE_RUNTIME_WEIGHTS_H_

#include <memory>

#include "absl/types/span.h"
#include "base/status.h"
#include "cache/module_cache.h"
#include "compiler/ir/computation.h"
#include "runtime/tensor.h"

namespace swage::runtime {

// The last parameters of `computation` are the captured tensors.
void MarkWeights(absl::Span<const Tensor> captured, ir::Computation* computation);

// The same program for calls with these tensors as its last inputs, which outlive it.
StatusOr<std::shared_ptr<codegen::Executable>> WithWeights(
    absl::Span<const Tensor> captured, const std::shared_ptr<codegen::Executable>& executable);
StatusOr<cache::ProgramPtr> WithWeights(absl::Span<const Tensor> captured,
                                        cache::ProgramPtr program);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_WEIGHTS_H_
