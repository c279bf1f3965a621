// File: codegen/run_on_literals.h
//
// An executable on values of the graph: for tools and tests, which have literals instead of
// tensors.
#ifndef SWAGE_CODEGEN_RUN_ON_LITERALS_H_
#define SWAGE_CODEGEN_RUN_ON_LITERALS_H_

#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// The arrays of `shapes` at these addresses of an executable's memory.
StatusOr<std::vector<ir::Literal>> LiteralsAt(MemorySpace* memory,
                                              absl::Span<const ir::Shape> shapes,
                                              absl::Span<const void* const> addresses);

// Leaves in, of the executable's input shapes; the leaves of the result out. Under
// SWAGE_CHECK=memory the executable sees them between guard pages (base/check_mode.h).
StatusOr<std::vector<ir::Literal>> RunOnLiterals(Executable& executable,
                                                 absl::Span<const ir::Literal> inputs);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_RUN_ON_LITERALS_H_
