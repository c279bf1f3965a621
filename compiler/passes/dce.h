// File: compiler/passes/dce.h
//
// dce removes what nobody reads. Dead is
// - an instruction without users that is not the root, has no side effect (nor do the computations
//   that it calls) and that no other instruction waits for; its operands may die with it;
// - a computation that cannot be reached from the entry.
// Parameters stay, for they are the signature; but one that the body of a fusion does not read
// goes, and the fusion's operand with it.
#ifndef SWAGE_COMPILER_PASSES_DCE_H_
#define SWAGE_COMPILER_PASSES_DCE_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class Dce : public Pass {
 public:
  std::string_view name() const override { return "dce"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_DCE_H_
