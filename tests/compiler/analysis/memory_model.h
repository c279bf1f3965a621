// File: tests/compiler/analysis/memory_model.h
//
// Runs an order of execution on memory that knows which value each byte holds, and expects every
// value where the assignment puts it when it is read, outputs at the end.
#ifndef SWAGE_TESTS_COMPILER_ANALYSIS_MEMORY_MODEL_H_
#define SWAGE_TESTS_COMPILER_ANALYSIS_MEMORY_MODEL_H_

#include "absl/types/span.h"
#include "compiler/analysis/buffer_assignment.h"

namespace swage::analysis {

// `donate`: outputs that may take over the memory of a parameter do.
void ExpectValuesInPlace(const ir::Computation& computation,
                         absl::Span<ir::Instruction* const> order, const BufferAssignment& buffers,
                         bool donate = false);

}  // namespace swage::analysis

#endif  // SWAGE_TESTS_COMPILER_ANALYSIS_MEMORY_MODEL_H_
