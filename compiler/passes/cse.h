// File: compiler/passes/cse.h
//
// cse merges instructions of one computation that compute the same: equal opcode, shape (layout
// included), attributes, called computations and operands, the two operands of a commutative op in
// either order. Constants are equal when their bits are. The first in the order of execution stays.
// Instructions with side effects, and those that others must wait for, are left alone.
#ifndef SWAGE_COMPILER_PASSES_CSE_H_
#define SWAGE_COMPILER_PASSES_CSE_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class Cse : public Pass {
 public:
  std::string_view name() const override { return "cse"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

// The same inside the bodies of fusions only, where a value must be computed once to be counted
// once.
class FusionCse : public Pass {
 public:
  std::string_view name() const override { return "fusion-cse"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CSE_H_
