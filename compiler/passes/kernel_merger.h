// File: compiler/passes/kernel_merger.h
//
// Puts several fusions into one with several outputs.
#ifndef SWAGE_COMPILER_PASSES_KERNEL_MERGER_H_
#define SWAGE_COMPILER_PASSES_KERNEL_MERGER_H_

#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::passes {

// Puts one fusion into the place of `kernels` (fusions of one computation, operands before users,
// without control edges, each used through get-tuple-elements only if it has several outputs). What
// one reads of another is read inside. Its outputs are those that somebody else reads, in the order
// of the kernels; it is a tuple unless there is only one. Instructions keep their names. The bodies
// that are left hollow are added to `hollow`: Module::RemoveComputations.
StatusOr<ir::Instruction*> MergeKernels(absl::Span<ir::Instruction* const> kernels,
                                        std::vector<ir::Computation*>* hollow);

// The outputs of a fusion as its users see them: itself, or its get-tuple-elements.
std::vector<ir::Instruction*> OutputsOf(ir::Instruction* kernel);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_KERNEL_MERGER_H_
