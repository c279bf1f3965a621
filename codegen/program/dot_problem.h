// File: codegen/program/dot_problem.h
//
// A kernel that is nothing but one product of matrices, as a library is asked for it.
#ifndef SWAGE_CODEGEN_PROGRAM_DOT_PROBLEM_H_
#define SWAGE_CODEGEN_PROGRAM_DOT_PROBLEM_H_

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/instruction.h"

namespace swage::codegen {

// c[i] = a[i] b[i] for each i of the batch, row-major and without gaps. a[i] is m x k, or k x m if
// it is transposed; b[i] is k x n, or n x k; c[i] is m x n.
struct DotProblem {
  ir::DType dtype = ir::DType::kF32;  // of both sides
  ir::DType result = ir::DType::kF32;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transpose_a = false, transpose_b = false;

  double flops() const { return 2.0 * batch * m * n * k; }
};

// Of a fusion at these sizes; nullopt for one that is more than a dot, or another one: its batch
// dimensions come first on both sides, and each side has at most one other beside the contracting
// one.
StatusOr<std::optional<DotProblem>> DotProblemOf(const ir::Instruction& fusion,
                                                 const ir::SymbolBinding& sizes);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_DOT_PROBLEM_H_
