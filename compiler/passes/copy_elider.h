// File: compiler/passes/copy_elider.h
//
// Removes copies that nobody needs: those whose two ends may be one buffer.
//
// A buffer is never written while somebody may still read it: kernels write fresh memory, or over
// an operand that dies in them (buffer_assignment.h). So the two ends of a copy may be one buffer
// unless that buffer would have to be
//   an output of the computation and a parameter or constant, whose memory is not ours, or
//   two outputs, which are both alive at the end and must be apart.
#ifndef SWAGE_COMPILER_PASSES_COPY_ELIDER_H_
#define SWAGE_COMPILER_PASSES_COPY_ELIDER_H_

#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/computation.h"

namespace swage::passes {

// Removes what it can of `copies` (of arrays, all of this computation), in the order given; a
// schedule follows. Returns how many it removed.
StatusOr<int64_t> ElideCopies(ir::Computation& computation,
                              absl::Span<ir::Instruction* const> copies);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_COPY_ELIDER_H_
