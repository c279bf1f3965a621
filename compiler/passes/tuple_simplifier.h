// File: compiler/passes/tuple_simplifier.h
//
// tuple-simplifier removes tuples that are taken apart again:
//   get-tuple-element(tuple(a, b), 1)                        ->  b
//   tuple(get-tuple-element(t, 0), ... all elements of t)    ->  t
#ifndef SWAGE_COMPILER_PASSES_TUPLE_SIMPLIFIER_H_
#define SWAGE_COMPILER_PASSES_TUPLE_SIMPLIFIER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class TupleSimplifier : public Pass {
 public:
  std::string_view name() const override { return "tuple-simplifier"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_TUPLE_SIMPLIFIER_H_
