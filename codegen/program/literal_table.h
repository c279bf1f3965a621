// File: codegen/program/literal_table.h
//
// Large loops with many numbers in them: the numbers leave the code for a table that arrives as one
// more operand. Fusions that differ in their numbers alone then have one text, so a long chain of
// operations, which priority fusion cuts into hundreds of pieces, reaches LLVM a few times.
#ifndef SWAGE_CODEGEN_PROGRAM_LITERAL_TABLE_H_
#define SWAGE_CODEGEN_PROGRAM_LITERAL_TABLE_H_

#include <vector>

#include "base/status.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// With fewer numbers of a dtype than this they stay in the code.
inline constexpr int64_t kMinTableLiterals = 16;

// Takes the scalar float constants out of `fusion`, a fusion that nothing calls, dtype by dtype.
// Each table is the value of a new last parameter. No value changes.
StatusOr<std::vector<ir::Literal>> TakeOutLiterals(ir::Computation* fusion);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_LITERAL_TABLE_H_
