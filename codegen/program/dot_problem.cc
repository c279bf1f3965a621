#include "codegen/program/dot_problem.h"

#include "compiler/ir/computation.h"

namespace swage::codegen {
namespace {

using ir::Instruction;
using ir::Opcode;

// One side as matrices: where its rows or columns are, beside the contracting dimension.
struct Side {
  int contracting = 0;
  int free = -1;  // -1: there is none
};

std::optional<Side> SideOf(const ir::Shape& shape, const ir::DimList& batch,
                           const ir::DimList& contracting) {
  if (contracting.size() != 1) return std::nullopt;
  const int batches = static_cast<int>(batch.size());
  for (int i = 0; i < batches; ++i) {
    if (batch[i] != i) return std::nullopt;
  }
  Side side{static_cast<int>(contracting[0]), -1};
  if (shape.rank() > batches + 2) return std::nullopt;
  for (int i = batches; i < shape.rank(); ++i) {
    if (i != side.contracting) side.free = i;
  }
  return side;
}

}  // namespace

StatusOr<std::optional<DotProblem>> DotProblemOf(const Instruction& fusion,
                                                 const ir::SymbolBinding& sizes) {
  const std::optional<DotProblem> none;
  const Instruction& dot = *fusion.fused_computation()->root();
  if (dot.opcode() != Opcode::kDot) return none;
  const Instruction &a = *dot.operand(0), &b = *dot.operand(1);
  if (a.opcode() != Opcode::kParameter || b.opcode() != Opcode::kParameter ||
      a.parameter_number() != 0 || b.parameter_number() != (&a == &b ? 0 : 1) ||
      a.shape().dtype() != b.shape().dtype()) {
    return none;
  }
  const auto& attrs = dot.attrs<ir::DotAttrs>();
  const auto left = SideOf(a.shape(), attrs.lhs_batch, attrs.lhs_contracting);
  const auto right = SideOf(b.shape(), attrs.rhs_batch, attrs.rhs_contracting);
  if (!left.has_value() || !right.has_value()) return none;
  DotProblem problem;
  problem.dtype = a.shape().dtype();
  problem.result = dot.shape().dtype();
  const auto extent = [&](const ir::Shape& shape, int dim) -> StatusOr<int64_t> {
    if (dim < 0) return 1;
    return shape.dim(dim).Evaluate(sizes);
  };
  SWAGE_ASSIGN_OR_RETURN(problem.m, extent(a.shape(), left->free));
  SWAGE_ASSIGN_OR_RETURN(problem.n, extent(b.shape(), right->free));
  SWAGE_ASSIGN_OR_RETURN(problem.k, extent(a.shape(), left->contracting));
  for (size_t i = 0; i < attrs.lhs_batch.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t count, extent(a.shape(), static_cast<int>(i)));
    problem.batch *= count;
  }
  problem.transpose_a = left->free >= 0 && left->contracting < left->free;
  problem.transpose_b = right->free >= 0 && right->contracting > right->free;
  return std::optional<DotProblem>(problem);
}

}  // namespace swage::codegen
