// File: compiler/passes/dot_decomposer.h
//
// dot-decomposer brings dots towards the form of a plain (batched) matrix product by reshapes,
// which cost nothing: dimensions of extent 1 go away, and dimensions of one role that lie side by
// side become one. A dot whose roles lie apart keeps them: emitters read any order in place, so no
// data is moved.
//
//   f32[2,8,64] x f32[64,3,5] over 64   ->  reshape(f32[16,64] x f32[64,15])
//
// Roles: batch (in both operands and the result), contracting (in both operands), rows (left
// operand and result), columns (right operand and result). Two dimensions of a role are one where
// the second follows the first in every array that they are in. Exact. Not after layout assignment.
#ifndef SWAGE_COMPILER_PASSES_DOT_DECOMPOSER_H_
#define SWAGE_COMPILER_PASSES_DOT_DECOMPOSER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class DotDecomposer : public Pass {
 public:
  std::string_view name() const override { return "dot-decomposer"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_DOT_DECOMPOSER_H_
